import { describe, expect, test } from '@jest/globals';
import { labs } from '../../labs/index.js';
import { renderTable } from '../../report/table.js';
import { readLessons } from '../../workshop/lessons.js';
import { checkSample } from '../support/check-lesson.js';
import { savedRun } from '../support/saved-runs.js';
import { GIVEN, QUOTES } from './quoted-figures.js';

/** @import { Lesson } from '../../workshop/lesson-types.js' */
/** @import { Quote } from './quoted-figures.js' */

const lessons = await readLessons();

/** The saved runs whose tables stand in the lessons. */
const SHOWN = /** @type {Record<string, string[]>} */ ({
  '02-one-lane': ['quiet 02'],
  '05-wait-queue': ['quiet 05'],
  '06-cold-start': ['quiet 06'],
  '07-change-streams': ['quiet 07a', 'quiet 07b', 'quiet 07c'],
  '08-remedies': ['quiet 08'],
  '09-toll-booths': ['quiet 09'],
  '11-batching': ['quiet 11'],
  '12-utilisation': ['quiet 12'],
});
const NUMBERS = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];

/**
 * What a lesson says in prose, on one line: its text without commands, output and tables; its hints and its keys.
 * @param {Lesson} lesson
 */
const readProse = ({ text, hints, twist, puzzle }) =>
  [
    text.replaceAll(/^```.*?^```/gms, '').replaceAll(/^\|.*$/gm, ''),
    ...hints,
    twist.key,
    puzzle?.text ?? '',
    ...(puzzle?.hints ?? []),
  ]
    .join(' ')
    .replaceAll(/\s+/g, ' ');

/** The lines of its tables. @param {Lesson} lesson */
const readTables = ({ text }) => [...text.matchAll(/^```text\n(.+?)^```/gms)].map(([, table]) => table);

/** What `pool-lab run` printed. @param {string} name of a saved run */
function printLines(name) {
  const run = savedRun(name);
  return renderTable(labs[run.lab], run).split('\n');
}

/** The cells of the row of a table that begins with a name, after that name. @param {Lesson} lesson @param {string} name */
function readRow(lesson, name) {
  const lines = [lesson.text.replaceAll(/^```.*?^```/gms, ''), ...readTables(lesson)].flatMap((table) =>
    table.split('\n'),
  );
  const line = lines.find((one) => one.trimStart().startsWith(`${name} `));
  if (!line) throw new Error(`${lesson.name} has no row ${name}`);
  return line
    .trimStart()
    .slice(name.length)
    .split(/[\s|]+/)
    .filter(Boolean)
    .map(Number);
}

/** Whether a figure is right, as precisely as it is quoted. @param {string} quoted @param {number} value */
function isRight(quoted, value) {
  const word = NUMBERS.indexOf(quoted.toLowerCase());
  const figure = word < 0 ? quoted.replaceAll(',', '') : String(word);
  const [, decimals = ''] = figure.split('.');
  return value.toFixed(decimals.length) === Number(figure).toFixed(decimals.length);
}

/** @param {Lesson} lesson @param {Quote} quote @param {string} prose @returns {boolean[]} of each figure */
function judgeQuote(lesson, [pattern, valuesOf], prose) {
  const found = pattern.exec(prose);
  if (!found) throw new Error(`${lesson.name} does not say ${pattern}`);
  const values = valuesOf((name) => readRow(lesson, name));
  return found.slice(1).map((quoted, index) => isRight(quoted, values[index]));
}

const quotes = lessons.flatMap((lesson) => (QUOTES[lesson.name] ?? []).map((quote) => ({ lesson, quote })));

test.each(quotes)('$lesson.name: $quote.0 is what its table says', ({ lesson, quote }) => {
  expect(judgeQuote(lesson, quote, readProse(lesson))).not.toContain(false);
});

test('a changed digit is found, in each figure', () => {
  for (const { lesson, quote } of quotes) {
    const prose = readProse(lesson);
    const { indices } = /** @type {{ indices: [number, number][] }} */ (new RegExp(quote[0], 'd').exec(prose));
    const places = indices.slice(1);
    for (const [index, [from, to]] of places.entries()) {
      const figure = prose.slice(from, to);
      const last = figure.slice(-1);
      const other = /\d/.test(last) ? `${figure.slice(0, -1)}${(Number(last) + 1) % 10}` : 'ten';
      const changed = `${prose.slice(0, from)}${other}${prose.slice(to)}`;
      expect({ figure, other, judged: judgeQuote(lesson, quote, changed)[index] }).toMatchObject({ judged: false });
    }
  }
});

test.each(lessons)('each figure of $name is compared with a table, or given', (lesson) => {
  const own = QUOTES[lesson.name] ?? [];
  const prose = own.reduce((text, [pattern]) => text.replace(pattern, ''), readProse(lesson));
  // Not in a command, an address or the number of a lesson.
  const figures = prose
    .replaceAll(/`[^`]*`|<http[^>]*>|\]\([^)]*\)|pool-lab [^.,:]*|[Ll]essons? \d+(?: (?:and|to) \d+)?/g, '')
    .match(/\d[\d,.]*\d|\d/g);
  const given = GIVEN[lesson.name].split(' ');
  expect((figures ?? []).filter((figure) => !given.includes(figure))).toEqual([]);
});

describe('the tables of the lessons', () => {
  test.each([
    ['01-what-a-pool-is', { app: '01' }],
    ['04-predict-then-reveal', { runs: ['quiet 04'], guess: 14 }],
  ])('%s quotes what its check says', async (name, sample) => {
    const { words, figures = [] } = await checkSample(name, sample);
    const said = [...figures.map((figure) => figure.join(' ')), `Right. ${words}`].join(' ');
    const lesson = /** @type {Lesson} */ (lessons.find((one) => one.name === name));
    for (const table of readTables(lesson)) expect(said).toContain(table.replaceAll(/\s+/g, ' ').trim());
  });

  test('03-find-the-knee shows columns of two saved runs', () => {
    const lesson = /** @type {Lesson} */ (lessons.find(({ name }) => name === '03-find-the-knee'));
    const rows = readTables(lesson).flatMap((table) => table.match(/^ +\d.+$/gm) ?? []);
    const cells = ['quiet 03a', 'quiet 03b'].flatMap((name) => printLines(name).map((line) => line.trim().split(/ +/)));
    expect(rows).toHaveLength(6);
    for (const [pool, ...slowest] of rows.map((row) => row.trim().split(/ +/))) {
      // The sizes of the second run have no published figure.
      const shown = slowest.filter((cell) => cell !== '–');
      expect(cells.find(([first]) => first === pool)?.slice(-1 - shown.length, -1)).toEqual(shown);
    }
  });

  test('10-one-client-or-several shows a saved run', () => {
    const lesson = /** @type {Lesson} */ (lessons.find(({ name }) => name === '10-one-client-or-several'));
    for (const line of readTables(lesson)[0].trimEnd().split('\n')) expect(printLines('quiet 10')).toContain(line);
  });

  test.each(Object.entries(SHOWN))('%s shows saved runs', (name, runs) => {
    const lesson = /** @type {Lesson} */ (lessons.find((one) => one.name === name));
    const printed = runs.flatMap(printLines);
    for (const line of readTables(lesson).flatMap((table) => table.split('\n'))) expect(printed).toContain(line);
  });
});

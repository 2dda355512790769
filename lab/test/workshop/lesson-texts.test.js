import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { scratchFolder } from 'test-support/cleanup.js';
import { findLesson, readLessons } from '../../workshop/lessons.js';
import { insertContents, insertGoals, renderAnswerKeys } from '../../workshop/list-view.js';
import { renderMarkdown } from '../../workshop/markdown.js';
import { commandsOf } from '../../../test/support/commands-of.js';
import { labs } from '../../labs/index.js';
import { renderTable } from '../../report/table.js';
import { checkSample } from '../support/check-lesson.js';
import { savedRun } from '../support/saved-runs.js';
import { GIVEN, QUOTES } from './quoted-figures.js';
import { parseAppUrl } from '../../cli/running-app.js';
import { gatherEvidence, readResults } from '../../cli/evidence.js';
import { createSampleResult } from '../report/sample-result.js';
import { scoreGuess, scoreVerdict } from '../../workshop/judge-task.js';

/** @import { Lesson } from '../../workshop/lesson-types.js' */
/** @import { Quote } from './quoted-figures.js' */

const lessons = await readLessons();

describe('the texts', () => {
  const names = lessons.map(({ name }) => name);

  test('the lessons are numbered from 1', () => {
    expect(names.map((name) => Number(name.slice(0, 2)))).toEqual(names.map((_, index) => index + 1));
  });

  test('the table of contents lists them all: scripts/write-docs.js writes it', async () => {
    const page = await readFile('lessons/README.md', 'utf8');
    expect(page).toBe(insertContents(page, lessons));
    expect(page.match(/^\| \[\d+\. .+README\.md\) \| \d+ \|$/gm)).toHaveLength(lessons.length);
    expect(() => insertContents('# Title\n', lessons)).toThrow('<!-- lessons -->');
  });

  test('the teaching page has their goals, and which of them give points without a laptop', async () => {
    const page = await readFile('lessons/teaching.md', 'utf8');
    expect(page).toBe(insertGoals(page, lessons));
    const numbers = [...page.matchAll(/^\| (\d+)\. .+ \| yes \|$/gm)].map(([, number]) => Number(number));
    expect(numbers).toEqual([1, 2, 3, 4, 5, 6, 8, 12, 15]);
    for (const { goal } of lessons) expect(goal).toMatch(/^[a-z][^.]*[^.]$/);
  });

  test.each(lessons)('$name has all parts and fits a terminal', ({ text, title, name, case: ownCase }) => {
    expect(text.startsWith(`# ${title}\n`)).toBe(true);
    expect([...text.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading)).toEqual([
      'The question',
      'Do it',
      'What you should see',
      'Check yourself',
      'Why',
      'A twist',
      ...(ownCase ? ['Find out'] : []),
    ]);
    expect(commandsOf(text).at(-1)).toContain(`npx pool-lab workshop verify ${name}`);
    // Commands are not wrapped, so that they can be copied.
    const prose = renderMarkdown(text.replaceAll(/^```sh\n.+?^```/gms, ''));
    expect(prose.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });

  /** How long the commands of each lesson take on 2 cores, in s. Lesson 9 has something to watch as well. */
  const RUN_SECONDS = [25, 27, 55, 18, 27, 22, 14, 65, 90, 50, 30, 45, 100, 12, 75, 120];
  /** Pace of somebody who reads a language that is not their own, and thinks. */
  const WORDS_PER_MINUTE = 150;
  /** Time to guess, to type and to check. */
  const REST_MINUTES = 1;

  test.each(lessons.map((lesson, index) => ({ ...lesson, seconds: RUN_SECONDS[index] })))(
    'the minutes of $name are those of reading it and of its commands',
    ({ text, minutes, seconds }) => {
      const [prose] = text.replaceAll(/^```.*?^```/gms, '').split('## A twist');
      const needed = prose.split(/\s+/).length / WORDS_PER_MINUTE + seconds / 60 + REST_MINUTES;
      expect(Math.abs(minutes - needed)).toBeLessThanOrEqual(1);
    },
  );

  test.each(lessons.filter(({ lab, asks, guess }) => lab && (asks || guess)))(
    '$name shows results only after its question',
    ({ text }) => {
      expect(text.slice(0, text.indexOf('## Check yourself'))).not.toMatch(/^```text$/m);
    },
  );

  test('every lesson has three hints, and every third one a puzzle with hints of its own', () => {
    for (const [index, { hints, puzzle }] of lessons.entries()) {
      expect(hints).toHaveLength(3);
      expect(Boolean(puzzle)).toBe((index + 1) % 3 === 0);
      if (puzzle) expect(puzzle.hints).toHaveLength(3);
    }
  });

  test('every lesson that measures asks for a guess, before its first command that measures', () => {
    for (const { name, lab, app, guess, text } of lessons) {
      expect({ name, asks: Boolean(guess) }).toEqual({ name, asks: Boolean(lab ?? app) });
      if (guess) expect(commandsOf(text)[0]).toMatch(new RegExp(`^npx pool-lab workshop guess ${name} [0-9.]+$`));
    }
  });

  test('every guess has its reason, in one sentence', () => {
    for (const { guess } of lessons) if (guess) expect(guess.why).toMatch(/^[A-Z][^?]*[^.]\.$/);
  });

  test('every question can be answered from its own words', () => {
    const questions = lessons.flatMap(({ name, guess }) => (guess ? [{ name, text: guess.question }] : []));
    for (const { name, text } of questions) {
      const givens = {
        bus: !/\bbus(es)?\b/.test(text) || /bus(es)?\b[^.]*\b5 s\b|Each takes 5 s/.test(text),
        Ferrari: !/Ferrari take/.test(text) || /Ferrari, which takes 2 ms/.test(text),
        arrivals: !/[Ff]ive (users|buses)/.test(text) || /one second apart/.test(text),
        number: /\d|one|five|hundred/.test(text),
        remedies:
          !/[Ss]ix remedies/.test(text) ||
          /of 1, of 20 or of 100, a second client.+, a limit on .+, and a limit on/.test(text),
      };
      expect({ name, text, ...givens }).toMatchObject({
        bus: true,
        Ferrari: true,
        arrivals: true,
        number: true,
        remedies: true,
      });
    }
  });

  test('every twist and puzzle says how it is checked', () => {
    for (const { text, puzzle, twist } of lessons) {
      const [, ending] = text.split('## A twist');
      expect(ending.replaceAll(/\s+/g, ' ')).toMatch(/npx pool-lab workshop verify \d+ --twist/);
      expect({ text, asks: /verify \d+ --twist[^`]* --answer N/.test(ending) }).toEqual({
        text,
        asks: Boolean(twist.asks),
      });
      if (puzzle) expect(ending.replaceAll(/\s+/g, ' ')).toContain('npx pool-lab workshop puzzle');
    }
  });

  test('the answer keys are those of the lessons', async () => {
    expect(await readFile('lessons/answers.md', 'utf8')).toBe(renderAnswerKeys(lessons));
  });

  describe('Markdown in a terminal', () => {
    test('prose is wrapped', () => {
      const text = '# A *long* title\n\none two\nthree four';
      expect(renderMarkdown(text, { width: 11 })).toBe('A long\ntitle\n\none two\nthree four');
    });

    test('commands are indented but not wrapped, output is unchanged', () => {
      const text = '```sh\nnpx pool-lab run mixed\n```\n\n```text\n pool  max\n```';
      expect(renderMarkdown(text, { width: 10 })).toBe('    npx pool-lab run mixed\n\n pool  max');
    });

    test('lists are indented, and numbered lists keep their numbers', () => {
      expect(renderMarkdown('- one two\n- three', { width: 7 })).toBe('- one\n  two\n- three');
      expect(renderMarkdown('3. one\n4. two')).toBe('3. one\n4. two');
    });

    test('tables have columns, links show their text, entities are decoded', () => {
      const table = '| a | b |\n| --- | --- |\n| one & 1 | `< 2` |';
      expect(renderMarkdown(table)).toBe('a       b\n─────── ───\none & 1 < 2');
      expect(renderMarkdown('[there](x.md), <http://127.0.0.1/>')).toBe('there, http://127.0.0.1/');
    });

    test('quotes are marked', () => {
      expect(renderMarkdown('> well\n> said')).toBe('| well said');
    });

    test('highlighting takes no columns', () => {
      const paint = (/** @type {string} */ _, /** @type {string} */ text) => `\u001b[1m${text}\u001b[22m`;
      expect(renderMarkdown('**one** two', { width: 7, paint })).toBe('\u001b[1mone\u001b[22m two');
    });
  });
});

describe('the figures in the lessons', () => {
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

  /**
   * The cells of the row of a table that begins with a name, after that name.
   * @param {Lesson} lesson
   * @param {string} name
   */
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
      const cells = ['quiet 03a', 'quiet 03b'].flatMap((name) =>
        printLines(name).map((line) => line.trim().split(/ +/)),
      );
      expect(rows).toHaveLength(6);
      for (const [pool, ...slowest] of rows.map((row) => row.trim().split(/ +/))) {
        // The sizes of the second run have no published figure.
        const shown = slowest.filter((cell) => cell !== '–');
        expect(cells.find(([first]) => first === pool)?.slice(-1 - shown.length, -1)).toEqual(shown);
      }
    });

    test('16-replication shows figures of a saved run', () => {
      const lesson = /** @type {Lesson} */ (lessons.find(({ name }) => name === '16-replication'));
      const rows = savedRun('quiet 16').variants.map((/** @type {any} */ { settings, measured }) => [
        String(settings.workers),
        measured.ratePerSec.toFixed(0),
        measured.opsPerBatch.toFixed(1),
      ]);
      const [table] = readTables(lesson);
      expect(table.match(/^ +\d.+$/gm)?.map((row) => row.trim().split(/ +/))).toEqual(rows);
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
});

describe('evidence', () => {
  test.each([-1, 5.5])('%d is not a count', async (answer) => {
    const evidence = gatherEvidence(
      findLesson(lessons, '14'),
      { lessons: {} },
      { results: '', app: parseAppUrl('--app', 'http://127.0.0.1:1'), answer },
    );
    await expect(evidence).rejects.toThrow(
      `--answer ${answer} must be a whole number of at least 0. With 400 instances, how large`,
    );
  });

  test('results name their file, newest first, without those of an old driver', async () => {
    const folder = await scratchFolder();
    const files = ['first', 'second', 'old'].map((name) => path.join(folder, name, 'mixed.json'));
    for (const [index, file] of files.entries()) {
      await mkdir(path.dirname(file));
      const settings = { driver: index === 2 ? '3' : '7' };
      const result = { ...createSampleResult({ startedAt: `2026-11-2${index}T14:22:05.120Z` }), settings };
      await writeFile(file, JSON.stringify(result));
    }
    expect((await readResults(folder, 'mixed')).map(({ file }) => file)).toEqual(files.slice(0, 2).toReversed());
  });

  test.each([
    [20, 20, 3],
    [18.2, 20, 3],
    [22, 20, 3],
    [22.5, 20, 2],
    [13.4, 20, 2],
    [30.5, 20, 1],
    [60, 20, 1],
    [61, 20, 0],
    [6, 20, 0],
    [0, 0, 3],
    [0, 5, 0],
    [-5, 5, 0],
    [-5, -5, 3],
  ])('a guess of %s for %s gets %i points', (guess, truth, points) => {
    expect(scoreGuess(guess, truth)).toBe(points);
  });

  test('only a guess before the measurement counts, and only where something was measured', () => {
    const task = /** @type {any} */ ({ guess: { unit: 'seconds' } });
    const guess = { value: 18, at: '2026-11-20T12:00:00.000Z' };
    const verdict = (/** @type {string} */ startedAt) => ({
      isRight: true,
      words: '',
      truth: 20.04,
      runs: [/** @type {any} */ ({ startedAt })],
    });
    expect(scoreVerdict(task, guess, verdict('2026-11-20T12:00:01.000Z'))).toEqual({
      points: 2,
      words: '2 of 3 points: you guessed 18, and it was 20 seconds.',
    });
    expect(scoreVerdict(task, guess, verdict('2026-11-20T11:00:00.000Z'))).toMatchObject({
      points: 0,
      words: expect.stringMatching(/after/),
    });
    expect(scoreVerdict(task, undefined, verdict('2026-11-20T12:00:01.000Z'))).toBeUndefined();
    expect(scoreVerdict(task, guess, { isRight: true, words: '' })).toBeUndefined();
  });
});

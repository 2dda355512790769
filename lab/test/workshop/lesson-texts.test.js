import { readFile } from 'node:fs/promises';
import { describe, expect, test } from '@jest/globals';
import { readLessons } from '../../workshop/lessons.js';
import { insertContents, renderAnswerKeys } from '../../workshop/list-view.js';
import { renderMarkdown } from '../../workshop/markdown.js';
import { commandsOf } from '../../../test/support/commands-of.js';

const lessons = await readLessons();
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
const RUN_SECONDS = [25, 27, 55, 18, 27, 22, 14, 65, 90, 50, 30, 45, 20, 12, 75];
/** Of somebody who reads a language that is not their own, and thinks. */
const WORDS_PER_MINUTE = 150;
/** To guess, to type and to check. */
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

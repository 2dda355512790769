import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { readLessons } from '../../src/workshop/lessons.js';
import { renderAnswerKeys } from '../../src/workshop/answer-keys.js';
import { renderMarkdown } from '../../src/workshop/markdown.js';
import { commandsOf } from '../support/commands-of.js';

const lessons = await readLessons();
const names = lessons.map(({ name }) => name);

test('the lessons are numbered from 1', () => {
  expect(names.map((name) => Number(name.slice(0, 2)))).toEqual(names.map((_, index) => index + 1));
});

test('the table of contents lists them all', async () => {
  const page = await readFile('lessons/README.md', 'utf8');
  const rows = lessons.map(({ name, title, minutes }, index) => (
    `| [${index + 1}. ${title}](${name}/README.md) | ${minutes} |`));
  expect(page).toContain(rows.join('\n'));
});

test.each(lessons)('$name has all parts and fits a terminal', ({ text, title, name, minutes }) => {
  expect(text.startsWith(`# ${title}\n`)).toBe(true);
  expect([...text.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading)).toEqual(
    ['The question', 'Do it', 'What you should see', 'Check yourself', 'Why', 'A twist']);
  expect(commandsOf(text).at(-1)).toContain(`npx pool-lab workshop verify ${name}`);
  expect(minutes).toBeGreaterThanOrEqual(5);
  expect(minutes).toBeLessThanOrEqual(15);
  // Commands are not wrapped, so that they can be copied.
  const prose = renderMarkdown(text.replaceAll(/^```sh\n.+?^```/gms, ''));
  expect(prose.split('\n').filter((line) => line.length > 80)).toEqual([]);
});

test.each(lessons.filter(({ lab, asks, guess }) => lab && (asks || guess)))(
  '$name shows results only after its question', ({ text }) => {
    expect(text.slice(0, text.indexOf('## Check yourself'))).not.toMatch(/^```text$/m);
  });

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

test('every twist and puzzle says how it is checked', () => {
  for (const { text, puzzle, twist } of lessons) {
    const [, ending] = text.split('## A twist');
    expect(ending.replaceAll(/\s+/g, ' ')).toMatch(/npx pool-lab workshop verify \d+ --twist/);
    expect({ text, asks: /verify \d+ --twist[^`]* --answer N/.test(ending) }).toEqual({ text, asks: Boolean(twist.asks) });
    if (puzzle) expect(ending.replaceAll(/\s+/g, ' ')).toContain('npx pool-lab workshop puzzle');
  }
});

test('the answer keys are those of the lessons', async () => {
  expect(await readFile('lessons/answers.md', 'utf8')).toBe(renderAnswerKeys(lessons));
});

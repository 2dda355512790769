import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { readLessons } from '../../src/workshop/lessons.js';
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

import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { scratchFolder } from 'test-support/cleanup.js';
import { runNode } from 'test-support/processes.js';
import { createProgram } from '../../lab/cli/program.js';

/** @import { Command } from 'commander' */

const FOLDER = 'docs/experiments';
const pages = await Promise.all(
  (await readdir(FOLDER))
    .filter((name) => name !== 'README.md')
    .map(async (name) => ({ name, text: await readFile(path.join(FOLDER, name), 'utf8') })),
);
const rows = pages.flatMap(({ text }) =>
  [...text.matchAll(/^\| \w+ \| .+ \|$/gm)].map(([line]) =>
    line.split(' | ').map((cell) => cell.replaceAll(/^\| | \|$/g, '')),
  ),
);

test('the pages are those of the data: if not, run scripts/write-experiments.js', async () => {
  expect(await runNode(['scripts/write-experiments.js', '--check'])).toMatchObject({ code: 0, stderr: '' });
});

test('a page that is out of date is named', async () => {
  const folder = await scratchFolder();
  await cp('docs', folder, { recursive: true });
  await writeFile(path.join(folder, 'experiments', 'mixed.md'), 'as it was');
  const { code, stderr } = await runNode(['scripts/write-experiments.js', '--check', folder]);
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('Out of date: mixed.md.') });
});

test('what is not there, or not all of it, has a reason', () => {
  expect(rows.length).toBeGreaterThan(90);
  for (const row of rows) expect(row).toHaveLength(5);
  const incomplete = rows.filter(([, , , , covered]) => covered !== 'y');
  expect(incomplete.filter(([, , , why]) => why.trim() === '')).toEqual([]);
  expect(rows.length - incomplete.length).toBeGreaterThanOrEqual(80);
});

/** @param {Command} command @returns {string[]} its options, and those of its commands */
function listOptions(command) {
  return [...command.options.map(({ long }) => String(long)), ...command.commands.flatMap(listOptions)];
}

test.each(pages)('$name names options that there are', async ({ name, text }) => {
  const program = await createProgram();
  const known = listOptions(program);
  const lab = program.commands
    .find((command) => command.name() === 'run')
    ?.commands.find((command) => command.name() === path.parse(name).name);
  const code = [...text.matchAll(/`([^`]+)`/g)].map(([, words]) => words);
  const flagsIn = (/** @type {string[]} */ texts) => texts.flatMap((one) => one.match(/(?<=^| )--[a-z-]+/g) ?? []);
  expect(flagsIn(code.filter((words) => !words.startsWith('node '))).filter((flag) => !known.includes(flag))).toEqual(
    [],
  );
  const own = flagsIn(code.filter((words) => words.startsWith('--')));
  expect(own.filter((flag) => lab && !listOptions(lab).includes(flag))).toEqual([]);
});

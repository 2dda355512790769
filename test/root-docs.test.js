import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, readdir } from 'node:fs/promises';
import { promisify } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { createProgram } from '../src/cli/program.js';
import { commandsOf } from './support/commands-of.js';

/** @import { Command } from 'commander' */

const readme = await readFile('README.md', 'utf8');
const { scripts } = JSON.parse(await readFile('package.json', 'utf8'));
/** It may name old paths. */
const CHANGELOG = 'CHANGELOG.md';
const PAGES = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', CHANGELOG];

describe.each(PAGES)('%s', (file) => {
  test('links lead to files that exist', async () => {
    const text = await readFile(file, 'utf8');
    const links = [...text.matchAll(/\]\(([^)#:]+)\)|(?:src|srcset)="([^":]+)"/g)].map(([, link, source]) => link ?? source);
    expect(links.filter((link) => !existsSync(link))).toEqual([]);
  });
});

test('the README names the scripts of package.json, and no others', () => {
  const named = [...readme.matchAll(/npm (?:run )?([a-z:]+)/g)].map(([, name]) => name).filter((name) => name !== 'install');
  expect([...new Set(named)].toSorted()).toEqual(Object.keys(scripts).toSorted());
});

/** @param {Command} command */
function doNothing(command) {
  command.action(() => {});
  command.commands.forEach(doNothing);
}

// readme.long.test.js runs them.
test.each(commandsOf(readme).filter((command) => command.startsWith('npx pool-lab')))('%s is understood', async (command) => {
  const program = await createProgram();
  program.commands.forEach(doNothing);
  const words = command.match(/'[^']*'|\S+/g) ?? [];
  await program.parseAsync(words.slice(2).map((word) => word.replaceAll("'", '')), { from: 'user' });
});

test('the README links every package', async () => {
  for (const folder of await readdir('packages')) {
    const { name } = JSON.parse(await readFile(`packages/${folder}/package.json`, 'utf8'));
    expect(readme).toContain(`[${name}](packages/${folder}/README.md)`);
  }
});

test('the house in CONTRIBUTING.md has every room of src/, and no other', async () => {
  const [, house] = (await readFile('CONTRIBUTING.md', 'utf8')).match(/^```\n(.+?)^```/ms) ?? [];
  const [, rooms] = house.match(/^src\/.*\n((?: .+\n)+)/m) ?? [];
  const named = [...rooms.matchAll(/^ +(?:.+, )?([\w-]+)\//gm)].map(([, room]) => room);
  const folders = (await readdir('src', { withFileTypes: true })).filter((entry) => entry.isDirectory());
  expect(named.toSorted()).toEqual(folders.map(({ name }) => name).toSorted());
});

test.each(PAGES.filter((page) => page !== CHANGELOG))('paths in %s exist', async (page) => {
  const text = await readFile(page, 'utf8');
  const paths = [...text.matchAll(/`((?:src|test|scripts|docs|deploy|examples|loadtests|packages)\/[\w./-]+)`/g)].map(([, found]) => found);
  expect(paths.filter((found) => !existsSync(found) && !found.includes('NAME') && !found.includes('pings'))).toEqual([]);
});

test('npx finds the command', async () => {
  const { stdout } = await promisify(execFile)('npx pool-lab list', { shell: true });
  expect(stdout).toMatch(/^mixed: /m);
});

test('.ci/run runs every check, and the workflow runs .ci/run', async () => {
  const [ci, workflow] = await Promise.all(['.ci/run', '.github/workflows/ci.yml'].map((file) => readFile(file, 'utf8')));
  for (const command of ['npm test', 'npm run test:long', 'npm run lint', 'npm run typecheck', 'npm run demo']) {
    expect(ci).toContain(`\n${command}`);
  }
  expect(workflow).toContain('- run: .ci/run\n');
});

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { createProgram } from '../src/cli/program.js';
import { commandsOf } from './support/commands-of.js';

/** @import { Command } from 'commander' */

const readme = await readFile('README.md', 'utf8');
const { scripts } = JSON.parse(await readFile('package.json', 'utf8'));

describe.each(['README.md', 'CONTRIBUTING.md', 'SECURITY.md'])('%s', (file) => {
  test('links lead to files that are there', async () => {
    const text = await readFile(file, 'utf8');
    const links = [...text.matchAll(/\]\(([^)#:]+)\)|(?:src|srcset)="([^":]+)"/g)].map(([, link, source]) => link ?? source);
    expect(links.filter((link) => !existsSync(link))).toEqual([]);
  });
});

test('every script of package.json is in the README, and no other', () => {
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

test('npx finds the command', async () => {
  const { stdout } = await promisify(execFile)('npx pool-lab list', { shell: true });
  expect(stdout).toMatch(/^mixed: /m);
});

test('.ci/run does all that is checked, and the workflow runs it', async () => {
  const [ci, workflow] = await Promise.all(['.ci/run', '.github/workflows/ci.yml'].map((file) => readFile(file, 'utf8')));
  for (const command of ['npm test', 'npm run test:long', 'npm run lint', 'npm run typecheck', 'npm run demo']) {
    expect(ci).toContain(`\n${command}`);
  }
  expect(workflow).toContain('- run: .ci/run\n');
});

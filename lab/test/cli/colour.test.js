import { exec, execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';

const run = promisify(execFile);
const COMMAND = `${process.execPath} lab/cli.js predict loadtests/mixed.yaml --service /slow=50 --service /fast=2 --pool-sizes 1..3`;
/** What else Node.js asks for colours: in CI, a terminal has none. */
const PLAIN = { CI: '', NO_COLOR: '', FORCE_COLOR: '', NODE_DISABLE_COLORS: '', TERM: 'xterm-256color' };
/** Gives a command a terminal. */
const SCRIPT = '/usr/bin/script';

const withTerminal = process.platform === 'linux' && existsSync(SCRIPT) ? test : test.skip;
withTerminal.each([
  ['a terminal has colours', {}, true],
  ['NO_COLOR turns them off', { NO_COLOR: '1' }, false],
  ['TERM=dumb turns them off', { TERM: 'dumb' }, false],
])('%s', async (_, changes, hasColours) => {
  const env = Object.fromEntries(Object.entries({ ...process.env, ...PLAIN, ...changes }).filter(([, value]) => value));
  const { stdout } = await run(SCRIPT, ['-qec', COMMAND, '/dev/null'], { env });
  expect(stdout).toMatch(/^pool /m);
  // eslint-disable-next-line no-control-regex
  expect(/\u001b\[\d+m/.test(stdout)).toBe(hasColours);
});

test('a pipe has no colours', async () => {
  const { stdout } = await promisify(exec)(COMMAND, { env: { ...process.env, TERM: 'xterm-256color' } });
  expect(stdout).toMatch(/^pool /m);
  expect(stdout).not.toContain('\u001b');
});

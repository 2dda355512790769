import { expect, test } from '@jest/globals';
import { runCli } from '../support/run-cli.js';

const SOURCE = 'mongodb://user:hunter2@127.0.0.1:1/?serverSelectionTimeoutMS=100';
const TARGET = 'mongodb://user:hunter2@127.0.0.1:2/?serverSelectionTimeoutMS=100';

test.each([
  [[], "error: required option '--source <url>' not specified"],
  [['--source', SOURCE], "error: required option '--target <url>' not specified"],
  [['--source', 'user:hunter2@host', '--target', TARGET], '--source must be a URL that starts with mongodb:// or mongodb+srv://'],
  [['--source', SOURCE, '--target', ''], '--target must be a URL that starts with mongodb:// or mongodb+srv://'],
  [['--source', SOURCE, '--target', TARGET, '--include', 'local'],
    "error: option '--include <name>' argument 'local' is invalid. The databases admin, config, local, pool_lab_replication are never"],
  [['--source', SOURCE, '--target', TARGET, '--exclude', ''], "error: option '--exclude <name>' argument '' is invalid. It is empty."],
  [['--source', SOURCE, '--target', TARGET, '--workers', '0'], "error: option '--workers <n>' argument '0' is invalid."],
  [['--source', SOURCE, '--target', TARGET, '--verify', '--until-caught-up'], "--verify only compares, so it can't be used with"],
  [['--source', SOURCE, '--target', TARGET], 'the source 127.0.0.1:1: no MongoDB was found within 100 ms: '],
])('%j is refused', async (args, message) => {
  const { code, stdout, stderr } = await runCli(['replicate', ...args]);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toContain(message);
  expect(stderr).not.toContain('hunter2');
});

test('what cannot be compared has an exit code of its own', async () => {
  const { code, stderr } = await runCli(['replicate', '--source', SOURCE, '--target', TARGET, '--verify']);
  expect(code).toBe(2);
  expect(stderr).toContain('the source 127.0.0.1:1: no MongoDB was found within 100 ms');
});

test('the help has the exit codes', async () => {
  const { stdout } = await runCli(['replicate', '--help']);
  expect(stdout.replaceAll('\n', ' ')).toContain('With --verify: 0 identical, 1 different, 2 not compared.');
});

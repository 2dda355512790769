import { expect, test } from '@jest/globals';
import { parseUpTo } from '../../src/cli/option-parsers.js';
import { runCli } from '../support/run-cli.js';

test('a number has a maximum', () => {
  expect(parseUpTo(7)('7')).toBe(7);
  expect(() => parseUpTo(7)('8')).toThrow('It must be a whole number from 1 to 7.');
});

const TRACE = ['--trace', 'never-read.jsonl'];
test.concurrent.each([
  ['--headroom', '101', ['advise', ...TRACE, '--slo', '/a max < 1s'], 'It must be a number from 1 to 100, such as 1.3.'],
  ['--seeds', '10001', ['predict', ...TRACE], 'It must be a whole number from 1 to 10000.'],
  ['--workers', '1025', ['predict', ...TRACE], 'It must be a whole number from 1 to 1024.'],
  ['--repeat', '1001', ['run', 'mixed'], 'It must be a whole number from 1 to 1000.'],
  ['--every', '2147483648', ['record', '--url', 'http://127.0.0.1:1', '--out', 'never'], 'It must be a whole number from 1 to 2147483647.'],
  ['--seconds', '2147484', ['record', '--url', 'http://127.0.0.1:1', '--out', 'never'], 'It must be a whole number from 1 to 2147483.'],
])('%s %s is too large', async (option, value, args, message) => {
  const { code, stdout, stderr } = await runCli([...args, option, value]);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(new RegExp(`^error: option '${option} <\\S+>' argument '${value}' is invalid. ${message}`));
});

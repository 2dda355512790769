import { expect, test } from '@jest/globals';
import { parseUpTo } from '../../cli/option-parsers.js';
import { scratchFolder } from 'test-support/cleanup.js';
import { expectRefused } from '../support/run-cli.js';

test('a number has a maximum', () => {
  expect(parseUpTo(7)('7')).toBe(7);
  expect(() => parseUpTo(7)('8')).toThrow('It must be a whole number from 1 to 7.');
});

const TRACE = ['--trace', 'never-read.jsonl'];
test.concurrent.each([
  [
    '--headroom',
    '101',
    ['advise', ...TRACE, '--slo', '/a max < 1s'],
    'It must be a number from 1 to 100, such as 1.3.',
  ],
  ['--seeds', '10001', ['predict', ...TRACE], 'It must be a whole number from 1 to 10000.'],
  ['--workers', '1025', ['predict', ...TRACE], 'It must be a whole number from 1 to 1024.'],
  ['--repeat', '1001', ['run', 'mixed'], 'It must be a whole number from 1 to 1000.'],
  [
    '--every',
    '2147483648',
    ['record', '--url', 'http://127.0.0.1:1', '--out', 'never'],
    'It must be a whole number from 1 to 2147483647.',
  ],
  [
    '--seconds',
    '2147484',
    ['record', '--url', 'http://127.0.0.1:1', '--out', 'never'],
    'It must be a whole number from 1 to 2147483.',
  ],
])('%s %s is too large', async (option, value, args, message) => {
  await expectRefused(
    [...args, option, value],
    new RegExp(`^error: option '${option} <\\S+>' argument '${value}' is invalid. ${message}`),
  );
});

const APP = ['--', 'node', 'app.js'];

test.each([
  [
    ['sweep', '--pool-sizes', '1', 'loadtests/mixed.yaml'],
    /^Which app\? Put the command that starts it last, as in -- node app\.js/,
  ],
  [['sweep', 'loadtests/mixed.yaml', ...APP], /required option '--pool-sizes/],
  [['sweep', '--pool-sizes', '0', ...APP], /--pool-sizes <list>' argument '0' is invalid/],
  [['sweep', '--pool-sizes', '1', ...APP], /Which load\? Give either an Artillery scenario or --load COMMAND/],
  [['sweep', '--pool-sizes', '1', 'loadtests/mixed.yaml', '--load', 'k6 run x.js', ...APP], /Which load\?/],
  [['sweep', 'a.yaml', 'b.yaml', '--pool-sizes', '1', ...APP], /Give one scenario, and no b\.yaml/],
  [['sweep', '--pool-sizes', '1', 'missing.yaml', ...APP], /missing\.yaml can't be read/],
  [['sweep', '--pool-sizes', '1', '--load', ' ', ...APP], /It is empty/],
  [['sweep', '--pool-sizes', '1', '--target', 'localhost', ...APP], /It must be a URL such as/],
  [['sweep', '--pool-sizes', '1', '--slo', '/fast < 5ms', ...APP], /is not a goal/],
  [['sweep', '--pool-sizes', '1', '--warm-up', '-1', ...APP], /It must be a number from 0 to 3600/],
  [['sweep', '--pool-sizes', '1', '--warm-up-paths', 'fast', ...APP], /Each path begins with \//],
])('%j is refused', async (args, message) => {
  await expectRefused(args, message);
});

const IN_A_FILE = 'package.json/x';

test.each([
  [['run', 'mixed', '--out', IN_A_FILE], '--out'],
  [['sweep', '--pool-sizes', '1', '--load', 'true', '--out', IN_A_FILE, ...APP], '--out'],
  [['predict', 'loadtests/mixed.yaml', '--html', IN_A_FILE], '--html'],
  [['report', 'no-such-result.json', '--out', IN_A_FILE], '--out'],
  [['class', '--out', IN_A_FILE], '--out'],
])('%j is refused before the work', async (args, option) => {
  await expectRefused(
    args,
    new RegExp(`^package.json/x can't be written: not a directory\\. Choose another place with ${option}\n`),
    {
      env: { POOL_LAB_DATA: await scratchFolder() },
    },
  );
});

test.each([
  [['class']],
  [['workshop', 'guess', '1', '9']],
  [['workshop', 'verify', '1']],
  [['workshop', 'watch', '1']],
  [['workshop', 'hint', '1']],
  [['workshop', 'check-all']],
  [['workshop', 'reset']],
  [['workshop', 'leave']],
  [['workshop', 'join', 'ABC234', '--name', 'Ada', '--at', 'http://127.0.0.1:9']],
])('%j needs a folder for its data', async (args) => {
  await expectRefused(
    args,
    /^package.json\/x can't be written: not a directory\. Choose\s+another\s+place\s+with\s+POOL_LAB_DATA\n/,
    {
      env: { POOL_LAB_DATA: IN_A_FILE },
    },
  );
});

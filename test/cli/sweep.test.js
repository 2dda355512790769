import { expect, test } from '@jest/globals';
import { runCli } from '../support/run-cli.js';

const APP = ['--', 'node', 'app.js'];

test.each([
  [['sweep', '--pool-sizes', '1', '--scenario', 'loadtests/mixed.yaml'], /missing required argument 'command'/],
  [['sweep', '--scenario', 'loadtests/mixed.yaml', ...APP], /required option '--pool-sizes/],
  [['sweep', '--pool-sizes', '0', ...APP], /--pool-sizes <list>' argument '0' is invalid/],
  [['sweep', '--pool-sizes', '1', ...APP], /Which load\? Give one of --scenario FILE and --load COMMAND/],
  [['sweep', '--pool-sizes', '1', '--scenario', 'loadtests/mixed.yaml', '--load', 'k6 run x.js', ...APP], /Which load\?/],
  [['sweep', '--pool-sizes', '1', '--scenario', 'missing.yaml', ...APP], /missing\.yaml can't be read/],
  [['sweep', '--pool-sizes', '1', '--load', ' ', ...APP], /It is empty/],
  [['sweep', '--pool-sizes', '1', '--target', 'localhost', ...APP], /It must be a URL such as/],
  [['sweep', '--pool-sizes', '1', '--slo', '/fast < 5ms', ...APP], /is not a goal/],
  [['sweep', '--pool-sizes', '1', '--warm-up', '-1', ...APP], /It must be a number from 0 to 3600/],
  [['sweep', '--pool-sizes', '1', '--warm-up-paths', 'fast', ...APP], /Each path begins with \//],
])('%j is refused', async (args, message) => {
  const { code, stdout, stderr } = await runCli(args);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(message);
  expect(stderr).not.toMatch(/^ +at /m);
});

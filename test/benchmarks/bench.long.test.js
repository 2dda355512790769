import { expect, test } from '@jest/globals';
import { runNode } from '../support/run-node.js';

test('a comparison prints ratios to its peer', async () => {
  const { code, stdout, stderr } = await runNode(['benchmarks/bench.js', '--only', 'monitor', '--runs', '1']);
  expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining('monitor: plain again\n') });
  expect(stdout).toMatch(/'plain' .*'1\.000'.*\n.*'plain again' .*'\d\.\d{3}'.*\n.*'monitor' .*\n.*'monitor and record' .*'\d\.\d{3}'/);
});

test('an unknown part is refused, with those that exist', async () => {
  expect(await runNode(['benchmarks/bench.js', '--only', 'bus'])).toMatchObject({
    code: 1, stdout: '', stderr: '--only bus: there is no such part, only app, db, demo, layers, monitor, waiting\n',
  });
});

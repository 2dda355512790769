import path from 'node:path';
import { expect, test } from '@jest/globals';
import { install } from 'test-support/installations.js';
import { compareWithDriver } from './run-comparison.js';

test('the model of the pool does what the driver does, to the bit, on 100,000 schedules', async () => {
  const { schedules, different, reordered } = await compareWithDriver(['everything'], 100_000, 1001);
  expect({ schedules, different }).toEqual({ schedules: 100_000, different: 0 });
  // The driver sets a timer for a check; a use that ended at the instant of one had its timer set before.
  expect(reordered).toBeLessThanOrEqual(1);
}, 600_000);

// In 3 of 10,000 schedules, drivers before 7.1 differ: an opening ends at the same instant as a use that began with it.
test.each([
  ['6.20', 3],
  ['7.0', 3],
  ['7.1', 0],
  ['7.5', 0],
])(
  'and what driver %s does, but for %i schedules of 10,000',
  async (version, most) => {
    const folder = path.join(await install('drivers'), `mongodb-${version}`);
    const { schedules, different } = await compareWithDriver(['everything'], 10_000, 1, folder);
    process.stdout.write(`driver ${version}: ${different} of ${schedules} schedules differ\n`);
    expect(different).toBeLessThanOrEqual(most);
  },
  300_000,
);

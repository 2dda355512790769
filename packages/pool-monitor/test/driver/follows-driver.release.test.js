import path from 'node:path';
import { expect, test } from '@jest/globals';
import { install } from 'test-support/installations.js';
import { compareWithDriver } from './run-comparison.js';

test.each([
  ['installed', 20_000],
  ['6.20', 4000],
  ['7.0', 4000],
  ['7.1', 4000],
  ['7.5', 4000],
])(
  'the monitor says what is true of the pool of the %s driver, on %i schedules',
  async (version, count) => {
    const folder = version === 'installed' ? undefined : path.join(await install('drivers'), `mongodb-${version}`);
    const { told, untold, first } = await compareWithDriver(count, 1001, folder);
    process.stdout.write(`driver ${version}: ${JSON.stringify({ told, untold })}\n`);
    expect({ different: told.different, first }).toEqual({ different: 0, first: undefined });
    expect(untold.checkoutsWrong).toBeLessThan(untold.checkouts * 0.01);
  },
  300_000,
);

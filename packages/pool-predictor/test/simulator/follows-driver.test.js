import { expect, test } from '@jest/globals';
import { KINDS } from 'test-support/driver-schedules.js';
import { compareWithDriver } from './run-comparison.js';

const OTHERS = Object.keys(KINDS).filter((kind) => kind !== 'everything');

// Each checkout's outcome, connection and time, each event of the pool, in their order, and the connections at the end,
// on the driver's ConnectionPool. A difference is printed with its seed and the smallest schedule that has it.
test.each([
  ['of everything', ['everything'], 1000],
  ['of each other kind', OTHERS, 50],
])('the model of the pool does what the driver does, to the bit, on schedules %s', async (_, kinds, count) => {
  const { schedules, checkouts, ...differences } = await compareWithDriver(kinds, count);
  expect(differences).toEqual({ different: 0, reordered: 0 });
  expect(schedules).toBe(kinds.length * count);
  expect(checkouts).toBeGreaterThan(10 * schedules);
});

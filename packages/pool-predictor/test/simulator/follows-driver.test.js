import { expect, test } from '@jest/globals';
import { KINDS } from './driver-schedules.js';
import { compareWithDriver } from './run-comparison.js';

// Each checkout's outcome, connection and time, and the connections at the end, on the driver's ConnectionPool. A
// difference is printed with its seed and the smallest schedule that has it.
test.each(Object.keys(KINDS).map((kind) => /** @type {const} */ ([kind, kind === 'everything' ? 1000 : 50])))(
  'the model of the pool does what the driver does, to the bit: %s, %i schedules',
  async (kind, count) => {
    const { schedules, checkouts, different, first } = await compareWithDriver(kind, count);
    expect({ different, first }).toEqual({ different: 0, first: undefined });
    expect(schedules).toBe(count);
    expect(checkouts).toBeGreaterThan(10 * schedules);
  },
);

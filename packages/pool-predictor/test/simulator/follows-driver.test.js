import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { runNode } from 'test-support/processes.js';
import { KINDS } from './driver-schedules.js';

const COMPARE = fileURLToPath(new URL('compare-with-driver.js', import.meta.url));

// Each checkout's outcome, connection and time, and the connections at the end, on the driver's ConnectionPool. A
// difference is printed with its seed and the smallest schedule that has it.
test.each(Object.keys(KINDS).map((kind) => [kind, kind === 'everything' ? 1000 : 100]))(
  'the model of the pool does what the driver does, to the bit: %s, %i schedules',
  async (kind, count) => {
    const { code, stdout, stderr } = await runNode([COMPARE, String(kind), String(count)]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const { schedules, checkouts, different, first } = JSON.parse(stdout);
    expect({ different, first }).toEqual({ different: 0, first: undefined });
    expect(schedules).toBe(count);
    expect(checkouts).toBeGreaterThan(10 * schedules);
  },
);

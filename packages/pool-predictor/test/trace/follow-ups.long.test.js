import { describe, expect, test } from '@jest/globals';
import { createTraceLoad } from '../../src/load/trace-load.js';
import { checkClosed, checkOpen, CLOSED, OPEN } from './follow-up-cases.js';
import { GAPS, responseMs, run, TIMES, toTrace, visitors } from './traces.js';

test.each(OPEN)('$gap gaps, $service times, utilisation $utilisation: replayed as they came', checkOpen);

test.each(CLOSED)('callers, $name, recorded at $poolSize: found, and predicted at other sizes', checkClosed);

describe('users who come, send several requests and leave', () => {
  test.each([
    ['chains of three queries', 3, TIMES.steady(0.3)],
    ['five requests, 50 ms apart', 5, TIMES.fixed(50)],
  ])('%s', (name, requests, think) => {
    const arrivals = visitors({
      count: 500,
      gap: (random) => GAPS.poisson(40 * requests, random),
      service: TIMES.exponential(50),
      requests,
      think,
    });
    const load = createTraceLoad(toTrace(run(arrivals, 4), 4));
    expect(load.callers.callersShare).toBeLessThan(0.05);
    expect(load.callers.visitsShare).toBeGreaterThan(0.9);
    expect(Math.abs(load.callers.visits / 500 - 1)).toBeLessThan(0.15);
    for (const size of [2, 3, 4, 8]) {
      const [actualMs, predictedMs] = [run(arrivals, size), run(load.arrivals(1, 1), size)].map((records) =>
        responseMs(records, '/slow', 0.95),
      );
      expect({ size, off: Math.abs(predictedMs / actualMs - 1) < 0.15 || { actualMs, predictedMs } }).toEqual({
        size,
        off: true,
      });
    }
  });
});

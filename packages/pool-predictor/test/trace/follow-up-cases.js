import { expect } from '@jest/globals';
import { createTraceLoad } from '../../src/load/trace-load.js';
import { callers, GAPS, responseMs, run, TIMES, toTrace, visitors } from './traces.js';

/** @import { Arrival } from '../../src/simulator/arrivals.js' */

const SERVICE_MS = 50;

/**
 * Requests that arrive on their own: each kind of gaps and of service times, from an idle pool to one that can't keep
 * up.
 */
export const OPEN = Object.keys(GAPS).flatMap((gap) =>
  ['exponential', 'lognormal', 'steady'].flatMap((service) =>
    [0.3, 0.97, 1.1].map((utilisation) => ({ gap, service, utilisation })),
  ),
);

/**
 * Checks that they are replayed as they came, and not only that: there is no record of sockets.
 * @param {{ gap: string, service: string, utilisation: number }} open
 * @param {number} [count] of requests
 */
export function checkOpen({ gap, service, utilisation }, count = 1000) {
  const poolSize = 4;
  const meanMs = SERVICE_MS / poolSize / utilisation;
  const trace = toTrace(
    run(
      visitors({
        count,
        gap: (random) => GAPS[gap](meanMs, random),
        service: TIMES[service](SERVICE_MS),
      }),
      poolSize,
    ),
    poolSize,
  );
  const load = createTraceLoad(trace);
  expect(load.callers).toMatchObject({ aloneShare: 1, doubt: 'noSockets' });
  expect([...load.arrivals(1, 1)].map(({ atMs, serviceMs }) => [atMs, serviceMs])).toEqual(
    Array.from(trace.checkOutStartedMs, (atMs, index) => [atMs, trace.useMs[index]]),
  );
}

/** By the time until which they come. @type {Record<string, (untilMs: number) => Arrival[]>} */
const CALLERS = {
  '32, no think time, equal queries': (untilMs) =>
    callers({ count: 32, untilMs, service: TIMES.fixed(50), think: TIMES.fixed(0) }),
  '32, 5 ms, equal queries': (untilMs) =>
    callers({ count: 32, untilMs, service: TIMES.fixed(50), think: TIMES.fixed(5) }),
  '32, about 2 ms': (untilMs) => callers({ count: 32, untilMs, service: TIMES.steady(50), think: TIMES.lognormal(2) }),
  '32, 100 ms': (untilMs) => callers({ count: 32, untilMs, service: TIMES.exponential(50), think: TIMES.fixed(100) }),
  '24 slow, 8 fast': (untilMs) => [
    ...callers({ count: 24, untilMs, service: TIMES.steady(50), think: TIMES.lognormal(2) }),
    ...callers({ count: 8, untilMs, service: TIMES.exponential(2), think: TIMES.steady(20), route: '/fast' }),
  ],
  '16, and requests that arrive on their own': (untilMs) => [
    ...callers({ count: 16, untilMs, service: TIMES.steady(50), think: TIMES.lognormal(2) }),
    ...visitors({
      count: 290,
      gap: (random) => GAPS.poisson(40, random),
      service: TIMES.exponential(2),
      route: '/fast',
    }),
  ],
};

/** Callers who wait for their answers, recorded with a small and with a large pool. */
export const CLOSED = Object.keys(CALLERS).flatMap((name) => [4, 16].map((poolSize) => ({ name, poolSize })));

/**
 * Checks that they are found without sockets, and that other sizes are predicted within 15 %. Only requests that arrive
 * on their own leave a doubt: without sockets, nothing rules out that they wait for answers, too.
 *
 * @param {{ name: string, poolSize: number }} closed
 * @param {{ untilMs?: number, sizes?: number[] }} [options] sizes: that are predicted
 */
export function checkClosed({ name, poolSize }, { untilMs = 12_000, sizes = [2, 4, 8, 16] } = {}) {
  const arrivals = CALLERS[name](untilMs);
  const { arrivals: replay, callers: facts } = createTraceLoad(toTrace(run(arrivals, poolSize, untilMs), poolSize));
  const count = arrivals.filter(({ untilMs }) => untilMs).length;
  expect(facts.doubt).toBe(count < arrivals.length ? 'noSockets' : null);
  expect(Math.abs(facts.callers / count - 1)).toBeLessThanOrEqual(0.1);
  for (const size of sizes) {
    const [measured, predicted] = [run(arrivals, size, untilMs), run(replay(1, 1), size)];
    for (const share of [0.5, 0.95]) {
      const [actualMs, predictedMs] = [measured, predicted].map((records) => responseMs(records, '/slow', share));
      expect({ size, share, off: Math.abs(predictedMs / actualMs - 1) < 0.15 || { actualMs, predictedMs } }).toEqual({
        size,
        share,
        off: true,
      });
    }
  }
}

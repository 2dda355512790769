import { describe, expect, test } from '@jest/globals';
import { predict } from '../../src/predict/predict.js';
import { createRandom } from '../../src/simulator/random.js';
import { createTraceLoad } from '../../src/load/trace-load.js';
import { summariseTrace } from '../../src/trace/trace.js';
import { recordDrawn } from '../trace/traces.js';

/**
 * Records what a pool of three does to a few slow queries among many fast ones.
 * @param {{ handoverMs?: number }} [process] handoverMs: mean delay of a handover
 */
function recordTrace({ handoverMs = 0 } = {}) {
  const random = createRandom(11);
  return recordDrawn(2000, 3, () => {
    const isSlow = random.uniform() < 0.05;
    return {
      route: isSlow ? '/slow' : '/fast',
      serviceMs: isSlow ? 400 + 200 * random.uniform() : 2,
      handoverMs: handoverMs * random.exponential(),
      gapMs: 20 * random.exponential(),
    };
  });
}

const trace = recordTrace();

test('a replay at the recorded size gives the recorded waits', async () => {
  const load = createTraceLoad(trace);
  const { variants, seeds } = await predict({ load, services: load.services, poolSizes: [2, 3, 4] });
  const recorded = summariseTrace(trace);
  expect(seeds).toBe(1);
  const [{ predicted: smaller }, { predicted }, { predicted: larger }] = variants;
  expect(predicted).toMatchObject({ requests: 2000, failures: 0 });
  expect(predicted.meanWaitMs).toBeCloseTo(recorded.meanWaitMs, 6);
  for (const route of trace.routes) {
    for (const figure of /** @type {const} */ (['p50Ms', 'p95Ms', 'p99Ms', 'maxMs'])) {
      expect(predicted.routes[route].wait[figure]).toBeCloseTo(recorded.routes[route].wait[figure], 6);
      expect(predicted.routes[route][figure]).toBeCloseTo(recorded.routes[route][figure], 6);
    }
  }
  expect(smaller.meanWaitMs).toBeGreaterThan(2 * recorded.meanWaitMs);
  expect(larger.meanWaitMs).toBeLessThan(recorded.meanWaitMs / 2);
});

test('late handovers by a busy process make waits longer, also in the replay', async () => {
  const slowed = recordTrace({ handoverMs: 5 });
  const load = createTraceLoad(slowed);
  const {
    variants: [{ predicted }],
  } = await predict({ load, services: load.services, poolSizes: [3] });
  const recorded = summariseTrace(slowed);
  expect(recorded.meanWaitMs).toBeGreaterThan(1.1 * summariseTrace(trace).meanWaitMs);
  // In a real process no checkout starts while it is busy. Here some do, so it is not certain whose connection they
  // got.
  expect(predicted.meanWaitMs / recorded.meanWaitMs).toBeCloseTo(1, 2);
  for (const route of slowed.routes) expect(predicted.routes[route].p50Ms).toBeCloseTo(recorded.routes[route].p50Ms, 1);
});

test('rates and service times are those of the trace', async () => {
  const load = createTraceLoad(trace);
  const { load: facts } = await predict({ load, services: load.services, poolSizes: [1] });
  const busy = Array.from(trace.useMs).reduce((sum, ms) => sum + ms) / facts.lastsMs;
  expect(facts.meanActive).toBeCloseTo(busy, 6);
  // The last one's own gap and use are what the two differ by.
  expect(Math.abs(facts.lastsMs / load.durationMs - 1)).toBeLessThan(0.02);
  // Random arrivals have gaps with a squared coefficient of variation of 1.
  const times = Array.from(load.arrivals(1, 1), ({ atMs }) => atMs);
  const gaps = times.slice(1).map((atMs, index) => atMs - times[index]);
  const mean = gaps.reduce((sum, gap) => sum + gap) / gaps.length;
  const scv = gaps.reduce((sum, gap) => sum + (gap / mean - 1) ** 2, 0) / gaps.length;
  expect(scv).toBeGreaterThan(0.8);
  expect(scv).toBeLessThan(1.2);
});

describe('resampled', () => {
  const load = createTraceLoad(trace, { resample: true });

  /** @param {number} seed @param {number} factor */
  const arrivalsOf = (seed, factor) => [...load.arrivals(seed, factor)];

  test('the first run is the trace itself, or the trace sped up', () => {
    expect(arrivalsOf(1, 1).map(({ atMs }) => atMs)).toEqual(trace.checkOutStartedMs);
    expect(arrivalsOf(1, 2)[1999].atMs).toBeCloseTo(trace.checkOutStartedMs[1999] / 2, 6);
  });

  test('every other run is as long, as busy, in order, and different', () => {
    const runs = [2, 3, 4, 5].map((seed) => arrivalsOf(seed, 1));
    expect(new Set(runs.map((run) => run[0].atMs)).size).toBe(4);
    for (const run of runs) {
      expect(Math.abs(run.length / 2000 - 1)).toBeLessThan(0.1);
      expect(run.every(({ atMs }, index) => atMs >= (run[index - 1]?.atMs ?? 0))).toBe(true);
      expect(Number(run.at(-1)?.atMs)).toBeLessThanOrEqual(load.durationMs);
      expect(Number(run.at(-1)?.atMs)).toBeGreaterThan(0.95 * load.durationMs);
    }
  });

  test('a higher factor gives more requests in the same time', () => {
    const run = arrivalsOf(2, 1.5);
    expect(Math.abs(run.length / 3000 - 1)).toBeLessThan(0.1);
    expect(Number(run.at(-1)?.atMs)).toBeLessThanOrEqual(load.durationMs);
  });

  test('is the same with the same seed', () => {
    expect(arrivalsOf(3, 1.3)).toEqual(arrivalsOf(3, 1.3));
  });
});

test('a single checkout is a load too', async () => {
  const load = createTraceLoad({
    header: {},
    routes: ['/a'],
    checkOutStartedMs: [0],
    waitMs: [0],
    useMs: [7],
    routeOf: [0],
    warnings: [],
  });
  const { variants } = await predict({ load, services: load.services, poolSizes: [1] });
  expect(variants[0].predicted).toMatchObject({ requests: 1, maxMs: 7 });
});

import { expect, test } from '@jest/globals';
import { centreBand, summariseRuns, widenBand } from '../../src/runs/run-figures.js';

/** @import { SimulationResult } from '../../src/simulator/simulate.js' */

/**
 * A run whose figures are all a multiple of its number.
 * @param {number} number @param {object} [changes]
 */
const runOf = (number, changes) =>
  /** @type {SimulationResult} */ (
    /** @type {unknown} */ ({
      requests: 10 * number,
      checkouts: 10,
      failures: number,
      maxMs: 100 * number,
      peakActive: number,
      peakWaiting: 2 * number,
      utilisation: number / 100,
      meanWaiting: number,
      durationMs: 1000,
      routes: { '/x': { count: 5 * number, meanMs: number, all: { p99Ms: 7 * number } } },
      ...changes,
    })
  );
/** @param {number} count */
const runs = (count) => Array.from({ length: count }, (_, index) => runOf(index + 1)).reverse();

test('19 runs have a band from the lowest to the highest, and medians and means between them', () => {
  const { low, high, ...middle } = summariseRuns(runs(19));
  const expected = (/** @type {number} */ number) => ({
    requests: 10 * number,
    checkouts: 10,
    failures: number,
    maxMs: 100 * number,
    peakActive: number,
    peakWaiting: 2 * number,
    utilisation: number / 100,
    // Little: callers that wait, times the duration, per checkout.
    meanWaitMs: 100 * number,
    routes: { '/x': { count: 5 * number, meanMs: number, all: { p99Ms: 7 * number } } },
  });
  expect(low).toEqual(expected(1));
  expect(high).toEqual(expected(19));
  expect(middle).toMatchObject({ ...expected(10), utilisation: expect.closeTo(0.1), routes: expect.anything() });
  // A run with more requests of the route weighs more.
  expect(middle.routes['/x']).toMatchObject({ count: 50, meanMs: expect.closeTo(13), all: { p99Ms: 70 } });
});

test('means are means over the checkouts of all runs, not over the runs', () => {
  const { meanWaitMs, utilisation, maxMs } = summariseRuns([runOf(1), runOf(2), runOf(10, { checkouts: 40 })]);
  expect(meanWaitMs).toBeCloseTo((1000 + 2000 + 10_000) / 60);
  expect(utilisation).toBeCloseTo((10 * 0.01 + 10 * 0.02 + 40 * 0.1) / 60);
  expect(maxMs).toBe(200);
});

test('39 runs leave out one at each end; fewer than 19 have no band', () => {
  const { low, high } = summariseRuns(runs(39));
  expect([low?.maxMs, high?.maxMs]).toEqual([200, 3800]);
  expect(summariseRuns(runs(18))).not.toHaveProperty('low');
  expect(summariseRuns(runs(18))).not.toHaveProperty('high');
});

test('a run without requests of a route does not count there', () => {
  const without = runOf(100, { routes: { '/x': { count: 0, meanMs: NaN, all: { p99Ms: NaN } } } });
  const absent = runOf(100, { routes: {} });
  const { routes } = summariseRuns([runOf(3), without, absent]);
  expect(routes['/x']).toMatchObject({ meanMs: 3, all: { p99Ms: 21 } });
  expect(summariseRuns([without, without]).routes['/x'].all.p99Ms).toBeNaN();
});

test('the run that is shown lies in its band, even where it is an outlier', () => {
  const all = runs(19);
  for (const [number, low, high] of [
    [50, 100, 5000],
    [0.5, 50, 1900],
    [5, 100, 1900],
  ]) {
    const figures = centreBand({ all, shown: [runOf(number)] });
    expect([figures.maxMs, figures.low?.maxMs, figures.high?.maxMs]).toEqual([100 * number, low, high]);
  }
  expect(centreBand({ all, shown: all })).toEqual(summariseRuns(all));
  expect(centreBand({ all: runs(3), shown: [runOf(5)] })).toEqual(summariseRuns([runOf(5)]));
});

test('a band is widened at both ends, for times only', () => {
  const figures = summariseRuns(runs(19));
  const { low, high, maxMs } = widenBand(figures, 0.25);
  expect(maxMs).toBe(figures.maxMs);
  expect([low?.maxMs, high?.maxMs]).toEqual([Number(figures.low?.maxMs) / 1.25, Number(figures.high?.maxMs) * 1.25]);
  expect(high?.routes['/x'].all.p99Ms).toBe(Number(figures.high?.routes['/x'].all.p99Ms) * 1.25);
  expect([low?.requests, high?.utilisation]).toEqual([figures.low?.requests, figures.high?.utilisation]);
  expect(widenBand(summariseRuns(runs(18)), 0.25)).not.toHaveProperty('low');
});

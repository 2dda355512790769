import { describe, expect, test } from '@jest/globals';
import { traceText } from 'test-support/trace-text.js';
import { PREDICTION } from '../../src/assumptions/prediction-assumptions.js';
import { checkTrace } from '../../src/predict/check-trace.js';
import { checkRecording, openRecording } from '../../src/predict/recording.js';
import { readTraceText } from '../../src/reading/read-trace.js';
import { findFollowUps } from '../../src/trace/follow-ups.js';
import { pickPool } from '../../src/trace/pick-pool.js';
import { callers, recordDrawn, recordMixed, run, TIMES, toTrace } from '../trace/traces.js';
import { findKnee, findSlowdown, guessBest } from '../../src/predict/size-comparison.js';
import { centreBand, summariseRuns, widenBand } from '../../src/runs/run-figures.js';

/** @import { SimulationResult } from '../../src/simulator/simulate.js' */
/** @import { Trace } from '../../src/trace/trace.js' */

describe('another trace', () => {
  /** @param {{ trace?: Trace, other: Trace, maxPoolSize?: number, widening?: number, firstSeed?: number }} options */
  const check = ({ trace = recordMixed(), maxPoolSize = 2, widening = 0, ...options }) =>
    checkTrace(trace, { pool: { maxPoolSize }, followUps: findFollowUps(trace), widening, ...options });

  test('of another pool size is predicted', async () => {
    const other = recordMixed({ poolSize: 2, seed: 2 });
    const found = await check({ other });
    expect(found).toMatchObject({ poolSize: 2, status: 'holds' });
    expect(found.figures.map(({ kind, route }) => [kind, route])).toEqual([
      ['meanWait', null],
      ['p95', '/fast'],
      ['p95', '/slow'],
    ]);
    expect(found.figures[0].recordedMs).toBeGreaterThan(20);
    // Another first seed gives other bands.
    const again = await check({ other, firstSeed: 1000 });
    expect(again.figures[0].highMs).not.toBe(found.figures[0].highMs);
    const widened = await check({ other, widening: 0.1 });
    const [low, high] = /** @type {const} */ (['lowMs', 'highMs']).map((end) =>
      widened.figures.map((figure, index) => figure[end] / found.figures[index][end]),
    );
    for (const ratio of low) expect(ratio).toBeCloseTo(1 / 1.1);
    for (const ratio of high) expect(ratio).toBeCloseTo(1.1);
  });

  test('may be shorter', async () => {
    const other = recordMixed({ poolSize: 2, seed: 2, count: 400 });
    expect(await check({ other })).toMatchObject({ status: 'holds' });
  });

  test('may be what fewer callers would have measured', async () => {
    const [one, other] = [2, 1].map((poolSize) => {
      const sent = callers({ count: 4, untilMs: 6000, service: TIMES.steady(20), think: TIMES.exponential(40) });
      return toTrace(run(sent, poolSize, 6000), poolSize);
    });
    const found = await check({ trace: one, other, maxPoolSize: 1 });
    expect(found.status).toBe('holds');
    // Arrivals would pile up.
    for (const { recordedMs, highMs } of found.figures) expect(highMs).toBeGreaterThan(3 * recordedMs);
    const followUps = { ...findFollowUps(one), fewest: null };
    const arrived = await checkTrace(one, { pool: { maxPoolSize: 1 }, other, followUps, widening: 0 });
    expect(arrived.status).toBe('fails');
  });

  test('of a larger pool than it says fails', async () => {
    const other = recordMixed({ poolSize: 8, seed: 2 });
    expect(await check({ other })).toMatchObject({ status: 'fails' });
  });

  test('with another load fails, and the ratios say why', async () => {
    const other = recordMixed({ poolSize: 2, seed: 2, later: { gapMs: 5, slowMs: 400 } });
    const { status, rateRatio, useRatios } = await check({ other });
    expect(status).toBe('fails');
    expect(rateRatio).toBeGreaterThan(1.2);
    expect(useRatios['/slow']).toBeGreaterThan(1.25);
    expect(useRatios['/fast']).toBeLessThan(1.1);
  });

  test('with few requests is not checked', async () => {
    const other = recordMixed({ poolSize: 2, count: 10 });
    expect(await check({ other })).toMatchObject({ status: 'notChecked', figures: [] });
  });

  test('is compared by at most 9 routes, those with most requests', async () => {
    const [trace, other] = [1, 2].map((poolSize) => {
      const row = (/** @type {number} */ index) => ({ route: `/${index % 11}`, serviceMs: 2, gapMs: 5 });
      return recordDrawn(11 * 20 + 9, poolSize, row);
    });
    const { figures } = await check({ trace, other });
    expect(figures.map(({ route }) => route)).toEqual([null, ...'012345678'].map((each) => each && `/${each}`));
  });

  test.each([
    ['5 ms', 4.9, true],
    ['more', 5.1, false],
  ])('may be outside of a band by %s', async (_, byMs, isInBand) => {
    /** @param {number} useMs */
    const record = (useMs) => recordDrawn(40, 2, () => ({ route: '/a', serviceMs: useMs, gapMs: 50 }));
    const { figures } = await check({ trace: record(20), other: record(20 + byMs) });
    expect(figures.map((figure) => [figure.kind, figure.isInBand])).toEqual([
      ['meanWait', true],
      ['p95', isInBand],
    ]);
  });

  test('is one that says its size, and another one', async () => {
    const record = async (/** @type {number | undefined} */ poolSize, count = 40) => {
      const checkouts = Array.from({ length: count }, (_, index) => ({ atMs: 20 * index, useMs: 5, route: '/a' }));
      return readTraceText(traceText({ poolSize, checkouts }));
    };
    const first = await record(4);
    const widened = 1 + PREDICTION.widenPerDoubling;
    for (const others of [[], [await record(undefined)], [await record(4)]])
      expect(await checkRecording(openRecording([first, ...others]))).toBeNull();
    expect(await checkRecording(openRecording([first, await record(4), await record(2)]))).toMatchObject({
      ...{ poolSize: 2, status: 'holds' },
      // One halving of the recorded size.
      figures: [{}, { lowMs: expect.closeTo(5 / widened), highMs: expect.closeTo(5 * widened) }],
    });
    const { trace: other } = pickPool(await record(8));
    expect(await checkRecording(openRecording([first, await record(2)]), { other })).toMatchObject({ poolSize: 8 });
  });
});

describe('the comparison of sizes', () => {
  /** @param {number[]} p99s at 1, 2, 4, 8 and so on @param {string} [route] */
  const sizesOf = (p99s, route = '/report') =>
    p99s.map((p99Ms, index) => ({ poolSize: 2 ** index, routes: { [route]: { p99Ms } } }));
  const WORK = { '/report': { kind: /** @type {const} */ ('fixed'), ms: 30, workShare: 1 } };

  test('the largest size about as good as the best, and the largest of all', () => {
    expect(findSlowdown(sizesOf([900, 400, 420, 490, 700, 1200]), WORK)).toEqual({
      route: '/report',
      poolSize: 8,
      p99Ms: 490,
      largerSize: 32,
      largerMs: 1200,
    });
  });

  test('none where the largest is about as good as any', () => {
    expect(findSlowdown(sizesOf([900, 400, 300, 370]), WORK)).toBeNull();
    expect(findSlowdown([], WORK)).toBeNull();
  });

  test('queries that only wait for something else are not slowed down by the server', () => {
    for (const workShare of [undefined, 0])
      expect(findSlowdown(sizesOf([100, 200, 400]), { '/report': { kind: 'fixed', ms: 30, workShare } })).toBeNull();
  });

  test('of several routes the one that suffers most', () => {
    const [one, other] = [sizesOf([100, 100, 200]), sizesOf([10, 10, 50], '/other')];
    const sizes = one.map((size, index) => ({ ...size, routes: { ...size.routes, ...other[index].routes } }));
    const work = WORK['/report'];
    for (const services of [
      { '/report': work, '/other': work },
      { '/other': work, '/report': work },
    ])
      expect(findSlowdown(sizes, services)).toMatchObject({ route: '/other', poolSize: 2, largerMs: 50 });
  });

  test('as good is 25 % and 1 ms above the best; a size without requests of the route says nothing', () => {
    expect(findSlowdown(sizesOf([100, 126, 126]), WORK)).toBeNull();
    expect(findSlowdown(sizesOf([100, 126, 126.2]), WORK)).toMatchObject({ poolSize: 2, largerMs: 126.2 });
    expect(findSlowdown(sizesOf([100, 200, NaN]), WORK)).toMatchObject({ poolSize: 1, largerSize: 2, largerMs: 200 });
    const [first, ...rest] = sizesOf([100, 200]);
    expect(findSlowdown([{ ...first, routes: {} }, ...rest], WORK)).toBeNull();
    expect(findSlowdown(sizesOf([0, 2]), WORK)).toMatchObject({ poolSize: 1, p99Ms: 0 });
  });

  test('the best guess is no size from which on the server is the bottleneck', () => {
    const guess = (/** @type {object} */ changes) =>
      guessBest(/** @type {any} */ ({ knee: 16, floor: 2, slowdown: { poolSize: 8 }, ...changes }));
    expect(guess({})).toEqual({ size: 8, isServerLimit: true });
    expect(guess({ floor: 12 })).toEqual({ size: 12, isServerLimit: true });
    expect(guess({ slowdown: null })).toEqual({ size: 16, isServerLimit: false });
    expect(guess({ knee: null })).toEqual({ size: null, isServerLimit: false });
  });

  describe('the knee', () => {
    /** @param {number} p95Ms @param {number} p99Ms @param {number} [failures] */
    const figuresOf = (p95Ms, p99Ms, failures = 0) =>
      /** @type {import('../../src/runs/run-figures.js').RunFigures} */ (
        /** @type {unknown} */ ({ failures, routes: { '/x': { all: { p95Ms, p99Ms } } } })
      );
    /** @param {ReturnType<typeof figuresOf>[]} figures of 1, 2, 3 and so on @param {number} [floor] */
    const kneeOf = (figures, floor = 1, best = figuresOf(100, 200)) =>
      findKnee(
        figures.map((each, index) => ({ poolSize: index + 1, figures: each })),
        best,
        floor,
      );
    const good = figuresOf(100, 200);

    test('is the first size from which on all are as good as no limit: within 5 % and 1 ms', () => {
      expect(kneeOf([figuresOf(500, 900), figuresOf(106, 211), good])).toBe(2);
      expect(kneeOf([figuresOf(106.1, 200), good])).toBe(2);
      expect(kneeOf([figuresOf(100, 211.1), good])).toBe(2);
      expect(kneeOf([good, figuresOf(500, 900), good])).toBe(3);
      expect(kneeOf([good, figuresOf(500, 900)])).toBeNull();
    });

    test('needs the floor, and no more failures than without a limit', () => {
      expect(kneeOf([good, good, good], 3)).toBe(3);
      expect(kneeOf([figuresOf(100, 200, 1), good])).toBe(2);
      expect(kneeOf([figuresOf(100, 200, 1), good], 1, figuresOf(100, 200, 1))).toBe(1);
    });

    test('needs every route that has requests without a limit, and no other', () => {
      const none = /** @type {typeof good} */ (/** @type {unknown} */ ({ failures: 0, routes: {} }));
      expect(kneeOf([none, good])).toBe(2);
      const both = (/** @type {typeof good} */ one, /** @type {typeof good} */ other) =>
        /** @type {typeof good} */ ({ ...one, routes: { '/x': one.routes['/x'], '/y': other.routes['/x'] } });
      expect(kneeOf([both(good, figuresOf(100, 900)), both(good, good)], 1, both(good, good))).toBe(2);
      expect(kneeOf([none, good], 1, figuresOf(NaN, NaN))).toBe(1);
      expect(kneeOf([figuresOf(NaN, NaN), good])).toBe(2);
      expect(kneeOf([figuresOf(2, 2), figuresOf(1, 1)], 1, figuresOf(0, 0))).toBe(2);
    });
  });
});

describe('the figures of runs', () => {
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
});

import { describe, expect, test } from '@jest/globals';
import { checkTrace } from '../../src/predict/check-trace.js';
import { recordCold, recordMixed } from '../trace/traces.js';
import { findKnee, findSlowdown } from '../../src/predict/size-comparison.js';
import { createRandom } from '../../src/simulator/random.js';
import { centreBand, summariseRuns, widenBand } from '../../src/runs/run-figures.js';

/** @import { SimulationResult } from '../../src/simulator/simulate.js' */

const pool = { maxPoolSize: 3 };

describe('the waits of a trace, replayed', () => {
  test('hold if the pool explains them, by route', async () => {
    const check = await checkTrace(recordMixed(), { pool });
    expect(check).toMatchObject({ of: 'waits', status: 'holds', reason: null, poolSize: 3 });
    expect(check.figures.map(({ kind, route }) => [kind, route])).toEqual([
      ['meanWait', null],
      ['meanWait', '/fast'],
      ['p95Wait', '/fast'],
      ['meanWait', '/slow'],
      ['p95Wait', '/slow'],
    ]);
    expect(check.figures[0].recordedMs).toBeGreaterThan(1);
  });

  test('fail if something else than the pool made them: a limit that the simulation does not know', async () => {
    const { status, reason, figures } = await checkTrace(recordMixed(), { pool: { maxPoolSize: 6 } });
    expect({ status, reason }).toEqual({ status: 'fails', reason: 'figures' });
    expect(figures[0].place).toBe('outside');
  });

  test('a busier second half changes nothing: the replay is as busy', async () => {
    expect(await checkTrace(recordMixed({ later: { gapMs: 7 } }), { pool })).toMatchObject({ status: 'holds' });
  });

  test.each([
    ['nobody waited', { poolSize: 100 }, 'nobodyWaited'],
    ['few waited', { poolSize: 6, count: 200 }, 'fewWaits'],
  ])('are not checked where %s', async (_, options, reason) => {
    expect(await checkTrace(recordMixed(options), { pool: { maxPoolSize: options.poolSize } })).toMatchObject({
      status: 'notChecked',
      reason,
      figures: [],
    });
  });

  test('are explained by few, in a short recording in which most waited: the longest of each route', async () => {
    const { status, figures } = await checkTrace(recordMixed({ count: 30 }), { pool });
    expect(status).toBe('holds');
    expect(figures.map(({ kind }) => kind)).toEqual(['meanWait', 'meanWait', 'maxWait', 'meanWait', 'maxWait']);
  });

  test('are not checked if the size of the pool is unknown', async () => {
    expect(await checkTrace(recordMixed(), {})).toMatchObject({ status: 'notChecked', reason: 'unknownSize' });
  });

  test('fail if many checkouts got no connection: how long their queries take is unknown', async () => {
    const check = (/** @type {number} */ unservedShare) => checkTrace({ ...recordMixed(), unservedShare }, { pool });
    expect(await check(0.06)).toMatchObject({ status: 'fails', reason: 'unserved' });
    expect(await check(0.04)).toMatchObject({ status: 'holds' });
  });

  test('fail if connections were free, however well the figures fit', async () => {
    const trace = recordMixed();
    const behind = Array.from(trace.waitMs, () => 1);
    const none = Array.from(trace.waitMs, () => 0);
    expect(await checkTrace({ ...trace, isBehind: behind, openingMs: none }, { pool })).toMatchObject({
      status: 'holds',
      waits: { otherShare: 0 },
    });
    expect(await checkTrace({ ...trace, isBehind: none, openingMs: none }, { pool })).toMatchObject({
      status: 'fails',
      reason: 'otherWaits',
      waits: { otherShare: 1 },
    });
  });

  describe('are judged by thresholds', () => {
    /**
     * @param {{ waitMs: number[], useMs?: number, isBehind?: number[], routes?: number }} trace
     * @param {Parameters<typeof checkTrace>[1]} [options]
     */
    const check = ({ waitMs, useMs = 2, isBehind, routes = 1 }, options = {}) =>
      checkTrace(
        {
          header: {},
          routes: Array.from({ length: routes }, (_, route) => `/${route}`),
          routeOf: waitMs.map((_, row) => row % routes),
          checkOutStartedMs: waitMs.map((_, row) => 100 * row),
          ...{ waitMs, useMs: waitMs.map(() => useMs), warnings: [] },
          ...(isBehind && { isBehind, openingMs: waitMs.map(() => 0) }),
        },
        options,
      );
    /** @param {number} count of checkouts @param {number} waiting of them @param {number} ms how long */
    const waitsOf = (count, waiting, ms) => Array.from({ length: count }, (_, row) => (row < waiting ? ms : 0));

    test.each(
      /** @type {[string, [number, number], (value: number) => Parameters<typeof check>[0]][]} */ ([
        [
          '0.3 of all waiting is for something else',
          [72, 68],
          (behind) => ({ waitMs: waitsOf(100, 100, 10), isBehind: waitsOf(100, behind, 1) }),
        ],
        [
          '0.01 of the checkouts wait for it',
          [9, 11],
          (waiting) => ({ waitMs: waitsOf(1000, waiting, 900), isBehind: waitsOf(1000, 0, 1) }),
        ],
        [
          'that takes 0.05 of the time',
          [48, 52],
          (ms) => ({ waitMs: waitsOf(100, 10, 10 * ms), useMs: 1000 - ms, isBehind: waitsOf(100, 0, 1) }),
        ],
      ]),
    )('fail if %s', async (_, values, traceOf) => {
      const reasons = await Promise.all(values.map(async (value) => (await check(traceOf(value))).reason));
      expect(reasons).toEqual(['unknownSize', 'otherWaits']);
    });

    test.each([
      ['20 waits', 200, 20],
      ['in a short recording a fifth of the checkouts', 60, 12],
      ['in a very short one 5', 20, 5],
    ])('need %s', async (_, count, need) => {
      const isChecked = async (/** @type {number} */ waiting) =>
        (await check({ waitMs: waitsOf(count, waiting, 10) }, { pool })).reason !== 'fewWaits';
      expect([await isChecked(need - 1), await isChecked(need)]).toEqual([false, true]);
    });

    test('of at most 9 routes', async () => {
      const { figures } = await check({ waitMs: waitsOf(220, 220, 10), routes: 11 }, { pool });
      expect(figures.filter(({ kind, route }) => kind === 'meanWait' && route)).toHaveLength(9);
    });

    test.each([
      ['15 % of the wait', [84, 88], 100, 2],
      ['5 % of the response', [31, 33], 40, 125],
      ['1 ms', [1.9, 2.1], 3, 2],
    ])('may be off by %s in a replay', async (_, waitsMs, otherMs, useMs) => {
      const random = createRandom(1);
      let atMs = 0;
      const startsMs = Array.from({ length: 25 }, () => (atMs += 1000 * (1 + random.uniform())));
      // One connection: /b comes with each /a, and waits for it.
      const placeOf = async (/** @type {number} */ waitMs) => {
        const { figures } = await checkTrace(
          {
            ...{ header: {}, routes: ['/a', '/b'], warnings: [] },
            routeOf: startsMs.flatMap(() => [0, 1]),
            checkOutStartedMs: startsMs.flatMap((ms) => [ms - startsMs[0], ms - startsMs[0]]),
            waitMs: startsMs.flatMap(() => [0, waitMs]),
            useMs: startsMs.flatMap(() => [otherMs, useMs]),
          },
          { pool: { maxPoolSize: 1 } },
        );
        return figures.find(({ kind, route }) => kind === 'meanWait' && route === '/b')?.place;
      };
      expect(await Promise.all(waitsMs.map(placeOf))).toEqual(['outside', 'close']);
    });
  });

  test('of a pool that opened its connections are explained by that, which checks no size', async () => {
    const cold = recordCold();
    expect(await checkTrace(cold, { pool: { maxPoolSize: 4, maxConnecting: 4, maxIdleTimeMS: 50 } })).toMatchObject({
      status: 'notChecked',
      reason: 'nobodyWaited',
      figures: [{ kind: 'meanWait' }, {}, {}],
      waits: { count: 0, openings: 160, otherShare: 0 },
    });
    expect(await checkTrace(cold, { pool: { maxPoolSize: 4, maxConnecting: 4 } })).toMatchObject({
      status: 'fails',
      reason: 'figures',
    });
    const openings = { openAtStart: 4, fromMs: new Float64Array(), durationsMs: new Float64Array(), settings: {} };
    expect(await checkTrace({ ...cold, openings }, { pool: { maxPoolSize: 4 } })).toMatchObject({
      reason: 'otherWaits',
    });
  });
});

describe('another trace', () => {
  test('of another pool size is predicted', async () => {
    const other = recordMixed({ poolSize: 2, seed: 2 });
    const check = await checkTrace(recordMixed(), { pool: { maxPoolSize: 2 }, other });
    expect(check).toMatchObject({ of: 'trace', poolSize: 2, status: 'holds' });
    expect(check.figures.map(({ kind, route }) => [kind, route])).toEqual([
      ['meanWait', null],
      ['p95', '/fast'],
      ['p95', '/slow'],
    ]);
    expect(check.figures[0].recordedMs).toBeGreaterThan(20);
    // Another first seed gives other bands.
    const again = await checkTrace(recordMixed(), { pool: { maxPoolSize: 2 }, other, firstSeed: 1000 });
    expect(again.figures[0].highMs).not.toBe(check.figures[0].highMs);
  });

  test('may be shorter', async () => {
    const other = recordMixed({ poolSize: 2, seed: 2, count: 400 });
    expect(await checkTrace(recordMixed(), { pool: { maxPoolSize: 2 }, other })).toMatchObject({ status: 'holds' });
  });

  test('of a larger pool than it says fails', async () => {
    const other = recordMixed({ poolSize: 8, seed: 2 });
    expect(await checkTrace(recordMixed(), { pool: { maxPoolSize: 2 }, other })).toMatchObject({ status: 'fails' });
  });

  test('with another load fails, and the ratios say why', async () => {
    const other = recordMixed({ poolSize: 2, seed: 2, later: { gapMs: 5, slowMs: 400 } });
    const { status, rateRatio, useRatios } = await checkTrace(recordMixed(), { pool: { maxPoolSize: 2 }, other });
    expect(status).toBe('fails');
    expect(rateRatio).toBeGreaterThan(1.2);
    expect(useRatios['/slow']).toBeGreaterThan(1.25);
    expect(useRatios['/fast']).toBeLessThan(1.1);
  });

  test('with few requests is not checked', async () => {
    const other = recordMixed({ poolSize: 2, count: 10 });
    expect(await checkTrace(recordMixed(), { pool: { maxPoolSize: 2 }, other })).toMatchObject({
      status: 'notChecked',
      reason: 'fewRequests',
    });
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
      expect(kneeOf([good, figuresOf(500, 900)])).toBeUndefined();
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

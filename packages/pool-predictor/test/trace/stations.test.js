import { describe, expect, test } from '@jest/globals';
import { traceText } from 'test-support/trace-text.js';
import { createTraceLoad } from '../../src/load/trace-load.js';
import { sum } from '../../src/base/sample-statistics.js';
import { readTraceText } from '../../src/reading/read-trace.js';
import { createRunSimulator } from '../../src/runs/simulation-runs.js';
import { findLimitsOf } from '../../src/trace/find-limits.js';
import { pickPool } from '../../src/trace/pick-pool.js';
import { foldRoutes, summariseTrace, thinTrace } from '../../src/trace/trace.js';
import { GAPS, responseMs, run, TIMES, visitors } from './traces.js';

// What requests meet in the app beside the pool, and what of it a recording shows.

/** @param {Parameters<typeof traceText>[0]} trace */
const pick = async (trace) => pickPool(await readTraceText(traceText({ header: { resolutionMs: 0.001 }, ...trace })));

describe('a limit in the app on requests at once', () => {
  const BEFORE_MS = 0.5;
  const REST_MS = 4;

  /** @param {{ places: number, untilAnswer: boolean }} limit */
  function createTruth({ places, untilAnswer }) {
    const slow = { gap: (/** @type {any} */ random) => GAPS.poisson(23, random), service: TIMES.steady(40) };
    const arrivals = [
      ...visitors({ count: 700, route: '/a', ...slow }).map(({ serviceMs = 0, ...each }) => ({
        ...each,
        known: {
          ...{ startsAfter: [0], gapsMs: [0], endsAfter: 1, handoversMs: null, leadMs: BEFORE_MS, isMeasured: true },
          ...{ servicesMs: [serviceMs], restMs: untilAnswer ? REST_MS : 0 },
        },
      })),
      ...visitors({ count: 700, gap: (random) => GAPS.poisson(23, random), service: TIMES.fixed(2), route: '/fast' }),
    ];
    const none = /** @type {const} */ ({ kind: 'none' });
    const services = { '/a': { ...none, limit: { places, untilAnswer } }, '/fast': none };
    return (/** @type {number} */ size) => run(arrivals, size, Infinity, { services });
  }

  /** @param {ReturnType<ReturnType<typeof createTruth>>} records @param {number} poolSize @param {number} [restMs] */
  const record = (records, poolSize, restMs = 0) => {
    const requests = records.map(({ route, arrivedAtMs, finishedAtMs }, request) => ({
      ...{ request, route, atMs: arrivedAtMs - BEFORE_MS, socket: request },
      durationMs: finishedAtMs - arrivedAtMs + BEFORE_MS,
    }));
    const checkouts = records.map(({ route, startedAtMs, finishedAtMs, waitMs }, request) => ({
      ...{ atMs: startedAtMs - waitMs, waitMs, route, request },
      useMs: finishedAtMs - startedAtMs - (route === '/a' ? restMs : 0),
    }));
    return readTraceText(traceText({ header: { resolutionMs: 0.001 }, poolSize, checkouts, requests }));
  };

  test.each([
    [2, { places: 3, untilAnswer: false }],
    [8, { places: 2, untilAnswer: false }],
    [8, { places: 3, untilAnswer: true }],
  ])('recorded with a pool of %d is one with any pool: %j', async (size, limit) => {
    const truthOf = createTruth(limit);
    const { trace } = pickPool(await record(truthOf(size), size, limit.untilAnswer ? REST_MS : 0));
    expect(trace.limits).toEqual([{ route: trace.routes.indexOf('/a'), ...limit }]);
    expect(trace.warnings).toEqual([
      `The app lets in at most ${limit.places} requests of /a at once, whatever the pool size`,
    ]);
    const limitedMs = truthOf(size).map(({ startedAtMs, waitMs, arrivedAtMs }) => startedAtMs - waitMs - arrivedAtMs);
    expect(sum(Array.from(trace.limitedMs ?? [])) / sum(limitedMs)).toBeCloseTo(1, 6);
    const load = createTraceLoad(trace);
    const predict = createRunSimulator({ load, services: load.services, keepRequests: true });
    for (const other of [1, 2, 4, 8]) {
      const { records: predicted = [] } = predict({ pool: { maxPoolSize: other }, seed: 1, factor: 1 });
      const truth = truthOf(other);
      const [own, total] = [predicted, truth].map((records) => sum(records.map((each) => each.responseMs)));
      expect(own / total).toBeCloseTo(1, 1);
      for (const route of ['/a', '/fast'])
        for (const share of [0.5, 0.95])
          expect(responseMs(predicted, route, share) / responseMs(truth, route, share)).toBeCloseTo(1, 1);
    }
  });

  test('that no request waited for is not known, nor that of another pool', async () => {
    const { trace } = pickPool(await record(createTruth({ places: 30, untilAnswer: false })(2), 2));
    expect(trace).toMatchObject({ warnings: [] });
    expect(trace.limits).toBeUndefined();
    const limited = await record(createTruth({ places: 2, untilAnswer: false })(8), 8);
    expect([0, 1].map((pool) => findLimitsOf(limited, pool).limits.length)).toEqual([1, 0]);
  });

  test('stays with the pieces and the routes of a trace', async () => {
    const { trace } = pickPool(await record(createTruth({ places: 2, untilAnswer: false })(8), 8));
    const thinned = thinTrace(trace, 400);
    const { limitedMs = [], waitMs } = thinned;
    expect(limitedMs).toHaveLength(waitMs.length);
    expect(Math.max(...Array.from(limitedMs))).toBeGreaterThan(40);
    const folded = foldRoutes(
      { ...trace, routes: ['/a', '/fast', '/b'], limits: [{ places: 2, untilAnswer: false, route: 2 }] },
      2,
    );
    expect(folded).toMatchObject({ routes: ['/b', '2 others'], limits: [{ route: 0, places: 2 }] });
  });
});

describe('requests without a query', () => {
  const gaps = Array.from({ length: 40 }, (_, index) => 100 * index);
  const hits = gaps.map((atMs, index) => ({ request: 100 + index, route: '/a', atMs: atMs + 50, durationMs: 4 }));
  const checkouts = gaps.map((atMs, request) => ({ atMs, useMs: 20, route: '/a', request, socket: 1 }));
  const requests = hits.map((each) => ({ ...each, socket: 1 }));

  test('belong to the figures of their route, as it is and with any pool', async () => {
    const { trace } = await pick({ poolSize: 1, checkouts, requests });
    expect(trace.queryless?.length).toBe(39);
    expect(trace.warnings).toEqual(['Made no query: 39 requests. Their answers are in the figures of their routes']);
    const measured = summariseTrace(trace);
    expect(measured).toMatchObject({ requests: 79, meanWaitMs: 0, routes: { '/a': { count: 79, p95Ms: 20 } } });
    expect(measured.routes['/a'].meanMs).toBeCloseTo((40 * 20 + 39 * 4) / 79);
    const { arrivals, services } = createTraceLoad(trace);
    const replayed = run(arrivals(1, 1), 1, Infinity, { services });
    expect(replayed.map((each) => each.responseMs)).toEqual(gaps.flatMap(() => [20, 4]).slice(0, 79));
  });

  test('are answers that their callers wait for', async () => {
    const both = await pick({ poolSize: 1, checkouts: checkouts.concat({ ...checkouts[0], socket: 2 }), requests });
    const [caller] = [...createTraceLoad({ ...both.trace, callers: 1 }).arrivals(1, 1)];
    expect(caller.requests?.slice(1, 4).map(({ thinkMs }) => Math.round(thinkMs))).toEqual([30, 46, 30]);
  });

  test.each([
    ['failed', { status: 500 }],
    ['was left by its client', { status: 0 }],
    ['has a checkout of its own', { request: 3 }],
    ['came before the first checkout', { atMs: -10 }],
  ])('one that %s does not', async (_, more) => {
    const { trace } = await pick({ poolSize: 1, checkouts, requests: [{ ...requests[5], ...more }] });
    expect(trace.queryless).toBeUndefined();
  });

  test('do not if they came to another process', async () => {
    const uses = gaps.map((atMs, request) => ({ atMs, useMs: 20, route: '/a', request }));
    const countOf = async (/** @type {number} */ process) => {
      const text = traceText({ poolSize: 1, checkouts: uses, requests: [{ ...requests[5], process }] });
      const processes = [0, 1].map((id) => `${JSON.stringify({ define: 'process', id })}\n`).join('');
      const { trace } = pickPool(await readTraceText(text.replace('{"define":"pool",', `${processes}$&"process":0,`)));
      return trace.queryless?.length;
    };
    expect([await countOf(0), await countOf(1)]).toEqual([1, undefined]);
  });

  test('show nothing of what one does that got no connection', async () => {
    const refused = { atMs: 60, waitMs: 20, useMs: undefined, outcome: 'checkOutFailed', reason: 'timeout' };
    const late = gaps.map((_, index) => ({ ...refused, route: '/a', request: 500 + index, socket: 500 + index }));
    const { trace } = await pick({ poolSize: 1, checkouts: [...checkouts, ...late], requests });
    expect(trace.refused).toHaveLength(40);
    const unanswered = [...createTraceLoad(trace).arrivals(1, 1)].filter(({ atMs }) => atMs === 60);
    expect(unanswered).toHaveLength(40);
    expect(unanswered.every(({ known }) => known?.servicesMs.length === 1)).toBe(true);
  });

  test('checkouts outside of requests keep their times where others still wait', async () => {
    const job = checkouts.map(({ atMs }, index) => ({ atMs, useMs: 20 + index, route: '/a' }));
    const { trace } = await pick({
      poolSize: 1,
      checkouts: [...job, { atMs: 4000, route: '/a', useMs: undefined, outcome: 'waiting' }],
    });
    expect(trace.waiting).toHaveLength(1);
    const usesMs = [...createTraceLoad(trace).arrivals(1, 1)].map(({ serviceMs }) => serviceMs);
    expect(usesMs.slice(0, 40)).toEqual(job.map(({ useMs }) => useMs));
  });

  test('stay with the pieces and the routes of a trace, and make it as long as checkouts do', async () => {
    const { trace } = await pick({ poolSize: 1, checkouts, requests });
    expect(thinTrace(trace, 79)).toBe(trace);
    const { queryless = [], waitMs, checkOutStartedMs } = thinTrace(trace, 40);
    expect(Math.abs(queryless.length + waitMs.length - 40)).toBeLessThan(8);
    expect(queryless.every(({ startedMs }) => startedMs < checkOutStartedMs[waitMs.length - 1] + 100)).toBe(true);
    const folded = foldRoutes({ ...trace, routes: ['/b', '/c', '/a'], routeOf: Array.from(trace.waitMs, () => 2) }, 2);
    expect(new Set(folded.queryless?.map(({ route }) => route))).toEqual(new Set([1]));
  });
});

describe('an operation that fails with a connection', () => {
  const failed = { outcome: 'operationFailed', useMs: 10, route: '/a', socket: 1 };
  const events = [
    { event: 'connectionClosed', atMs: 22, pool: 0, connection: 1, reason: 'error' },
    { event: 'connectionReady', atMs: 29, pool: 0, connection: 2, durationMs: 7 },
    { event: 'connectionClosed', atMs: 90, pool: 0, connection: 2, reason: 'idle' },
  ];
  const text = traceText({
    poolSize: 1,
    header: { resolutionMs: 0.001 },
    checkouts: [
      { atMs: 0, connection: 1, ...failed },
      { atMs: 12, connection: 1, ...failed },
      { atMs: 17, waitMs: 12, openingMs: 7, useMs: 10, connection: 2, route: '/a', socket: 2 },
      { atMs: 50, connection: 2, ...failed },
      { atMs: 55, waitMs: 5, useMs: 10, connection: 2, route: '/a', socket: 2 },
    ],
  });
  const [end] = text.match(/.*\n$/) ?? [];
  const lines = events.map((event) => `${JSON.stringify(event)}\n`).join('');

  test('keeps it for as long as it did; only one that was closed has to be opened anew', async () => {
    const { trace } = pickPool(await readTraceText(text.replace(String(end), `${lines}${end}`)));
    expect(Array.from(trace.breaks ?? [])).toEqual([0, 1, 0, 0, 0]);
    const { arrivals, withOpenings } = createTraceLoad(trace);
    const waitsOf = (/** @type {number} */ size) =>
      run(arrivals(1, 1), size, Infinity, { pool: withOpenings?.({ maxPoolSize: size }, 1, 1) }).map(
        ({ waitMs }) => waitMs,
      );
    expect(waitsOf(1)).toEqual([0, 0, 12, 0, 5]);
    // The second connection of two is opened when both are needed again.
    expect(waitsOf(2)).toEqual([0, 0, 0, 0, 7]);
    expect(thinTrace(trace, 4).breaks?.[1]).toBe(1);
  });
});

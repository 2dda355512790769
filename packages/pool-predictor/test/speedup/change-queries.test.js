import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createTraceLoad } from '../../src/load/trace-load.js';
import { createRunSimulator } from '../../src/runs/simulation-runs.js';
import { createRandom } from '../../src/simulator/random.js';
import { simulate } from '../../src/simulator/simulate.js';
import { TIMES, callers, recordDrawn, run, toTrace } from '../trace/traces.js';

/** @import { LoadChange } from '../../src/load/change-queries.js' */
/** @import { Trace } from '../../src/trace/trace.js' */

const POOL = { maxPoolSize: 2 };

/** Runs of a trace, changed and not. @param {Trace} trace */
function simulatorOf(trace) {
  const load = createTraceLoad(trace, { resample: true });
  const simulateRun = createRunSimulator({ load, services: load.services, keepRequests: true });
  return (/** @type {LoadChange} */ change, pool = POOL) => simulateRun({ pool, seed: 1, factor: 1, change });
}

/** Requests that arrive on their own, one of ten to /slow. @param {number} [times] as long as it takes */
function recordMix(times = 1) {
  const random = createRandom(3, 'mix');
  return recordDrawn(400, POOL.maxPoolSize, (index) => {
    const route = index % 10 === 0 ? '/slow' : '/fast';
    return { route, serviceMs: (route === '/slow' ? 60 * times : 2) * random.exponential(), gapMs: 8 };
  });
}

const OPERATIONS = [
  { name: 'find users', kind: null },
  { name: 'find orders', kind: null },
];

/**
 * One measured request: a query from 2 to 7 ms, then one from 10 to 16 ms, and its answer after 20 ms.
 * @type {Trace}
 */
const TWO_QUERIES = {
  header: { maxPoolSize: 2 },
  routes: ['/a'],
  checkOutStartedMs: [0, 8],
  waitMs: [0, 0],
  useMs: [5, 6],
  routeOf: [0, 0],
  operations: OPERATIONS,
  operationOf: [0, 1],
  requestOf: [0, 0],
  requestStartedMs: [-2, -2],
  requestEndedMs: [18, 18],
  warnings: [],
};

describe('queries that take less time', () => {
  test('give what a recording of such queries gives', () => {
    const [recorded, faster] = [recordMix(), recordMix(0.5)];
    const changed = simulatorOf(recorded)({ route: '/slow', factor: 0.5 });
    const expected = simulatorOf(faster)({});
    expect(changed.records?.map(({ finishedAtMs }) => finishedAtMs)).toEqual(
      expected.records?.map(({ finishedAtMs }) => expect.closeTo(finishedAtMs, 6)),
    );
    expect(changed.routes['/fast'].p95Ms).toBeLessThan(simulatorOf(recorded)({}).routes['/fast'].p95Ms);
  });

  test('are those of one operation, on one route or on all', () => {
    const lastsMs = (/** @type {LoadChange} */ change) => simulatorOf(TWO_QUERIES)(change).routes['/a'].maxMs;
    expect(lastsMs({})).toBeCloseTo(20, 1);
    expect(lastsMs({ operation: 'find users', factor: 0.5 })).toBeCloseTo(17.5, 1);
    expect(lastsMs({ route: '/a', operation: 'find orders', factor: 2 })).toBeCloseTo(26, 1);
    expect(lastsMs({ route: '/a', factor: 0.5 })).toBeCloseTo(14.5, 1);
    expect(lastsMs({ route: '/b', factor: 0.5 })).toBeCloseTo(20, 1);
  });

  test('need no connection if they are never sent, and what the app does between them stays', () => {
    const simulateWith = simulatorOf(TWO_QUERIES);
    const { routes, checkouts } = simulateWith({ operation: 'find users', factor: 0 });
    expect(routes['/a'].maxMs).toBeCloseTo(15, 1);
    expect(checkouts).toBe(1);
    const none = simulateWith({ route: '/a', factor: 0 });
    expect(none.routes['/a'].maxMs).toBeCloseTo(9, 1);
    expect([none.requests, none.checkouts]).toEqual([1, 0]);
  });

  test('that is never sent ends its request once: a caller sends as many as before', () => {
    const known = {
      ...{ startsAfter: [0, 1], gapsMs: [0, 0], endsAfter: 2, servicesMs: [5, NaN], restMs: 1 },
      ...{ handoversMs: null, leadMs: 0, isMeasured: true },
    };
    const request = { route: '/a', serviceMs: 0, known, thinkMs: 3 };
    const { requests, checkouts, durationMs } = simulate({
      arrivals: [{ atMs: 0, requests: [request, request] }],
      pool: POOL,
    });
    expect({ requests, checkouts, durationMs }).toEqual({ requests: 2, checkouts: 2, durationMs: 15 });
  });

  test('leave all requests answered, whichever queries are never sent', () => {
    const times = fc.integer({ min: 0, max: 9 });
    const query = fc.record({ ends: fc.nat(5), gapMs: times, ms: fc.option(times, { nil: NaN }) });
    const plan = fc.record({
      queries: fc.array(query, { minLength: 1, maxLength: 6 }),
      left: fc.nat(5),
      restMs: times,
    });
    fc.assert(
      fc.property(
        fc.array(plan, { minLength: 1, maxLength: 5 }),
        fc.integer({ min: 1, max: 3 }),
        (plans, maxPoolSize) => {
          const arrivals = plans.map(({ queries, left, restMs }, index) => ({
            ...{ atMs: index, route: '/a', serviceMs: 0 },
            known: {
              startsAfter: queries.map(({ ends }, query) => Math.min(ends, query)).sort((a, b) => a - b),
              gapsMs: queries.map(({ gapMs }) => gapMs),
              endsAfter: Math.max(0, queries.length - left),
              servicesMs: queries.map(({ ms }) => ms),
              ...{ restMs, handoversMs: null, leadMs: 0, isMeasured: true },
            },
          }));
          const { requests, checkouts, failures } = simulate({ arrivals, pool: { maxPoolSize } });
          const sent = plans.flatMap(({ queries }) => queries.filter(({ ms }) => !Number.isNaN(ms)));
          // Queries that nobody waits for may not start any more when the answer is given.
          const awaited = plans.every(({ left }) => left === 0) ? sent.length : 0;
          return requests === plans.length && failures === 0 && checkouts >= awaited && checkouts <= sent.length;
        },
      ),
      { numRuns: 300, seed: 57 },
    );
  });
});

describe('a route that is never asked for', () => {
  test('leaves the others as if it had not been there', () => {
    const recorded = recordMix();
    const { routes, requests } = simulatorOf(recorded)({ route: '/slow', isRemoved: true });
    expect([requests, routes['/slow']?.count ?? 0]).toEqual([360, 0]);
    const alone = run(
      Array.from(recorded.useMs, (serviceMs, row) => ({
        ...{ atMs: recorded.checkOutStartedMs[row], route: '/fast', serviceMs, row },
      })).filter(({ row }) => recorded.routeOf[row] === recorded.routes.indexOf('/fast')),
      POOL.maxPoolSize,
    );
    const times = alone.map(({ arrivedAtMs, finishedAtMs }) => finishedAtMs - arrivedAtMs);
    expect(routes['/fast'].maxMs).toBeCloseTo(Math.max(...times), 0);
  });

  test('is left out by users who go on, and those who do nothing else do not come', () => {
    const mixed = callers({
      count: 2,
      untilMs: 2000,
      service: TIMES.fixed(10),
      think: TIMES.fixed(5),
      route: '/a',
    }).map((caller) => ({
      ...caller,
      requests: caller.requests?.map((request, index) => ({ ...request, route: index % 2 === 0 ? '/a' : '/b' })),
    }));
    const trace = toTrace(run(mixed, 2, 2000), 2);
    const load = createTraceLoad({ ...trace, callers: 2 });
    const simulateRun = createRunSimulator({ load, services: load.services });
    const requestsOf = (/** @type {LoadChange} */ change) =>
      simulateRun({ pool: POOL, seed: 1, factor: 1, change }).requests;
    expect(requestsOf({ route: '/b', isRemoved: true })).toBeGreaterThan(0.9 * requestsOf({}));
    const onlyB = createTraceLoad({ ...trace, callers: 2, routes: ['/b', '/b'] });
    const none = createRunSimulator({ load: onlyB, services: onlyB.services });
    expect(none({ pool: POOL, seed: 1, factor: 1, change: { route: '/b', isRemoved: true } }).requests).toBe(0);
  });
});

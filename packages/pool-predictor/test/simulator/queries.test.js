import { describe, expect, test } from '@jest/globals';
import { createScenarioLoad } from '../../src/load/scenario-load.js';
import { predict } from '../../src/predict/predict.js';
import { simulate } from '../../src/simulator/simulate.js';
import { scenarioOf } from '../load/sample-scenarios.js';

/** @import { SimulationOptions } from '../../src/simulator/simulate.js' */

/** @type {SimulationOptions['services']} */
const services = {
  '/livez': { kind: 'none' },
  '/orders': { kind: 'fixed', ms: 10, queries: 3 },
  '/slow': { kind: 'fixed', ms: 1000 },
};
const overhead = { kind: /** @type {const} */ ('fixed'), ms: 5 };

/** @param {string[]} routes that arrive at once @param {Partial<SimulationOptions>} [options] */
function run(routes, options) {
  const result = simulate({
    workload: { phases: [], scenarios: routes.map((route) => scenarioOf(route)) },
    arrivals: routes.map((_, scenario) => ({ atMs: 0, scenario })),
    pool: { maxPoolSize: 1 },
    services,
    overhead,
    keepRequests: true,
    ...options,
  });
  return {
    ...result,
    ended: (result.records ?? []).map(
      ({ route, finishedAtMs, waitMs, outcome }) => `${route} ${outcome} ${finishedAtMs} waited ${waitMs}`,
    ),
  };
}

describe('a request without queries', () => {
  test('takes its overhead, however long the queue is', () => {
    const { ended, routes, checkouts, requests, peakWaiting } = run(['/slow', '/slow', '/livez']);
    expect(ended).toEqual(['/livez ok 5 waited 0', '/slow ok 1005 waited 0', '/slow ok 2005 waited 1000']);
    expect({ checkouts, requests, peakWaiting }).toEqual({ checkouts: 2, requests: 3, peakWaiting: 1 });
    expect(routes['/livez'].wait.meanMs).toBeNaN();
  });

  test('can be one of many in a loop', () => {
    const steps = [
      {
        kind: /** @type {const} */ ('loop'),
        count: 200_000,
        steps: [{ kind: /** @type {const} */ ('request'), route: '/livez' }],
      },
    ];
    const { requests, maxMs } = simulate({
      workload: { phases: [], scenarios: [{ steps }] },
      arrivals: [{ atMs: 7 }],
      pool: { maxPoolSize: 1 },
      services,
    });
    expect({ requests, maxMs }).toEqual({ requests: 200_000, maxMs: 0 });
  });

  test("fails when its overhead exceeds the user's patience", () => {
    const workload = {
      phases: [],
      scenarios: [scenarioOf('/livez')],
      timeoutMs: 4,
    };
    expect(run(['/livez'], { workload }).ended).toEqual(['/livez clientTimeout 4 waited 0']);
  });
});

describe('a request with several queries', () => {
  test('makes one after another', () => {
    const { ended, routes, checkouts, utilisation } = run(['/orders']);
    expect(ended).toEqual(['/orders ok 35 waited 0']);
    expect(routes['/orders']).toMatchObject({ count: 1, maxMs: 35 });
    expect(checkouts).toBe(3);
    expect(utilisation).toBeCloseTo(30 / 35, 9);
  });

  test('queues again for each of them', () => {
    const { ended, routes, meanWaiting, durationMs, checkouts } = run(['/orders', '/orders']);
    // One begins at 0, 20 and 40 ms, the other at 10, 30 and 50 ms.
    expect(ended).toEqual(['/orders ok 55 waited 20', '/orders ok 65 waited 30']);
    expect(routes['/orders'].wait.maxMs).toBe(10);
    expect((meanWaiting * durationMs) / checkouts).toBeCloseTo(50 / 6, 9);
  });

  test.each([
    [15, 0],
    [10, 0],
    [9, 1],
  ])('may wait %i ms for each connection', (waitQueueTimeoutMS, failures) => {
    expect(run(['/orders', '/orders'], { pool: { maxPoolSize: 1, waitQueueTimeoutMS } }).failuresBy).toMatchObject({
      waitQueueTimeout: failures,
      clientTimeout: 0,
    });
  });

  test('delays no other deadline by its next query', () => {
    const { records = [] } = simulate({
      arrivals: ['/x', '/orders', '/slow', '/x'].map((route, atMs) => ({ atMs, route })),
      services: { ...services, '/x': { kind: 'fixed', ms: 8 } },
      pool: { maxPoolSize: 1, waitQueueTimeoutMS: 20 },
      keepRequests: true,
    });
    // The last one waits from 3 ms on, behind the query of /slow, and /orders from 18 ms on.
    const ended = records.map(({ route, finishedAtMs, outcome }) => `${route} ${outcome} ${finishedAtMs}`);
    expect(ended).toEqual(['/x ok 8', '/x waitQueueTimeout 23', '/orders waitQueueTimeout 38', '/slow ok 1018']);
  });

  test('ends in the middle when the wait-queue timeout hits a later query', () => {
    // 14 ms after it asks for its second connection, /slow still has the only one.
    const { ended } = run(['/orders', '/slow'], { pool: { maxPoolSize: 1, waitQueueTimeoutMS: 14 } });
    expect(ended[0]).toBe(`/orders waitQueueTimeout ${10 + 14 + 5} waited 14`);
  });

  test.each([
    [50, 'clientTimeout 50', 'clientTimeout 50'],
    [60, 'ok 55', 'clientTimeout 60'],
    [65, 'ok 55', 'ok 65'],
  ])('is given up %i ms after it began', (timeoutMs, first, second) => {
    const workload = {
      timeoutMs,
      phases: [],
      scenarios: [scenarioOf('/orders')],
    };
    const { ended, connections } = run(['/orders', '/orders'], { workload, arrivals: [{ atMs: 0 }, { atMs: 0 }] });
    expect(ended).toEqual([`/orders ${first} waited 20`, `/orders ${second} waited 30`]);
    expect(connections).toBeLessThanOrEqual(1);
  });

  test('is given up once, though its user sends many', () => {
    const steps = [
      {
        kind: /** @type {const} */ ('loop'),
        count: 500,
        steps: [{ kind: /** @type {const} */ ('request'), route: '/orders' }],
      },
    ];
    const { requests, failures, users } = simulate({
      workload: { phases: [], scenarios: [{ steps }], timeoutMs: 100 },
      arrivals: Array.from({ length: 40 }, (_, index) => ({ atMs: index * 500 })),
      pool: { maxPoolSize: 2 },
      services,
    });
    expect(users).toBe(40);
    expect(requests).toBeGreaterThan(users);
    expect(failures).toBeLessThanOrEqual(users);
  });

  test('is counted the same whether requests are listed or not', () => {
    const arrivals = [
      { atMs: 0, route: '/orders' },
      { atMs: 3, route: '/livez' },
    ];
    const options = { arrivals, services, pool: { maxPoolSize: 1 } };
    const { records, ...expected } = simulate({ ...options, keepRequests: true });
    expect(simulate(options)).toEqual(expected);
    expect(expected).toMatchObject({ requests: records?.length, checkouts: 3, maxMs: 30 });
  });

  test.each([
    ['split', 'ok 55', 'ok 65'],
    ['limited', 'refused 5', 'ok 35'],
  ])('keeps its place in a %s pool', (kind, first, second) => {
    const pool = /** @type {any} */ ({ kind, maxPoolSize: 2, slowRoutes: ['/orders'], slowSize: 1 });
    const { ended } = run(['/orders', '/orders', '/slow'], { pool });
    expect(ended.map((request) => request.split(' waited')[0])).toEqual([
      ...[`/orders ${first}`, `/orders ${second}`, '/slow ok 1005'],
    ]);
  });
});

describe('requests that were measured', () => {
  const measured = /** @type {SimulationOptions['services']} */ ({
    '/page': {
      kind: 'requests',
      requests: [
        { queriesMs: [10, 1], restMs: 1 },
        { queriesMs: [20, 2, 3], restMs: 2 },
        { queriesMs: [], restMs: 4 },
      ],
    },
  });

  test('keep their queries together, in order, with the rest of the response', () => {
    const { records = [] } = simulate({
      arrivals: Array.from({ length: 60 }, (_, index) => ({ atMs: index * 100, route: '/page' })),
      services: measured,
      pool: { maxPoolSize: 1 },
      keepRequests: true,
    });
    const took = new Set(records.map(({ arrivedAtMs, finishedAtMs }) => finishedAtMs - arrivedAtMs));
    expect([...took].toSorted((a, b) => a - b)).toEqual([4, 12, 27]);
    const lastQueries = new Set(
      records
        .filter(({ connection }) => connection >= 0)
        .map(({ finishedAtMs, startedAtMs }) => finishedAtMs - startedAtMs),
    );
    // The last query and the rest.
    expect([...lastQueries].toSorted()).toEqual([2, 5]);
  });

  test('count the queries that they make on average', async () => {
    const load = createScenarioLoad({
      phases: [{ durationMs: 1000, arrivalCount: 10 }],
      scenarios: [scenarioOf('/page')],
    });
    const { load: facts, variants } = await predict({ load, poolSizes: [1], services: /** @type {any} */ (measured) });
    expect(facts.routes['/page']).toMatchObject({ queries: 5 / 3, meanMs: 36 / 5 });
    // Random, so it has a band.
    expect(variants[0].predicted.low).toBeDefined();
  });
});

describe('queries at once', () => {
  const outcomesOf = (/** @type {{ outcome: string, finishedAtMs: number }[]} */ records) =>
    records.map(({ outcome, finishedAtMs }) => `${outcome} ${finishedAtMs}`);
  const both = /** @type {SimulationOptions['services']} */ ({
    '/both': { kind: 'requests', requests: [{ queriesMs: [[10, 30], 5], restMs: 1 }] },
  });
  /** @param {SimulationOptions['pool']} pool @param {number[]} arrivals */
  const runBoth = (pool, arrivals) =>
    simulate({
      arrivals: arrivals.map((atMs) => ({ atMs, route: '/both' })),
      services: both,
      pool,
      keepRequests: true,
    });

  test('take as long as the longest, with a connection each', () => {
    const { records = [], checkouts, requests, users, peakActive } = runBoth({ maxPoolSize: 2 }, [0]);
    expect(records.map(({ finishedAtMs }) => finishedAtMs)).toEqual([36]);
    expect({ checkouts, requests, users, peakActive }).toEqual({ checkouts: 3, requests: 1, users: 1, peakActive: 2 });
  });

  test('follow each other where there is only one connection', () => {
    // 30, then 10 ms; then the last one.
    expect(runBoth({ maxPoolSize: 1 }, [0]).records?.map(({ finishedAtMs }) => finishedAtMs)).toEqual([46]);
  });

  test('of two requests share the pool', () => {
    // The queue: 10 of the first, 30 and 10 of the second.
    const { records = [], checkouts } = runBoth({ maxPoolSize: 1 }, [0, 1]);
    expect(records.map(({ finishedAtMs }) => finishedAtMs)).toEqual([86, 91]);
    expect(checkouts).toBe(6);
  });

  test('fail their request when one waits too long, and leave the pool usable', () => {
    const { records = [], failuresBy } = runBoth({ maxPoolSize: 1, waitQueueTimeoutMS: 20 }, [0, 100]);
    expect(outcomesOf(records)).toEqual(['waitQueueTimeout 31', 'waitQueueTimeout 131']);
    expect(failuresBy.waitQueueTimeout).toBe(2);
  });

  test('fail their request once when one is refused', () => {
    const limited = { maxPoolSize: 2, slowRoutes: ['/both'], slowSize: 1, waitQueueTimeoutMS: 20 };
    const { records = [], failuresBy, peakWaiting } = runBoth({ kind: 'limited', ...limited }, [0, 100]);
    expect(outcomesOf(records)).toEqual(['refused 31', 'refused 131']);
    expect(failuresBy).toMatchObject({ refused: 2, waitQueueTimeout: 0 });
    expect(peakWaiting).toBe(0);
  });

  test('do not fail because an earlier request did', () => {
    const three = /** @type {SimulationOptions['services']} */ ({
      '/three': { kind: 'requests', requests: [{ queriesMs: [[30, 10, 10]], restMs: 1 }] },
    });
    const one = { atMs: 0, route: '/one', serviceMs: 25 };
    const { records = [] } = simulate({
      arrivals: [one, one, one, { atMs: 100, route: '/three' }],
      services: three,
      pool: { maxPoolSize: 2, waitQueueTimeoutMS: 20 },
      keepRequests: true,
    });
    expect(outcomesOf(records)).toEqual(['waitQueueTimeout 20', 'ok 25', 'ok 25', 'ok 131']);
  });

  test('run on when the client has left', () => {
    const workload = {
      phases: [],
      scenarios: [scenarioOf('/both')],
      timeoutMs: 20,
    };
    const { records = [], peakActive } = simulate({
      workload,
      arrivals: [
        { atMs: 0, scenario: 0 },
        { atMs: 25, scenario: 0 },
      ],
      services: both,
      pool: { maxPoolSize: 2 },
      keepRequests: true,
    });
    expect(outcomesOf(records)).toEqual(['clientTimeout 20', 'clientTimeout 45']);
    expect(peakActive).toBe(2);
  });
});

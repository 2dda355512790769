import { describe, expect, test } from '@jest/globals';
import { simulate } from '../../src/simulator/simulate.js';
import { scenarioOf } from '../load/sample-scenarios.js';

/** @import { PoolOptions } from '../../src/simulator/create-pool.js' */
/** @import { Service } from '../../src/simulator/service-time.js' */

const arrivals = [
  { atMs: 0, route: '/slow', serviceMs: 100 },
  { atMs: 1, route: '/slow', serviceMs: 100 },
  { atMs: 2, route: '/fast', serviceMs: 5 },
  { atMs: 3, route: '/fast', serviceMs: 5 },
  { atMs: 150, route: '/slow', serviceMs: 100 },
];

/** @param {PoolOptions} pool */
function waitsIn(pool) {
  const { records = [], ...result } = simulate({ arrivals, pool, keepRequests: true });
  return { ...result, waits: records.toSorted((a, b) => a.user - b.user).map(({ waitMs }) => waitMs) };
}

/** @param {Parameters<typeof simulate>[0]} options ends: each request with its outcome, as they end */
function runEnds(options) {
  const { records = [], ...result } = simulate({ arrivals, ...options, keepRequests: true });
  return { ...result, ends: records.map(({ user, outcome, finishedAtMs }) => `${user} ${outcome} ${finishedAtMs}`) };
}

/** @param {Parameters<typeof simulate>[0]} options */
const endsOf = (options) => runEnds(options).ends;

/** @type {Record<string, Service>} */
const services = { '/slow': { kind: 'fixed', ms: 100 }, '/fast': { kind: 'fixed', ms: 5 } };
const division = { slowRoutes: ['/slow'], slowSize: 1 };

test('in one pool, fast requests wait for slow ones', () => {
  expect(waitsIn({ maxPoolSize: 2 }).waits).toEqual([0, 0, 98, 98, 0]);
});

test('split: slow requests wait for slow ones, fast requests for fast ones', () => {
  const { waits, peakActive, connections } = waitsIn({ kind: 'split', maxPoolSize: 2, ...division });
  expect(waits).toEqual([0, 99, 0, 4, 50]);
  expect({ peakActive, connections }).toEqual({ peakActive: 2, connections: 2 });
});

test('split: a wait-queue timeout ends the waits in both pools', () => {
  expect(endsOf({ pool: { kind: 'split', maxPoolSize: 2, ...division, waitQueueTimeoutMS: 3 } })).toEqual([
    '1 waitQueueTimeout 4',
    '3 waitQueueTimeout 6',
    '2 ok 7',
    '0 ok 100',
    '4 ok 250',
  ]);
});

test('split: the slow pool may have a limit, too', () => {
  expect(endsOf({ pool: { kind: 'split', maxPoolSize: 2, ...division, slowLimit: 1 } })).toEqual([
    '1 refused 1',
    '2 ok 7',
    '3 ok 12',
    '0 ok 100',
    '4 ok 250',
  ]);
});

test('split: a pool that opens its connections on demand fills up to its minimum', () => {
  const { connections } = simulate({
    arrivals: [{ atMs: 1000, route: '/fast', serviceMs: 1 }],
    pool: { kind: 'split', maxPoolSize: 4, ...division, minPoolSize: 2, warm: false },
  });
  expect(connections).toBe(2);
});

test('limited: a slow request over the limit is refused at once, and fast ones do not wait for slow ones', () => {
  expect(endsOf({ pool: { kind: 'limited', maxPoolSize: 2, ...division } })).toEqual([
    '1 refused 1',
    '2 ok 7',
    '3 ok 12',
    '0 ok 100',
    '4 ok 250',
  ]);
});

test('limited: requests that wait for a connection count, so the limit may be larger than the pool', () => {
  expect(endsOf({ pool: { kind: 'limited', maxPoolSize: 1, slowRoutes: ['/slow'], slowSize: 2 } })).toEqual([
    '0 ok 100',
    '1 ok 200',
    '2 ok 205',
    '3 ok 210',
    '4 ok 310',
  ]);
  expect(
    endsOf({ pool: { kind: 'limited', maxPoolSize: 1, slowRoutes: ['/slow'], slowSize: 2, waitQueueTimeoutMS: 50 } }),
  )
    // The second gives up at 51 and makes room, so the last is not refused.
    .toEqual(['1 waitQueueTimeout 51', '2 waitQueueTimeout 52', '3 waitQueueTimeout 53', '0 ok 100', '4 ok 250']);
});

test('a refused user gets its answer after the overhead, and goes on', () => {
  const { failuresBy, routes, users } = simulate({
    workload: {
      phases: [{ durationMs: 2, arrivalCount: 2 }],
      scenarios: [scenarioOf('/slow', '/fast')],
    },
    services,
    overhead: { kind: 'fixed', ms: 3 },
    pool: { kind: 'limited', maxPoolSize: 2, ...division },
  });
  expect(failuresBy).toMatchObject({ refused: 1, waitQueueTimeout: 0, requestTimeout: 0, clientTimeout: 0 });
  expect({ users, fast: routes['/fast'].maxMs }).toEqual({ users: 2, fast: 8 });
});

describe('the request deadline', () => {
  /** @param {Partial<PoolOptions>} more */
  const endsWith = (more) =>
    endsOf({ pool: /** @type {PoolOptions} */ ({ maxPoolSize: 1, requestTimeoutMs: 60, ...more }) });

  test('ends waits and queries, and a query that it aborts frees its place', () => {
    expect(endsWith({})).toEqual([
      '0 requestTimeout 60',
      '1 requestTimeout 61',
      '2 requestTimeout 62',
      '3 requestTimeout 63',
      '4 requestTimeout 210',
    ]);
    expect(endsWith({ requestTimeoutMs: 104 })).toEqual([
      '0 ok 100',
      '1 requestTimeout 105',
      '2 requestTimeout 106',
      '3 requestTimeout 107',
      '4 ok 250',
    ]);
  });

  test('an aborted query closes its connection, and the next one takes as long to open', () => {
    expect(
      endsOf({
        arrivals: [
          { atMs: 0, route: '/slow', serviceMs: 100 },
          { atMs: 10, route: '/fast', serviceMs: 5 },
        ],
        pool: { maxPoolSize: 1, requestTimeoutMs: 60, connectMs: 4 },
      }),
    ).toEqual(['0 requestTimeout 60', '1 ok 69']);
  });

  test('in a divided pool, too', () => {
    expect(endsWith({ kind: 'split', maxPoolSize: 2, ...division })).toEqual([
      '2 ok 7',
      '3 ok 12',
      '0 requestTimeout 60',
      '1 requestTimeout 61',
      '4 requestTimeout 210',
    ]);
    expect(endsWith({ kind: 'limited', maxPoolSize: 2, ...division })).toEqual([
      '1 refused 1',
      '2 ok 7',
      '3 ok 12',
      '0 requestTimeout 60',
      '4 requestTimeout 210',
    ]);
  });

  test("is the app's: the user goes on, which a client's timeout does not let it", () => {
    const workload = {
      phases: [{ durationMs: 1, arrivalCount: 1 }],
      scenarios: [scenarioOf('/slow', '/fast')],
    };
    const { requests, failuresBy } = simulate({ workload, services, pool: { maxPoolSize: 1, requestTimeoutMs: 60 } });
    expect({ requests, ...failuresBy }).toMatchObject({ requests: 2, requestTimeout: 1, clientTimeout: 0 });
    const impatient = simulate({
      workload: { ...workload, timeoutMs: 50 },
      services,
      pool: { maxPoolSize: 1, requestTimeoutMs: 60 },
    });
    expect({ requests: impatient.requests, ...impatient.failuresBy }).toMatchObject({
      requests: 1,
      requestTimeout: 0,
      clientTimeout: 1,
    });
  });
});

describe('invalid sizes', () => {
  test.each([
    [{ kind: 'split', maxPoolSize: 2, slowSize: 2 }, /slowSize must be a whole number from 1 to 1, not 2/],
    [{ kind: 'limited', maxPoolSize: 2, slowSize: 0 }, /slowSize must be a whole number of at least 1, not 0/],
    [
      { kind: 'split', maxPoolSize: 2, slowSize: 1, slowLimit: 0 },
      /slowLimit must be a whole number of at least 1, not 0/,
    ],
    [
      { kind: 'split', maxPoolSize: 2, slowSize: 1, minPoolSize: 2 },
      /minPoolSize must be a whole number from 0 to 1, not 2/,
    ],
    [
      { kind: 'limited', maxPoolSize: 2, slowSize: 1, waitQueueTimeoutMS: -1 },
      /waitQueueTimeoutMS must be at least 0 \(no timeout\), not -1/,
    ],
    [{ maxPoolSize: 2, requestTimeoutMs: NaN }, /requestTimeoutMs must be at least 0 \(no deadline\), not NaN/],
    [
      { kind: 'torn', maxPoolSize: 2 },
      /Unknown kind of pool "torn": allowed are driver, pipelining, split and limited/,
    ],
  ])('%j', (options, message) => {
    const pool = /** @type {PoolOptions} */ ({ slowRoutes: ['/slow'], ...options });
    expect(() => simulate({ arrivals, pool })).toThrow(message);
  });
});

test('split: a user who gives up makes room for the next, on a connection opened on demand', () => {
  const { ends, connections } = runEnds({
    workload: { phases: [], scenarios: [], timeoutMs: 50 },
    arrivals: [
      { atMs: 0, route: '/slow', serviceMs: 100 },
      { atMs: 10, route: '/slow', serviceMs: 100 },
      { atMs: 30, route: '/slow', serviceMs: 5 },
    ],
    pool: { kind: 'split', maxPoolSize: 2, ...division },
  });
  // The first gives up at 50 while it is served, the second at 60 too; the third gets its place.
  expect(ends).toEqual(['0 clientTimeout 50', '1 clientTimeout 60', '2 ok 65']);
  expect(connections).toBe(2);
});

test('limited: a user who gives up, in the wait queue or while it is served, makes room for the next', () => {
  expect(
    endsOf({
      workload: { phases: [], scenarios: [], timeoutMs: 50 },
      arrivals: [
        { atMs: 0, route: '/fast', serviceMs: 60 },
        { atMs: 1, route: '/slow', serviceMs: 5 },
        { atMs: 2, route: '/slow', serviceMs: 5 },
        { atMs: 52, route: '/slow', serviceMs: 100 },
        { atMs: 110, route: '/slow', serviceMs: 5 },
      ],
      pool: { kind: 'limited', maxPoolSize: 1, ...division },
    }),
  ).toEqual(['2 refused 2', '0 clientTimeout 50', '1 clientTimeout 51', '3 clientTimeout 102', '4 ok 115']);
});

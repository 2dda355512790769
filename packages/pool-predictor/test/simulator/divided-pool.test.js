import { describe, expect, test } from '@jest/globals';
import { simulate } from '../../src/simulator/simulate.js';

/** @import { PoolOptions } from '../../src/simulator/create-pool.js' */

const arrivals = [
  { atMs: 0, route: '/slow', serviceMs: 100 }, { atMs: 1, route: '/slow', serviceMs: 100 },
  { atMs: 2, route: '/fast', serviceMs: 5 }, { atMs: 3, route: '/fast', serviceMs: 5 },
  { atMs: 150, route: '/slow', serviceMs: 100 },
];

/** @param {PoolOptions} pool */
function waitsIn(pool) {
  const { records = [], ...result } = simulate({ arrivals, pool, keepRequests: true });
  return { ...result, waits: records.toSorted((a, b) => a.user - b.user).map(({ waitMs }) => waitMs) };
}

const division = { slowRoutes: ['/slow'], slowSize: 1 };

test('in one pool, fast requests wait for slow ones', () => {
  expect(waitsIn({ maxPoolSize: 2 }).waits).toEqual([0, 0, 98, 98, 0]);
});

test('split: slow requests wait for slow ones, fast requests for fast ones', () => {
  const { waits, peakActive, connections } = waitsIn({ kind: 'split', maxPoolSize: 2, ...division });
  expect(waits).toEqual([0, 99, 0, 4, 50]);
  expect({ peakActive, connections }).toEqual({ peakActive: 2, connections: 2 });
});

test('limited: slow requests leave a connection to fast ones', () => {
  expect(waitsIn({ kind: 'limited', maxPoolSize: 2, ...division }).waits).toEqual([0, 99, 0, 4, 50]);
  expect(waitsIn({ kind: 'limited', maxPoolSize: 3, ...division }).waits).toEqual([0, 99, 0, 0, 50]);
});

test('limited: an admitted slow request still waits for a connection', () => {
  const { waits } = waitsIn({ kind: 'limited', maxPoolSize: 1, ...division });
  // The second slow request is admitted when the first one is done: behind both fast requests.
  expect(waits).toEqual([0, 109, 98, 102, 60]);
});

test('limited: an admitted user who gives up lets the next one in', () => {
  const { requests, failures } = simulate({
    arrivals,
    workload: { phases: [], scenarios: [], timeoutMs: 120 },
    pool: { kind: 'limited', maxPoolSize: 3, ...division },
  });
  expect({ requests, failures }).toEqual({ requests: 5, failures: 1 });
});

describe('invalid sizes', () => {
  test.each([
    [{ kind: 'split', maxPoolSize: 2, slowSize: 2 }, /slowSize must be a whole number from 1 to 1, not 2/],
    [{ kind: 'limited', maxPoolSize: 2, slowSize: 3 }, /slowSize must be a whole number from 1 to 2, not 3/],
    [{ kind: 'limited', maxPoolSize: 2, slowSize: 0 }, /slowSize/],
    [{ kind: 'torn', maxPoolSize: 2 }, /Unknown kind of pool "torn": allowed are driver, pipelining, split and limited/],
  ])('%j', (options, message) => {
    const pool = /** @type {PoolOptions} */ ({ slowRoutes: ['/slow'], ...options });
    expect(() => simulate({ arrivals, pool })).toThrow(message);
  });
});

test.each([
  ['split', 2], ['limited', 1],
])('%s: a user who gives up makes room for the next, on a connection opened on demand', (kind, open) => {
  const { records = [], connections } = simulate({
    workload: { phases: [], scenarios: [], timeoutMs: 50 },
    arrivals: [
      { atMs: 0, route: '/slow', serviceMs: 100 }, { atMs: 10, route: '/slow', serviceMs: 100 },
      { atMs: 30, route: '/slow', serviceMs: 5 },
    ],
    pool: /** @type {PoolOptions} */ ({ kind, maxPoolSize: 2, ...division }), keepRequests: true,
  });
  // The first gives up at 50 while it is served, the second at 60 too; the third gets its place.
  expect(records.map(({ user, outcome, finishedAtMs }) => `${user} ${outcome} ${finishedAtMs}`))
    .toEqual(['0 clientTimeout 50', '1 clientTimeout 60', '2 ok 65']);
  expect(connections).toBe(open);
});

test('limited: a user who gives up in the wait queue makes room for the next', () => {
  const { records = [] } = simulate({
    workload: { phases: [], scenarios: [], timeoutMs: 50 },
    arrivals: [
      { atMs: 0, route: '/slow', serviceMs: 30 }, { atMs: 1, route: '/slow', serviceMs: 5 },
      { atMs: 2, route: '/fast', serviceMs: 100 }, { atMs: 3, route: '/fast', serviceMs: 100 },
      { atMs: 40, route: '/slow', serviceMs: 5 },
    ],
    pool: { kind: 'limited', maxPoolSize: 1, ...division }, keepRequests: true,
  });
  expect(records.map(({ user, outcome, finishedAtMs }) => `${user} ${outcome} ${finishedAtMs}`)).toEqual([
    '0 ok 30', '1 clientTimeout 51', '2 clientTimeout 52', '3 clientTimeout 53', '4 ok 58',
  ]);
});

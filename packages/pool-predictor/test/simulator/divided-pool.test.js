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

const apart = { slowRoutes: ['/slow'], slowSize: 1 };

test('undivided, the fast ones wait for the slow ones', () => {
  expect(waitsIn({ maxPoolSize: 2 }).waits).toEqual([0, 0, 98, 98, 0]);
});

test('with a pool of their own the slow ones wait for each other, the fast ones for the fast', () => {
  const { waits, peakActive, connections } = waitsIn({ kind: 'split', maxPoolSize: 2, ...apart });
  expect(waits).toEqual([0, 99, 0, 4, 50]);
  expect({ peakActive, connections }).toEqual({ peakActive: 2, connections: 2 });
});

test('limited, the slow ones leave a connection to the fast ones', () => {
  expect(waitsIn({ kind: 'limited', maxPoolSize: 2, ...apart }).waits).toEqual([0, 99, 0, 4, 50]);
  expect(waitsIn({ kind: 'limited', maxPoolSize: 3, ...apart }).waits).toEqual([0, 99, 0, 0, 50]);
});

test('a slow one through the gate still queues for the pool', () => {
  const { waits } = waitsIn({ kind: 'limited', maxPoolSize: 1, ...apart });
  // The second slow one asks the pool when the first is done: behind both fast ones.
  expect(waits).toEqual([0, 109, 98, 102, 60]);
});

test('who passes the gate and gives up then lets the next one in', () => {
  const { requests, failures } = simulate({
    arrivals,
    workload: { phases: [], scenarios: [], timeoutMs: 120 },
    pool: { kind: 'limited', maxPoolSize: 3, ...apart },
  });
  expect({ requests, failures }).toEqual({ requests: 5, failures: 1 });
});

describe('sizes that cannot be', () => {
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
])('%s, who gives up leaves its place to the next, on a connection that is opened when it is needed', (kind, open) => {
  const { records = [], connections } = simulate({
    workload: { phases: [], scenarios: [], timeoutMs: 50 },
    arrivals: [
      { atMs: 0, route: '/slow', serviceMs: 100 }, { atMs: 10, route: '/slow', serviceMs: 100 },
      { atMs: 30, route: '/slow', serviceMs: 5 },
    ],
    pool: /** @type {PoolOptions} */ ({ kind, maxPoolSize: 2, ...apart }), keepRequests: true,
  });
  // The first gives up at 50 while it is served, the second at 60 too; the third gets its place.
  expect(records.map(({ user, outcome, finishedAtMs }) => `${user} ${outcome} ${finishedAtMs}`))
    .toEqual(['0 clientTimeout 50', '1 clientTimeout 60', '2 ok 65']);
  expect(connections).toBe(open);
});

test('limited, who gives up while it waits in the pool leaves its place to the next', () => {
  const { records = [] } = simulate({
    workload: { phases: [], scenarios: [], timeoutMs: 50 },
    arrivals: [
      { atMs: 0, route: '/slow', serviceMs: 30 }, { atMs: 1, route: '/slow', serviceMs: 5 },
      { atMs: 2, route: '/fast', serviceMs: 100 }, { atMs: 3, route: '/fast', serviceMs: 100 },
      { atMs: 40, route: '/slow', serviceMs: 5 },
    ],
    pool: { kind: 'limited', maxPoolSize: 1, ...apart }, keepRequests: true,
  });
  expect(records.map(({ user, outcome, finishedAtMs }) => `${user} ${outcome} ${finishedAtMs}`)).toEqual([
    '0 ok 30', '1 clientTimeout 51', '2 clientTimeout 52', '3 clientTimeout 53', '4 ok 58',
  ]);
});

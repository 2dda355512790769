import { expect, test } from '@jest/globals';
import { parseSlo, simulate } from 'mongodb-pool-predictor';
import { joinRequests } from '../../sweep/measured-requests.js';
import { replayRequests } from '../../sweep/replayed-load.js';
import { judgeGoal, judgeGoals, measureGoals, summariseSweep } from '../../sweep/sweep-figures.js';
import { seeRequests } from './recordings.js';

/** @param {number[]} atMs of requests that take 10 ms */
const measure = (atMs) =>
  joinRequests(seeRequests(atMs.map((ms) => ({ atMs: ms, route: '/x', totalMs: 10, queries: [[0, 0, 9]] }))));

/** @type {import('mongodb-pool-predictor').Service} */
const service = { kind: 'requests', requests: [{ queriesMs: [9], restMs: 1 }] };

test('callers that wait for their answers are a closed loop, at any size of the pool', () => {
  // Four callers, each with a pause of 1 ms.
  const { load, callers } = replayRequests(
    measure([0, 1, 2, 3].flatMap((first) => Array.from({ length: 50 }, (_, round) => first + round * 11))),
    4,
  );
  expect(callers).toBe(4);
  const { requests, routes } = simulate({
    arrivals: load.arrivals(1, 1),
    services: { '/x': service },
    pool: { maxPoolSize: 1 },
  });
  // One connection does a query in 9 ms, for 542 ms.
  expect(requests).toBeGreaterThan(58);
  expect(requests).toBeLessThan(66);
  expect(routes['/x'].p95Ms).toBeLessThan(40);
  expect([...load.arrivals(1, 2)]).toHaveLength(8);
});

test('requests that arrive on their own still do when the pool is small', () => {
  const { load, callers } = replayRequests(measure(Array.from({ length: 100 }, (_, index) => index * 20)), 4);
  expect(callers).toBe(0);
  expect([...load.arrivals(1, 1)].map(({ atMs }) => Math.round(atMs)).slice(0, 3)).toEqual([0, 20, 40]);
});

test('a crowd that grows is no closed loop', () => {
  const growing = joinRequests(
    seeRequests(
      Array.from({ length: 100 }, (_, index) => ({
        atMs: index * 5,
        route: '/x',
        totalMs: 10 + index * 5,
        queries: [[0, index * 5, 9]],
      })),
    ),
  );
  expect(replayRequests(growing, 1).callers).toBe(0);
});

const seen = seeRequests([
  {
    atMs: 100,
    route: '/b',
    totalMs: 50,
    queries: [
      [10, 5, 20],
      [40, 0, 5],
    ],
  },
  {
    atMs: 0,
    route: '/a',
    totalMs: 30,
    queries: [
      [0, 0, 20],
      [5, 0, 20],
    ],
  },
  { atMs: 200, route: '/a', status: 500, totalMs: 3, queries: [] },
  { atMs: 300, route: '/health', totalMs: 2, queries: [] },
]);
const requests = joinRequests(seen);

test('a request has its checkouts, and the rest of its time', () => {
  expect(requests.map(({ route, checkouts, restMs }) => [route, checkouts.length, restMs])).toEqual([
    // Two queries at once count once.
    ['/a', 2, 5],
    ['/b', 2, 20],
    ['/a', 0, 3],
    ['/health', 0, 2],
  ]);
});

test('the same id in another process is another request', () => {
  const other = { ...seen.requests[0], source: 1 };
  expect(joinRequests({ ...seen, requests: [other] })[0].checkouts).toEqual([]);
});

test('the figures are those of good answers, by route', () => {
  const { routes, pool, ...totals } = summariseSweep(requests, seen.checkouts);
  expect(totals).toEqual({ requests: 4, failures: 1, maxMs: 50 });
  expect(routes['/a']).toEqual({
    count: 2,
    failures: 1,
    p50Ms: 30,
    p95Ms: 30,
    p99Ms: 30,
    maxMs: 30,
    queries: 2,
    waitP95Ms: 0,
    useP50Ms: 40,
  });
  expect(routes['/b']).toMatchObject({ count: 1, waitP95Ms: 5, useP50Ms: 25 });
  expect(pool).toMatchObject({ waitMaxMs: 5, useP95Ms: 20, peakActive: 2 });
});

test('a failed request misses every goal, and few requests give no verdict', () => {
  const slos = ['/a p50 < 40ms', '/a p95 < 40ms', '/b max < 50ms', '/c p50 < 1s'].map(parseSlo);
  const often = Array.from({ length: 30 }, () => requests).flat();
  const figures = measureGoals(slos, often);
  expect(figures.goals).toEqual({
    '/a p50 < 40 ms': 30,
    '/a p95 < 40 ms': null,
    '/b max < 50 ms': 50,
    '/c p50 < 1 s': null,
  });
  const measured = { ...summariseSweep(often, []), ...figures };
  expect(slos.map((slo) => judgeGoal(slo, measured))).toEqual(['met', 'missed', 'missed', 'unknown']);
  expect(judgeGoals([slos[0], slos[3]], measured)).toBe('unknown');
  expect(judgeGoals(slos, measured)).toBe('missed');
  const few = { ...summariseSweep(requests, []), ...measureGoals(slos, requests) };
  // A maximum is of these requests, and no estimate.
  expect(slos.map((slo) => judgeGoal(slo, few))).toEqual(['unknown', 'unknown', 'missed', 'unknown']);
});

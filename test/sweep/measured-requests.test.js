import { expect, test } from '@jest/globals';
import { parseSlo } from 'mongodb-pool-predictor';
import { joinRequests } from '../../src/sweep/measured-requests.js';
import { summariseSweep } from '../../src/sweep/sweep-figures.js';
import { measureGoals, meetsGoals } from '../../src/sweep/sweep-goals.js';
import { seeRequests } from './recordings.js';

const seen = seeRequests([
  { atMs: 100, route: '/b', totalMs: 50, queries: [[10, 5, 20], [40, 0, 5]] },
  { atMs: 0, route: '/a', totalMs: 30, queries: [[0, 0, 20], [5, 0, 20]] },
  { atMs: 200, route: '/a', status: 500, totalMs: 3, queries: [] },
  { atMs: 300, route: '/health', totalMs: 2, queries: [] },
]);
const requests = joinRequests(seen);

test('a request has its checkouts, and the rest of its time', () => {
  expect(requests.map(({ route, checkouts, restMs }) => [route, checkouts.length, restMs])).toEqual([
    // Two queries at once count once.
    ['/a', 2, 5], ['/b', 2, 20], ['/a', 0, 3], ['/health', 0, 2],
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
    count: 2, failures: 1, p50Ms: 30, p95Ms: 30, p99Ms: 30, maxMs: 30, queries: 2, waitP95Ms: 0, useP50Ms: 40,
  });
  expect(routes['/b']).toMatchObject({ count: 1, waitP95Ms: 5, useP50Ms: 25 });
  expect(pool).toMatchObject({ waitMaxMs: 5, useP95Ms: 20, peakActive: 2 });
});

test('a failed request misses every goal', () => {
  const slos = ['/a p50 < 40ms', '/a p95 < 40ms', '/b max < 50ms', '/c p50 < 1s'].map(parseSlo);
  const goals = measureGoals(slos, requests);
  expect(goals).toEqual({ '/a p50 < 40 ms': 30, '/a p95 < 40 ms': null, '/b max < 50 ms': 50, '/c p50 < 1 s': null });
  const measured = { ...summariseSweep(requests, []), goals };
  expect(slos.map((slo) => meetsGoals([slo], { measured }))).toEqual([true, false, false, false]);
  expect(meetsGoals(slos, { measured: null })).toBe(false);
});

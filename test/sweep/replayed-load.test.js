import { expect, test } from '@jest/globals';
import { simulate } from 'mongodb-pool-predictor';
import { joinRequests } from '../../src/sweep/measured-requests.js';
import { replayRequests } from '../../src/sweep/replayed-load.js';
import { seeRequests } from './recordings.js';

/** @param {number[]} atMs of requests that take 10 ms */
const measure = (atMs) => joinRequests(seeRequests(atMs.map((ms) => ({ atMs: ms, route: '/x', totalMs: 10, queries: [[0, 0, 9]] }))));

/** @type {import('mongodb-pool-predictor').Service} */
const service = { kind: 'requests', requests: [{ queriesMs: [9], restMs: 1 }] };

test('callers that wait for their answers are a closed loop, at any size of the pool', () => {
  // Four callers, each with a pause of 1 ms.
  const { load, callers } = replayRequests(measure([0, 1, 2, 3].flatMap((first) => Array.from({ length: 50 }, (_, round) => first + round * 11))), 4);
  expect(callers).toBe(4);
  const { requests, routes } = simulate({ arrivals: load.arrivals(1, 1), services: { '/x': service }, pool: { maxPoolSize: 1 } });
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
  const growing = joinRequests(seeRequests(Array.from({ length: 100 }, (_, index) => (
    { atMs: index * 5, route: '/x', totalMs: 10 + index * 5, queries: [[0, index * 5, 9]] }))));
  expect(replayRequests(growing, 1).callers).toBe(0);
});

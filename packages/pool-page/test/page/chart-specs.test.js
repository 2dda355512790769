import { expect, test } from '@jest/globals';
import { failuresOf, latencyOf, latestOf, listPoints, successesOf } from 'mongodb-pool-page/page/chart-specs.js';
import { formatTick, isPowerOfTen } from 'mongodb-pool-page/page/log-axis.js';
import { createSecond } from './sample-pool.js';

const fast = { count: 10, failures: 3, p50Ms: 4, p95Ms: 900, maxMs: 901, waitP95Ms: 890 };
const seconds = [
  createSecond({ atMs: 1000, routes: { '/fast': fast } }),
  createSecond({ atMs: 2003, routes: {} }),
  createSecond({ atMs: 2998, routes: { '/slow': { ...fast, failures: 1 } } }),
];

test('points count back from the latest second, and a route without requests leaves a gap', () => {
  const points = listPoints(seconds, latencyOf(['/fast'], 'p95Ms'));

  expect(points).toEqual([
    { x: -2, y: 900 },
    { x: -1, y: null },
    { x: 0, y: null },
  ]);
  expect(latestOf(points)).toBe(900);
  expect(latestOf([])).toBeNull();
});

test('a request counts as a success or a failure, never both', () => {
  expect(listPoints(seconds, successesOf(['/fast'])).map(({ y }) => y)).toEqual([7, 0, 0]);
  expect(listPoints(seconds, failuresOf).map(({ y }) => y)).toEqual([3, 0, 1]);
});

test('of several routes in one line the slowest counts, and all their requests', () => {
  const both = createSecond({ routes: { '/a': fast, '/b': { ...fast, p95Ms: 20 } } });
  expect(latencyOf(['/a', '/b', '/c'], 'p95Ms')(both)).toBe(900);
  expect(latencyOf(['/c'], 'p95Ms')(both)).toBeUndefined();
  expect(successesOf(['/a', '/b', '/c'])(both)).toBe(14);
});

test('a logarithmic axis has ticks at the powers of ten', () => {
  expect([0.1, 1, 2, 10, 500, 1000, 10_000].filter(isPowerOfTen)).toEqual([0.1, 1, 10, 1000, 10_000]);
  expect([1, 100, 10_000].map(formatTick)).toEqual(['1 ms', '100 ms', '10 s']);
});

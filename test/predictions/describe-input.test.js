import { expect, test } from '@jest/globals';
import {
  describeCoverage, describePool, describeSharedPool, describeTraceQueries, describeTraceRoutes,
} from '../../src/predictions/describe-input.js';

test('the times cover the rest of a response only where it was measured', () => {
  expect(describeCoverage(undefined, '')).toBe('The times cover only the wait for a connection and its use, not the rest of a '
    + 'response. --app or --from tells how long that takes.');
  expect(describeCoverage({ kind: 'sample', valuesMs: [1, 2, 30] }, 'in result.json')).toBe(
    'The times are whole responses: the wait for a connection, its use, and the overhead, 2 ms (median of 3 in result.json).');
  expect(describeCoverage({ kind: 'fixed', ms: 3 }, 'of the app')).toContain('as it is of the app');
});

const app = 'the app at http://127.0.0.1';

test('the simulated pool is named in one line', () => {
  expect(describePool({ settings: { poolSize: 10, slowPoolSize: 2, waitQueueTimeoutMs: 500 }, app })).toBe(
    'The simulated pool is that of the app at http://127.0.0.1: 10 connections, 2 more for /slow, wait-queue timeout 500 ms. '
    + 'Only the size of the main pool changes.');
});

test('an advice says when it is not for the app\'s pool', () => {
  expect(describeSharedPool({ settings: { poolSize: 10, requestTimeoutMs: 150_000 }, app })).toBe('');
  expect(describeSharedPool({ settings: { poolSize: 10, slowConcurrency: 2 }, app })).toBe(
    'The advice is for one pool that all routes share, without timeouts. That is not the pool of the app at '
    + 'http://127.0.0.1: 10 connections, at most 2 requests of /slow at once.');
});

test.each([
  [['/fast', 'GET /orders'], 1], [['/graphql'], 1], [['GET /orders', 'POST /orders', '/graphql GetUser', 'checkout'], 0], [[], 0],
])('a trace with the routes %j: %i notes that paths are not enough', (routes, count) => {
  expect(describeTraceRoutes(routes)).toHaveLength(count);
});

test('a trace tells how many queries a request makes, if it numbers requests', () => {
  const trace = {
    header: {}, routes: ['/orders', '/fast'], routeOf: [0, 0, 0, 1, 0, 0], requestOf: [7, 7, 7, 8, 9, 9], warnings: [],
    checkOutStartedMs: [0, 1, 2, 3, 4, 5], waitMs: [0, 0, 0, 0, 0, 0], useMs: [1, 1, 1, 1, 1, 1],
  };
  expect(describeTraceQueries(trace)).toEqual([
    'Some requests make several queries: 2.5 for /orders, on average. The figures are those of one query.']);
  expect(describeTraceQueries({ ...trace, requestOf: [1, 2, 3, 4, 5, 6] })).toEqual([]);
  expect(describeTraceQueries({ ...trace, requestOf: undefined })).toEqual([]);
});

import { expect, test } from '@jest/globals';
import { describeFailures, summariseReport } from '../../src/harness/artillery.js';

const report = {
  counters: {
    'http.requests': 10,
    'http.codes.200': 6,
    'http.codes.503': 3,
    'errors.ETIMEDOUT': 1,
    'plugins.metrics-by-endpoint./slow.codes.503': 3,
  },
  summaries: {
    'http.response_time': { min: 3, max: 506, count: 9, p50: 4, p95: 507.8, p99: 507.8 },
    'plugins.metrics-by-endpoint.response_time./slow': { min: 504, max: 506, count: 4, p50: 502.1, p95: 507.8, p99: 507.8 },
  },
};

test('whatever has no answer of 200 to 399 is a failure', () => {
  expect(summariseReport(report)).toMatchObject({ requests: 10, failures: 4, maxMs: 506 });
});

test('percentiles of the sketch are held between the exact minimum and maximum', () => {
  expect(summariseReport(report).routes).toEqual({ '/slow': { count: 4, p50Ms: 504, p95Ms: 506, p99Ms: 506, maxMs: 506 } });
});

test('failures are listed by kind', () => {
  expect(describeFailures(report)).toBe('3 x HTTP 503, 1 x ETIMEDOUT');
});

test('a run in which nobody was answered has no maximum', () => {
  expect(summariseReport({ counters: { 'http.requests': 2 }, summaries: {} })).toEqual(
    { requests: 2, failures: 2, maxMs: null, routes: {} });
});

import { expect, test } from '@jest/globals';
import { describeFailures, summariseReport } from '../../src/load-tests/artillery.js';
import { compareUsers } from '../../src/load-tests/sent-users.js';

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
    'plugins.metrics-by-endpoint.response_time./slow': {
      min: 504,
      max: 506,
      count: 4,
      p50: 502.1,
      p95: 507.8,
      p99: 507.8,
    },
  },
};

test('whatever has no answer of 200 to 399 is a failure', () => {
  expect(summariseReport(report)).toMatchObject({ requests: 10, failures: 4, maxMs: 506 });
});

test('percentiles of the sketch are held between the exact minimum and maximum', () => {
  expect(summariseReport(report).routes).toEqual({
    '/slow': { count: 4, p50Ms: 504, p95Ms: 506, p99Ms: 506, maxMs: 506 },
  });
});

test('failures are listed by kind', () => {
  expect(describeFailures(report)).toBe('3 x HTTP 503, 1 x ETIMEDOUT');
});

test('a run in which nobody was answered has no maximum', () => {
  expect(summariseReport({ counters: { 'http.requests': 2 }, summaries: {} })).toEqual({
    requests: 2,
    failures: 2,
    maxMs: null,
    routes: {},
  });
});

/** @typedef {import('mongodb-pool-predictor').Workload['phases'][number]} Phase */

const uniform = [{ durationMs: 10_000, arrivalCount: 3000 }];
const poisson = [{ durationMs: 10_000, arrivalRate: 300, mode: /** @type {const} */ ('poisson') }];

/** @type {[Phase[], Record<string, number>, string | undefined][]} */
const CASES = [
  [uniform, { 'vusers.created': 3000 }, undefined],
  [uniform, { 'vusers.created': 2999 }, 'Artillery sent 2999 users instead of 3000 (0 %)'],
  [uniform, { 'vusers.created': 2900, 'vusers.skipped': 100 }, undefined],
  [uniform, {}, 'Artillery sent 0 users instead of 3000 (-100 %)'],
  [poisson, { 'vusers.created': 2840 }, undefined],
  [
    poisson,
    { 'vusers.created': 2700 },
    "Artillery sent 2700 users instead of 3000 (-10 %), which is not chance: the load was not the scenario's",
  ],
  [poisson, { 'vusers.created': 3300 }, 'Artillery sent 3300 users instead of 3000 (+10 %)'],
];

test.each(CASES)('%j and %j: %s', (phases, counters, warning) => {
  const { figures, warnings } = compareUsers({ phases }, { counters, summaries: {} });
  expect(figures.usersPlanned).toBe(3000);
  expect(figures.usersSent).toBe((counters['vusers.created'] ?? 0) + (counters['vusers.skipped'] ?? 0));
  expect(warnings).toEqual(warning ? [expect.stringContaining(warning)] : []);
});

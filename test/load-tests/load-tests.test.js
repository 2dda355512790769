import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { readScenario } from 'mongodb-pool-predictor/node';
import { describeFailures, summariseReport } from '../../src/load-tests/artillery.js';
import { findArrivals, workOut } from '../../src/load-tests/exact-times.js';
import { MIXED_SCENARIO } from '../../src/load-tests/load-test-runner.js';
import { compareUsers, foreseeLostUsers } from '../../src/load-tests/sent-users.js';
import { scratchFolder } from 'test-support/cleanup.js';

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

const folder = await scratchFolder();
const article = {
  workload: await readScenario(MIXED_SCENARIO, {}),
  routes: ['/slow', '/fast'],
  poolSize: 1,
  slowMs: 5000,
};

/** @param {[string, number][]} starts route and checkOutStarted */
const checkouts = (starts) => starts.map(([route, checkOutStartedAtMs]) => ({ route, checkOutStartedAtMs }));

test('with a pool of 1, whoever comes late keeps all behind it waiting', () => {
  expect(workOut(article).maxMs).toBe(21_000);
  const starts = checkouts([
    ['/slow', 108],
    ['/fast', 5110],
    ['/slow', 1101],
    ['/slow', 2102],
    ['/slow', 3101],
    ['/slow', 4103],
  ]);
  const arrivals = findArrivals(article, starts);
  expect(arrivals).toEqual([0, 993, 1994, 2993, 3995].map((atMs) => ({ atMs })));
  expect(workOut(article, { arrivals }).maxMs).toBe(25_000 - 3995);
});

test('the first query of a user tells when it came, if it makes no second one like it', async () => {
  const file = path.join(folder, 'scenario.yaml');
  const read = async (/** @type {string[]} */ flow) => {
    await writeFile(
      file,
      JSON.stringify({
        config: { phases: [{ duration: 2, arrivalCount: 2 }] },
        scenarios: [{ flow: flow.map((url) => ({ get: { url } })) }],
      }),
    );
    return { ...article, workload: await readScenario(file, {}) };
  };
  const starts = checkouts([
    ['/fast', 10],
    ['/slow', 11],
    ['/fast', 1010],
    ['/slow', 1012],
  ]);
  expect(
    findArrivals({ ...(await read(['/livez', '/fast', '/slow'])), routes: ['/livez', '/fast', '/slow'] }, starts),
  ).toEqual([{ atMs: 0 }, { atMs: 1000 }]);
  expect(findArrivals(await read(['/fast', '/slow', '/fast']), starts)).toBeUndefined();
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

test.each([
  [[], 1, undefined],
  [uniform, 1, undefined],
  [[{ ...poisson[0], mode: /** @type {const} */ ('uniform') }], 1, undefined],
  [[{ ...poisson[0], arrivalRate: 99 }], 1, undefined],
  [poisson, 4, undefined],
  [[{ ...poisson[0], arrivalRate: 100 }], 1, 'up to 100 users per second in a worker thread'],
  [poisson, 1, 'will send about 8 % fewer'],
  [poisson, 2, 'will send about 4 % fewer'],
])('%j with %i workers is expected to lose users: %s', (phases, workers, warning) => {
  expect(foreseeLostUsers({ phases }, workers)).toEqual(warning ? [expect.stringContaining(warning)] : []);
});

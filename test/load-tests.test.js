import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import { formatQuantity } from 'mongodb-pool-page/universal/quantity.js';
import { readWorkload } from 'mongodb-pool-predictor';
import { scratchFolder } from 'test-support/cleanup.js';
import { parse } from 'yaml';
import { describeFailures, summariseReport, compareUsers } from '../src/load-tests/artillery.js';
import { describeChanges, describeLoadTest, LoadTestList } from '../src/live/browser/load-tests.js';

/** @import { LoadTest } from '../src/load-tests/load-test-runner.js' */

const FOLDER = 'loadtests';
const files = (await readdir(FOLDER)).filter((name) => name.endsWith('.yaml'));

describe('reports', () => {
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
});

describe('on the page', () => {
  /** @param {Partial<LoadTest>} [overrides] @returns {LoadTest} */
  function createLoadTest(overrides) {
    return {
      id: 1,
      scenario: 'mixed.yaml',
      poolSize: 1,
      slowMs: 5000,
      startedAt: '2026-11-20T10:00:00.000Z',
      changes: [],
      state: 'running',
      progress: 0.5,
      leftMs: 10_000,
      ...overrides,
    };
  }

  /** @param {LoadTest} loadTest */
  const describeTest = (loadTest) => describeLoadTest(loadTest, (ms) => formatQuantity(ms, 'ms'));

  test('a load test is updated, and the latest comes first', () => {
    const list = new LoadTestList();
    list.take(createLoadTest({ id: 1, state: 'done' }));
    const later = createLoadTest({ id: 2, startedAt: '2026-11-20T11:00:00.000Z', progress: 0 });
    list.take(later);
    list.take({ ...later, progress: 0.4 });

    expect(list.tests.map(({ id, progress }) => [id, progress])).toEqual([
      [2, 0.4],
      [1, 0.5],
    ]);
  });

  test('the end of a load test is noticed once, and not that of one that had ended before', () => {
    const list = new LoadTestList();
    const [running, done, failed] = /** @type {const} */ (['running', 'done', 'failed']).map((state) => ({ state }));
    const ends = [
      [1, done],
      [2, running],
      [2, running],
      [2, done],
      [2, done],
      [3, running],
      [3, failed],
    ].map(([id, state]) => list.take(createLoadTest({ id: Number(id), ...Object(state) })));

    expect(ends).toEqual([false, false, false, true, false, false, true]);
  });

  test('a load test in a sentence', () => {
    const measured = {
      requests: 10,
      failures: 0,
      maxMs: 21_117,
      routes: { '/fast': { count: 5, p50Ms: 1, p95Ms: 2, p99Ms: 2, maxMs: 20_071 } },
    };

    expect(describeTest(createLoadTest({ state: 'done', measured }))).toBe(
      'With a pool of 1, the slowest request took 21.1 s, the slowest /fast 20.1 s; no request failed.',
    );
    const failing = { ...measured, failures: 2, routes: {} };
    expect(describeTest(createLoadTest({ state: 'done', measured: failing }))).toBe(
      'With a pool of 1, the slowest request took 21.1 s; 2 requests failed.',
    );
    expect(describeTest(createLoadTest({ state: 'failed', error: 'port in use' }))).toBe(
      'The load test failed: port in use',
    );
  });

  test('a load test during which somebody changed the pool says so', () => {
    const changes = [
      { poolSize: 10, slowMs: 5000, afterMs: 6200 },
      { poolSize: 3, slowMs: 500, afterMs: 8000 },
    ];
    const measured = { requests: 10, failures: 0, maxMs: 9000, routes: {} };

    expect(describeChanges(createLoadTest())).toBe('');
    expect(describeChanges(createLoadTest({ changes }))).toBe(
      'changed during the test: the pool size to 10 after 6.2 s, ' +
        'the pool size to 3 and how long a bus takes to 0.5 s after 8.0 s',
    );
    expect(describeTest(createLoadTest({ state: 'done', measured, changes: changes.slice(0, 1) }))).toBe(
      'With a pool of 1 (changed during the test: the pool size to 10 after 6.2 s), the slowest request took 9.0 s; ' +
        'no request failed.',
    );
  });
});

describe('the scenarios', () => {
  test('the promised scenarios are there', () => {
    expect(files).toEqual(
      expect.arrayContaining([
        'burst.yaml',
        'fast-only.yaml',
        'mixed.yaml',
        'ramp.yaml',
        'remedies.yaml',
        'slow-only.yaml',
        'users-and-admins.yaml',
      ]),
    );
  });

  describe.each(files)('%s', (name) => {
    const file = path.join(FOLDER, name);

    test('says what it teaches, has thresholds, and can be sent elsewhere', async () => {
      const text = await readFile(file, 'utf8');
      expect(text).toMatch(/^#.+\n(#.*\n)*# What it teaches: /);
      const { config } = parse(text);
      expect(config.plugins.ensure.thresholds.length).toBeGreaterThan(0);
      expect(config.environments).toMatchObject({ smoke: {}, remote: { target: '{{ $env.TARGET_URL }}' } });
    });

    test('goes to the PORT of the app, and shows figures by route in the terminal', async () => {
      const { config, scenarios } = parse(await readFile(file, 'utf8'));
      expect(config).toMatchObject({ target: 'http://127.0.0.1:{{ $env.PORT }}', processor: './find-app.js' });
      expect(scenarios.map((/** @type {any} */ { beforeRequest }) => beforeRequest)).toEqual(
        scenarios.map(() => 'findApp'),
      );
      expect(config.plugins['metrics-by-endpoint']).toEqual({ stripQueryString: true });
    });

    test('can be predicted without a warning', async () => {
      const text = await readFile(file, 'utf8');
      for (const environment of [undefined, 'smoke', 'remote']) {
        expect(readWorkload(text, { file, environment }).warnings).toEqual([]);
      }
    });
  });

  describe('without PORT in the environment', () => {
    const home = process.cwd();
    afterEach(() => process.chdir(home));

    test.each([
      ['no .env', undefined, 3000],
      ['a .env without it', 'SLOW_MS=500\n', 3000],
      ['a .env with it', 'PORT="3100" # ours\n', 3100],
    ])("%s: the port is the app's own", async (name, env, port) => {
      process.chdir(await scratchFolder());
      if (env) await writeFile('.env', env);
      const { findApp } = await import(`../loadtests/find-app.js?${name}`);
      const context = { vars: { target: 'http://127.0.0.1:undefined' } };
      for (const target of ['http://127.0.0.1:undefined', 'http://127.0.0.1:']) {
        const request = { url: `${target}/slow?of=1` };
        await findApp(request, context);
        expect([request.url, context.vars.target]).toEqual([
          `http://127.0.0.1:${port}/slow?of=1`,
          `http://127.0.0.1:${port}`,
        ]);
      }
    });

    test('another target stays as it is', async () => {
      const { findApp } = await import('../loadtests/find-app.js');
      const target = 'http://127.0.0.1:8080';
      const [request, context] = [{ url: `${target}/slow` }, { vars: { target } }];
      await findApp(request, context);
      expect([request.url, context.vars.target]).toEqual([`${target}/slow`, target]);
    });
  });
});

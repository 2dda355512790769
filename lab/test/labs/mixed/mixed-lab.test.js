import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { createRunSimulator, createScenarioLoad, parseServices } from 'mongodb-pool-predictor';
import { readScenario } from 'mongodb-pool-predictor/node';
import { labs } from '../../../labs/index.js';
import { checkRequests } from '../../../labs/mixed/check-requests.js';
import { mixed } from '../../../labs/mixed/mixed-lab.js';
import { MIXED_SCENARIO } from '../../../../src/load-tests/load-test-runner.js';
import { readSettings } from '../../../../src/settings.js';
import { workOut } from '../../../../src/load-tests/exact-times.js';
import { createSampleResult } from '../../report/sample-result.js';
import { findArrivals, sampleLoad } from '../../../labs/mixed/load-samples.js';
import { renderHtml } from '../../../report/html.js';
import { renderTable } from '../../../report/table.js';
import { serveApp } from '../../../../test/support/serve-app.js';
import { scratchFolder } from 'test-support/cleanup.js';

const folder = await scratchFolder();
const settings = readSettings({}, '');
const article = { poolSizes: [1, 2, 3, 10], slowMs: 5000, scenario: MIXED_SCENARIO };
const UNLOADED = { unloaded: { serviceMs: 2, overheadMs: 3 } };

/** @param {Awaited<ReturnType<typeof mixed.plan>>} plan @param {object} [changes] of the app's settings */
const predictFirst = async (plan, changes) =>
  labs.mixed.predict?.(plan.variants[0], plan, UNLOADED, { ...settings, ...changes });

/** @param {string} name @param {string} text @returns {Promise<string>} its path */
async function writeScenario(name, text) {
  const scenario = path.join(folder, name);
  await writeFile(scenario, text);
  return scenario;
}

test('the exact answers of the article are 21, 7 and 5 s, beside what it published', async () => {
  const { variants } = await mixed.plan(article);
  expect(variants.map(({ settings, exact, published }) => [settings.poolSize, exact?.maxMs, published?.maxMs])).toEqual(
    [
      [1, 21_000, 21_142.7],
      [2, 11_000, undefined],
      [3, 7000, 9017],
      [10, 5000, 5019],
    ],
  );
});

test('the answer is the smallest pool with which nobody waits, where waits are known', () => {
  const result = createSampleResult();
  const judgeAll = (/** @type {(number | null | undefined)[]} */ waitsMs) => {
    for (const [index, waitMaxMs] of waitsMs.entries()) {
      const { measured } = result.variants[index];
      measured.pool = waitMaxMs === undefined ? undefined : { waitMaxMs };
    }
    return result.variants.map((variant) => mixed.judge?.(variant, result));
  };
  expect(judgeAll([20_064, 2014, 3])).toEqual([undefined, undefined, 'answer']);
  expect(judgeAll([20_064, 90, 3])).toEqual([undefined, 'answer', 'good']);
  expect(judgeAll([20_064, 2014, 300])).toEqual([undefined, undefined, undefined]);
  expect(judgeAll([undefined, null, 3])).toEqual([undefined, undefined, 'answer']);
  expect(renderTable(mixed, result)).toMatch(/^ratio: the slowest request .*\(max\), divided by the exact time\.$/m);
});

test("lesson 3 draws the buses as each driver's pool sends them", async () => {
  const load = createScenarioLoad({ ...(await readScenario(MIXED_SCENARIO)), turnaroundMs: 5 });
  const simulateRun = createRunSimulator({
    load,
    services: parseServices(['/slow=5000', '/fast=2']),
    keepRequests: true,
  });
  const text = await readFile('lessons/03-find-the-knee/README.md', 'utf8');
  const [, today, old] = text.match(/^today: (.*?)^2020: (.*?)^```/ms) ?? [];
  const pools = /** @type {const} */ ([
    [today, { maxPoolSize: 3 }],
    [old, { kind: 'pipelining', maxPoolSize: 3, warm: false, connectMs: 3 }],
  ]);
  for (const [figure, pool] of pools) {
    const drawn = figure.split('\n').flatMap((line) =>
      [...line.matchAll(/├─ (bus \d) ─+┤/g)].map(({ 0: bar, 1: bus, index }) => {
        const [startS, endS] = [index, index + bar.length].map((column) => (column - '  lane 1  '.length) / 5);
        return [Number(line.match(/lane (\d)/)?.[1]), bus, startS, endS];
      }),
    );
    const { records = [] } = simulateRun({ pool, seed: 1, factor: 1 });
    const buses = records.filter(({ route }) => route === '/slow').toSorted((a, b) => a.user - b.user);
    const [{ startedAtMs: firstMs }] = buses;
    const secondsOf = (/** @type {number} */ ms) => Math.round((ms - firstMs) / 1000);
    expect(drawn.toSorted((a, b) => (a[1] < b[1] ? -1 : 1))).toEqual(
      buses.map(({ connection, user, startedAtMs, finishedAtMs }) => [
        connection + 1,
        `bus ${user + 1}`,
        secondsOf(startedAtMs),
        secondsOf(finishedAtMs),
      ]),
    );
  }
});

test('says why the article is slower where it is, and not of its own driver', () => {
  const result = createSampleResult();
  const why = labs.mixed.footnote?.(result);
  expect(why).toMatch(/^article: with 3 connections, .* --driver 3 measures the old one: 9\.0 s\.$/);
  expect(renderTable(labs.mixed, result, { width: 100 }).replaceAll('\n', ' ')).toContain(why);
  expect(renderHtml([{ lab: labs.mixed, result }])).toContain(why?.replaceAll("'", '&#39;'));
  for (const variant of result.variants) variant.settings.driver = '3';
  expect(labs.mixed.footnote?.(result)).toBe('');
  const without = createSampleResult();
  without.variants.splice(1, 1);
  expect(labs.mixed.footnote?.(without)).toBe('');
});

describe('the driver of 2020', () => {
  const old = { ...article, poolSizes: [1, 3], driver: /** @type {const} */ ('3') };

  test("is shown beside what today's driver takes, which is not its exact answer", async () => {
    const plan = await mixed.plan(old);
    const result = {
      ...createSampleResult(),
      variants: plan.variants.map((variant, index) => ({
        ...variant,
        measured: { maxMs: [21_050, 9030][index], requests: 10, failures: 0, routes: { '/fast': { maxMs: 20_000 } } },
      })),
    };
    expect(renderTable(labs.mixed, result, { width: 100 })).toMatch(
      /max article driver 7\n.*\n +1 .* 21050 +21143 +21000\n +3 .* 9030 +9017 +7000\n/,
    );
    expect(labs.mixed.takeaway(result)).toMatch(
      /request of all took 21\.1 \/ 9\.0 s\. With today's driver it takes 21\.0 \/ 7\.0 s\.$/,
    );
    expect(await labs.mixed.predict?.(plan.variants[0], plan, result.variants[0].measured, settings)).toEqual({});
  });

  test.each([{ slowQuery: /** @type {const} */ ('work') }, { poolTimeout: 100 }])('can not do %j', async (option) => {
    await expect(mixed.plan({ ...old, ...option })).rejects.toThrow('leave out --driver 3');
  });
});

test('another load has no published figures, and a drawn one no exact answer', async () => {
  const [shorter] = (await mixed.plan({ ...article, slowMs: 500 })).variants;
  expect(shorter).toMatchObject({ published: null, exact: { maxMs: 500 } });
  const scenario = path.join(path.dirname(MIXED_SCENARIO), 'users-and-admins.yaml');
  const [drawn] = (await mixed.plan({ ...article, scenario })).variants;
  expect(drawn).toMatchObject({ published: null, exact: null });
});

test('queries that work have no exact answer, no published one and no prediction', async () => {
  const plan = await mixed.plan({ ...article, slowQuery: 'work' });
  expect(plan.settings).toMatchObject({ slowQuery: 'work' });
  expect(plan.variants.map(({ exact, published }) => ({ exact, published }))).toEqual(
    article.poolSizes.map(() => ({ exact: null, published: null })),
  );
  expect(await predictFirst(plan)).toEqual({});
  expect((await mixed.plan(article)).settings).toMatchObject({ slowQuery: 'sleep' });
});

test('the prediction adds to the arithmetic what a query takes, and what its response takes beside', async () => {
  const plan = await mixed.plan(article);
  const predicted = await Promise.all(
    plan.variants.map((variant) => labs.mixed.predict?.(variant, plan, UNLOADED, settings)),
  );
  // The fifth user's slow query comes after four others of 5002 ms and is answered 3 ms later.
  expect(predicted[0]?.maxMs).toBeCloseTo(5 * 5002 + 3 - 4000, 3);
  expect(predicted[3]?.maxMs).toBeCloseTo(5005, 3);
  expect(predicted[3]?.routes['/fast'].p50Ms).toBeCloseTo(5, 1);
  expect(predicted[3]).toMatchObject({ requests: 10, failures: 0, peakActive: 5, peakWaiting: 0 });
});

test('the prediction is for the pool settings of the app', async () => {
  const plan = await mixed.plan(article);
  const timedOut = await predictFirst(plan, { waitQueueTimeoutMs: 4500 });
  expect(timedOut?.failures).toBeGreaterThan(0);
  expect((await predictFirst(plan))?.failures).toBe(0);
  const limited = await mixed.plan({ ...article, poolTimeout: 4500 });
  expect(limited.settings).toMatchObject({ poolTimeout: 4500 });
  expect(await predictFirst(limited)).toEqual(timedOut);
  expect((await predictFirst(plan, { slowPoolSize: 1 }))?.routes['/fast'].maxMs).toBeCloseTo(5, 1);
});

test('a route that makes no query is predicted not to wait', async () => {
  const scenario = await writeScenario(
    'health.yaml',
    `config: { phases: [{ duration: 1, arrivalCount: 5 }], http: { timeout: 60 } }
scenarios: [{ flow: [{ get: { url: /livez } }, { function: signIn }, { get: { url: /slow } },
  { head: { url: /livez } }] }]`,
  );
  await expect(mixed.plan({ ...article, scenario })).rejects.toThrow('line 2: the function step signIn runs code');
  const plan = await mixed.plan({ ...article, scenario, skipFunctions: true });
  expect(plan.settings.skipFunctions).toBe(true);
  expect(plan.warnings).toEqual([
    expect.stringMatching(/health\.yaml, line 2, in the prediction: the function step signIn is left out/),
  ]);
  const predicted = await predictFirst(plan);
  expect(predicted?.routes['GET /livez'].maxMs).toBeCloseTo(3, 1);
  expect(predicted?.routes['/slow'].maxMs).toBeGreaterThan(20_000);
});

test('a scenario without any query is refused', async () => {
  const scenario = await writeScenario('alive.yaml', 'scenarios: [{ flow: [{ get: { url: /livez } }] }]');
  await expect(mixed.plan({ ...article, scenario })).rejects.toThrow(/alive\.yaml makes no query/);
});

test('what is drawn is predicted with a band', async () => {
  const scenario = await writeScenario(
    'drawn.yaml',
    `config: { phases: [{ duration: 2, arrivalRate: 5 }] }
scenarios: [{ weight: 3, flow: [{ get: { url: /fast } }] }, { flow: [{ get: { url: /slow } }] }]`,
  );
  const plan = await mixed.plan({ poolSizes: [2], slowMs: 500, scenario });
  const predicted = await predictFirst(plan);
  expect(predicted?.low.maxMs).toBeLessThan(predicted?.high.maxMs);
});

test('a scenario for another app is refused before anything starts, with what the app does not have', async () => {
  const flow = [
    'get: { url: /fast?of=1 }',
    'get: { url: /cart }',
    'post: { url: /slow }',
    'get: { url: http://shop.example/slow }',
    'get: { url: "/{{ any }}" }',
    'loop: [{ get: { url: /cart/7 } }]\n        count: 2',
  ];
  const scenario = await writeScenario(
    'shop.yaml',
    `config:\n  target: http://shop.example\n  phases: [{ duration: 1, arrivalCount: 1 }]
scenarios:\n  - flow:\n${flow.map((step) => `      - ${step}\n`).join('')}`,
  );
  const planning = mixed.plan({ ...article, scenario });
  await expect(planning).rejects.toThrow(
    `${scenario} does not fit the lab's app, which answers GET /slow, /fast, /, /livez`,
  );
  const { message } = await planning.catch((error) => error);
  expect(message.match(/line .*/g)).toEqual([
    'line 7: GET /cart does not exist',
    'line 8: POST /slow does not exist',
    'line 9: GET http://shop.example/slow goes to another host: write only the path',
    'line 11: GET /cart/7 does not exist',
  ]);
});

test('the app has every path that a scenario may use', async () => {
  const url = await serveApp({ SLOW_MS: '1' });
  const misfit = /** @type {any} */ ({ line: 1, method: 'get', url: '/cart', path: '/cart' });
  const ask = async () => checkRequests('a scenario', [misfit]);
  const { message } = await ask().catch((error) => error);
  const [, named] = message.match(/answers GET (.+):$/m);
  const answers = await Promise.all(
    named.split(', ').map(async (/** @type {string} */ name) => (await fetch(`${url}${name}`)).status),
  );
  expect(answers.length).toBeGreaterThan(2);
  expect(new Set(answers)).toEqual(new Set([200]));
});

test('the target of a scenario is said to be unused', async () => {
  const scenario = await writeScenario(
    'elsewhere.yaml',
    `config: { target: http://shop.example, phases: [{ duration: 1, arrivalCount: 1 }] }
scenarios: [{ flow: [{ get: { url: /slow } }] }]`,
  );
  expect((await mixed.plan({ ...article, scenario })).warnings).toEqual([
    expect.stringMatching(
      /^the target of .*elsewhere\.yaml, http:\/\/shop\.example, was not used: this lab starts an app/,
    ),
  ]);
  expect((await mixed.plan(article)).warnings).toEqual([]);
});

describe('the sentence is about what was measured', () => {
  /** @param {Record<string, any>[]} measured */
  const sumUp = (measured) =>
    labs.mixed.takeaway({
      ...createSampleResult(),
      variants: measured.map((figures, index) => ({ name: '', settings: { poolSize: index + 1 }, measured: figures })),
    });

  test.each([
    [
      '/fast',
      [
        { maxMs: 9000, routes: { '/fast': { maxMs: 800 } } },
        { maxMs: 5000, routes: { '/fast': { maxMs: 5 } } },
      ],
      'With 1 connection, the slowest /fast request took 800 ms, nearly all of it waiting for a connection; ' +
        'with 2 connections it took 5 ms.',
    ],
    [
      'no /fast',
      [
        { maxMs: 9000, routes: { '/slow': { maxMs: 9000 } } },
        { maxMs: 500, routes: { '/slow': { maxMs: 500 } } },
      ],
      'With 1 connection, the slowest request took 9.0 s; with 2 connections it took 500 ms.',
    ],
    ['no answer at all', [{ maxMs: null, routes: {} }], ''],
    [
      'an answer once',
      [
        { maxMs: null, routes: {} },
        { maxMs: 70, routes: {} },
      ],
      'With 2 connections, the slowest request took 70 ms.',
    ],
  ])('%s', (name, measured, sentence) => {
    expect(sumUp(measured)).toBe(sentence);
  });
});

test('a scenario that does not exist or is not YAML is named', async () => {
  await expect(mixed.plan({ ...article, scenario: 'nowhere.yaml' })).rejects.toThrow(/^nowhere\.yaml can't be read/);
  const scenario = await writeScenario('bad.yaml', 'config: [\n');
  await expect(mixed.plan({ ...article, scenario })).rejects.toThrow(/bad\.yaml.*2/);
});

/** @param {string | null} route @param {number} waitMs @param {number} useMs @returns {any} */
const checkout = (route, waitMs, useMs) => ({
  route,
  outcome: 'checkedIn',
  checkOutStartedAtMs: 100,
  checkedOutAtMs: 100 + waitMs,
  checkedInAtMs: 100 + waitMs + useMs,
});
const fast = [1, 2, 3, 4].map((ms) => checkout('/fast', 1, ms));
const others = [
  checkout('/slow', 0, 200.1234),
  checkout(null, 0, 9),
  { ...checkout('/slow', 0, 5), outcome: 'operationFailed' },
];

/** @param {number} slower */
const reportOf = (slower) => ({
  counters: {},
  summaries: {
    'plugins.metrics-by-endpoint.response_time./fast': {
      count: 4,
      min: 2 + slower,
      p50: 3.5 + slower,
      p75: 4.2 + slower,
      p90: 4.5 + slower,
      p95: 4.8 + slower,
      p99: 5 + slower,
      max: 5 + slower,
    },
  },
});

test('service times by route, and overheads from the difference between responses and connections', () => {
  const { services, overheadsMs } = sampleLoad([...fast, ...others], reportOf(10), [77]);
  expect(services).toEqual({ '/fast': [1, 2, 3, 4], '/slow': [200.123] });
  expect(overheadsMs).toHaveLength(4);
  for (const ms of overheadsMs) expect(Math.abs(ms - 10)).toBeLessThan(1);
});

test.each([
  ['slow responses, whose percentiles are too coarse', fast, 200],
  ['requests that failed or got no connection', fast.slice(1), 10],
])('with %s, overheads are those before the load', (_, checkouts, slower) => {
  expect(sampleLoad(checkouts, reportOf(slower), [3, 1]).overheadsMs).toEqual([1, 3]);
});

test('a load without /fast has the overheads from before, too', () => {
  expect(sampleLoad(others, { counters: {}, summaries: {} }, [3])).toEqual({
    services: { '/slow': [200.123] },
    overheadsMs: [3],
  });
});

const load = {
  workload: await readScenario(MIXED_SCENARIO, {}),
  routes: ['/slow', '/fast'],
  poolSize: 1,
  slowMs: 5000,
};

describe('the moments at which users came', () => {
  /** @param {[string, number][]} starts route and checkOutStarted */
  const checkouts = (starts) => starts.map(([route, checkOutStartedAtMs]) => ({ route, checkOutStartedAtMs }));

  test('with a pool of 1, whoever comes late keeps all behind it waiting', () => {
    expect(workOut(load).maxMs).toBe(21_000);
    const starts = checkouts([
      ['/slow', 108],
      ['/fast', 5110],
      ['/slow', 1101],
      ['/slow', 2102],
      ['/slow', 3101],
      ['/slow', 4103],
    ]);
    const arrivals = findArrivals(load, starts);
    expect(arrivals).toEqual([0, 993, 1994, 2993, 3995].map((atMs) => ({ atMs })));
    expect(workOut(load, { arrivals }).maxMs).toBe(25_000 - 3995);
  });

  test('the first query of a user tells when it came, if it makes no second one like it', async () => {
    const read = async (/** @type {string[]} */ urls) => {
      const phases = [{ duration: 2, arrivalCount: 2 }];
      const flow = urls.map((url) => ({ get: { url } }));
      const text = JSON.stringify({ config: { phases }, scenarios: [{ flow }] });
      return { ...load, workload: await readScenario(await writeScenario('scenario.yaml', text), {}) };
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
});

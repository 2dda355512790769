import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { startApp } from '../../../src/harness/app-process.js';
import { labs } from '../../../src/labs/index.js';
import { APP_PATHS } from '../../../src/labs/mixed/check-requests.js';
import { MIXED_SCENARIO, mixed } from '../../../src/labs/mixed/mixed-lab.js';
import { readSettings } from '../../../src/settings.js';
import { createSampleResult } from '../../report/sample-result.js';
import { scratchFolder } from '../../support/scratch-folder.js';

const folder = await scratchFolder();
const settings = readSettings({}, '');
const article = { poolSizes: [1, 2, 3, 10], slowMs: 5000, scenario: MIXED_SCENARIO };

test('the exact answers of the article are 21, 7 and 5 s, beside what it published', async () => {
  const { variants } = await mixed.plan(article);
  expect(variants.map(({ settings, exact, published }) => [settings.poolSize, exact?.maxMs, published?.maxMs])).toEqual(
    [[1, 21_000, 21_142.7], [2, 11_000, undefined], [3, 7000, 9017], [10, 5000, 5019]]);
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
    article.poolSizes.map(() => ({ exact: null, published: null })));
  expect(await labs.mixed.predict?.(plan.variants[0], plan, { unloaded: { serviceMs: 2, overheadMs: 3 } }, settings)).toEqual({});
  expect((await mixed.plan(article)).settings).toMatchObject({ slowQuery: 'sleep' });
});

test('the prediction adds to the arithmetic what a query takes, and what its response takes beside', async () => {
  const plan = await mixed.plan(article);
  const unloaded = { serviceMs: 2, overheadMs: 3 };
  const predicted = await Promise.all(plan.variants.map((variant) => labs.mixed.predict?.(variant, plan, { unloaded }, settings)));
  // The fifth user's slow query comes after four others of 5002 ms and is answered 3 ms later.
  expect(predicted[0]?.maxMs).toBeCloseTo(5 * 5002 + 3 - 4000, 3);
  expect(predicted[3]?.maxMs).toBeCloseTo(5005, 3);
  expect(predicted[3]?.routes['/fast'].p50Ms).toBeCloseTo(5, 1);
  expect(predicted[3]).toMatchObject({ requests: 10, failures: 0, peakActive: 5, peakWaiting: 0 });
});

test('the prediction is for the pool settings of the app', async () => {
  const plan = await mixed.plan(article);
  const predictWith = (/** @type {object} */ changes) => (
    labs.mixed.predict?.(plan.variants[0], plan, { unloaded: { serviceMs: 2, overheadMs: 3 } }, { ...settings, ...changes }));
  expect((await predictWith({ waitQueueTimeoutMs: 4500 }))?.failures).toBeGreaterThan(0);
  expect((await predictWith({}))?.failures).toBe(0);
  const limited = await mixed.plan({ ...article, poolTimeout: 4500 });
  expect(limited.settings).toMatchObject({ poolTimeout: 4500 });
  expect(await labs.mixed.predict?.(plan.variants[0], limited, { unloaded: { serviceMs: 2, overheadMs: 3 } }, settings))
    .toEqual(await predictWith({ waitQueueTimeoutMs: 4500 }));
  expect((await predictWith({ slowPoolSize: 1 }))?.routes['/fast'].maxMs).toBeCloseTo(5, 1);
});

test('a route that makes no query is predicted not to wait', async () => {
  const scenario = path.join(folder, 'health.yaml');
  await writeFile(scenario, `config: { phases: [{ duration: 1, arrivalCount: 5 }], http: { timeout: 60 } }
scenarios: [{ flow: [{ get: { url: /livez } }, { function: signIn }, { get: { url: /slow } }, { head: { url: /livez } }] }]`);
  await expect(mixed.plan({ ...article, scenario })).rejects.toThrow('line 2: the function step signIn runs code');
  const plan = await mixed.plan({ ...article, scenario, skipFunctions: true });
  expect(plan.settings.skipFunctions).toBe(true);
  expect(plan.warnings).toEqual([expect.stringMatching(/health\.yaml, line 2, in the prediction: the function step signIn is left out/)]);
  const predicted = await labs.mixed.predict?.(plan.variants[0], plan, { unloaded: { serviceMs: 2, overheadMs: 3 } }, settings);
  expect(predicted?.routes['GET /livez'].maxMs).toBeCloseTo(3, 1);
  expect(predicted?.routes['/slow'].maxMs).toBeGreaterThan(20_000);
});

test('a scenario without any query is refused', async () => {
  const scenario = path.join(folder, 'alive.yaml');
  await writeFile(scenario, 'scenarios: [{ flow: [{ get: { url: /livez } }] }]');
  await expect(mixed.plan({ ...article, scenario })).rejects.toThrow(/alive\.yaml makes no query/);
});

test('what is drawn is predicted with a band', async () => {
  const scenario = path.join(path.dirname(MIXED_SCENARIO), 'users-and-admins.yaml');
  const plan = await mixed.plan({ poolSizes: [2], slowMs: 500, scenario });
  const predicted = await labs.mixed.predict?.(plan.variants[0], plan, { unloaded: { serviceMs: 2, overheadMs: 3 } }, settings);
  expect(predicted?.low.maxMs).toBeLessThan(predicted?.high.maxMs);
});

test('a scenario for another app is refused before anything starts, with what the app does not have', async () => {
  const scenario = path.join(folder, 'shop.yaml');
  const flow = ['get: { url: /fast?of=1 }', 'get: { url: /cart }', 'post: { url: /slow }', 'get: { url: http://shop.example/slow }',
    'get: { url: "/{{ any }}" }', 'loop: [{ get: { url: /cart/7 } }]\n        count: 2'];
  await writeFile(scenario, `config:\n  target: http://shop.example\n  phases: [{ duration: 1, arrivalCount: 1 }]
scenarios:\n  - flow:\n${flow.map((step) => `      - ${step}\n`).join('')}`);
  const planning = mixed.plan({ ...article, scenario });
  await expect(planning).rejects.toThrow(`${scenario} does not fit the lab's app, which answers GET /slow, /fast, /, /livez`);
  const { message } = await planning.catch((error) => error);
  expect(message.match(/line .*/g)).toEqual([
    'line 7: GET /cart does not exist',
    'line 8: POST /slow does not exist',
    'line 9: GET http://shop.example/slow goes to another host: write only the path',
    'line 11: GET /cart/7 does not exist',
  ]);
});

test('the app has every path that a scenario may use', async () => {
  const app = await startApp({ MONGO_URL: String(process.env.TEST_MONGO_URL), SLOW_MS: '1' });
  try {
    const answers = await Promise.all(APP_PATHS.map(async (name) => (await fetch(`${app.url}${name}`)).status));
    expect(answers).toEqual(APP_PATHS.map(() => 200));
  } finally {
    await app.stop();
  }
});

test('the target of a scenario is said to be unused', async () => {
  const scenario = path.join(folder, 'elsewhere.yaml');
  await writeFile(scenario, `config: { target: http://shop.example, phases: [{ duration: 1, arrivalCount: 1 }] }
scenarios: [{ flow: [{ get: { url: /slow } }] }]`);
  expect((await mixed.plan({ ...article, scenario })).warnings).toEqual([
    expect.stringMatching(/^the target of .*elsewhere\.yaml, http:\/\/shop\.example, was not used: this lab starts an app/)]);
  expect((await mixed.plan(article)).warnings).toEqual([]);
});

describe('the sentence is about what was measured', () => {
  /** @param {Record<string, any>[]} measured */
  const sumUp = (measured) => labs.mixed.takeaway({
    ...createSampleResult(),
    variants: measured.map((figures, index) => ({ name: '', settings: { poolSize: index + 1 }, measured: figures })),
  });

  test.each([
    ['/fast', [{ maxMs: 9000, routes: { '/fast': { maxMs: 800 } } }, { maxMs: 5000, routes: { '/fast': { maxMs: 5 } } }],
      'With 1 connection, the slowest /fast request took 800 ms, nearly all of it waiting for a connection; '
      + 'with 2 connections it took 5 ms.'],
    ['no /fast', [{ maxMs: 9000, routes: { '/slow': { maxMs: 9000 } } }, { maxMs: 500, routes: { '/slow': { maxMs: 500 } } }],
      'With 1 connection, the slowest request took 9.0 s; with 2 connections it took 500 ms.'],
    ['no answer at all', [{ maxMs: null, routes: {} }], ''],
    ['an answer once', [{ maxMs: null, routes: {} }, { maxMs: 70, routes: {} }], 'With 2 connections, the slowest request took 70 ms.'],
  ])('%s', (name, measured, sentence) => {
    expect(sumUp(measured)).toBe(sentence);
  });
});

test('a scenario that does not exist or is not YAML is named', async () => {
  await expect(mixed.plan({ ...article, scenario: 'nowhere.yaml' })).rejects.toThrow(/^nowhere\.yaml can't be read/);
  const scenario = path.join(folder, 'bad.yaml');
  await writeFile(scenario, 'config: [\n');
  await expect(mixed.plan({ ...article, scenario })).rejects.toThrow(/bad\.yaml.*2/);
});

import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { MIXED_SCENARIO, mixed } from '../../src/labs/mixed.js';
import { readSettings } from '../../src/settings.js';
import { scratchFolder } from '../support/scratch-folder.js';

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

test('the prediction adds to the arithmetic what a query takes, and what its response takes beside', async () => {
  const plan = await mixed.plan(article);
  const unloaded = { serviceMs: 2, overheadMs: 3 };
  const predicted = plan.variants.map((variant) => mixed.predict?.(variant, plan, { unloaded }, settings));
  // The fifth user's slow query comes after four others of 5002 ms and is answered 3 ms later.
  expect(predicted[0]?.maxMs).toBeCloseTo(5 * 5002 + 3 - 4000, 3);
  expect(predicted[3]?.maxMs).toBeCloseTo(5005, 3);
  expect(predicted[3]?.routes['/fast'].p50Ms).toBeCloseTo(5, 1);
  expect(predicted[3]).toMatchObject({ requests: 10, failures: 0, peakActive: 5, peakWaiting: 0 });
});

test('the prediction is of the pool that the app was told to have', async () => {
  const plan = await mixed.plan(article);
  const predictWith = (/** @type {object} */ told) => (
    mixed.predict?.(plan.variants[0], plan, { unloaded: { serviceMs: 2, overheadMs: 3 } }, { ...settings, ...told }));
  expect(predictWith({ waitQueueTimeoutMs: 4500 })?.failures).toBeGreaterThan(0);
  expect(predictWith({})?.failures).toBe(0);
  const limited = await mixed.plan({ ...article, poolTimeout: 4500 });
  expect(limited.settings).toMatchObject({ poolTimeout: 4500 });
  expect(mixed.predict?.(plan.variants[0], limited, { unloaded: { serviceMs: 2, overheadMs: 3 } }, settings))
    .toEqual(predictWith({ waitQueueTimeoutMs: 4500 }));
  expect(predictWith({ slowPoolSize: 1 })?.routes['/fast'].maxMs).toBeCloseTo(5, 1);
});

test('what is drawn is predicted with a band', async () => {
  const scenario = path.join(path.dirname(MIXED_SCENARIO), 'users-and-admins.yaml');
  const plan = await mixed.plan({ poolSizes: [2], slowMs: 500, scenario });
  const predicted = mixed.predict?.(plan.variants[0], plan, { unloaded: { serviceMs: 2, overheadMs: 3 } }, settings);
  expect(predicted?.low.maxMs).toBeLessThan(predicted?.high.maxMs);
});

test('a scenario that is not there or not YAML is named', async () => {
  await expect(mixed.plan({ ...article, scenario: 'nowhere.yaml' })).rejects.toThrow(/^nowhere\.yaml can't be read/);
  const scenario = path.join(folder, 'bad.yaml');
  await writeFile(scenario, 'config: [\n');
  await expect(mixed.plan({ ...article, scenario })).rejects.toThrow(/bad\.yaml.*2/);
});

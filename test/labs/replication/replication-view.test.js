import { expect, test } from '@jest/globals';
import { replicationView as view } from '../../../src/labs/replication/replication-view.js';
import { replication } from '../../../src/labs/replication/replication-lab.js';
import { upgradeResult } from '../../../src/report/old-results.js';
import { createSampleResult } from '../../report/sample-result.js';

/**
 * @param {Record<number, [number, number]>} figures rate and operations per batch, by case
 * @param {Record<string, unknown>} [options]
 */
async function resultOf(figures, options) {
  const cases = Object.keys(figures).map(Number);
  const { variants } = await replication.plan({ cases, ops: 1000, ...options });
  return createSampleResult({
    variants: variants.map(({ name, settings, published = null }) => {
      const [ratePerSec, opsPerBatch] = figures[Number(settings.case)];
      return { name, settings, published, measured: { ratePerSec, opsPerBatch } };
    }),
  });
}

test('findings are ratios of cases beside the published ones', async () => {
  const findings = view.findings?.(await resultOf({ 1: [1e6, 9], 2: [1.5e6, 9], 3: [200_000, 90], 4: [100_000, 12] }));
  expect(findings).toEqual([
    { claim: 'case 2 / case 1: 1 field instead of 5', measured: 1.5, published: 545_117 / 424_251 },
    { claim: 'case 4 / case 3: 64 workers instead of 8', measured: 0.5, published: 186_755 / 55_705 },
  ]);
  expect(view.findings?.(await resultOf({ 3: [2, 1], 4: [1, 1] }, { workers: [16] }))).toEqual([]);
});

test('the takeaway says where more workers did worst, and why', async () => {
  const result = await resultOf({ 3: [200_000, 90], 4: [100_000, 12], 5: [300_000, 200], 6: [290_000, 80] });
  expect(view.takeaway(result)).toBe('With 5 collections, 8 workers replicated 200,000 operations per second, and 64 '
    + 'replicated 100,000 operations per second. More workers were slower, because batches had 12 operations instead of 90.');
  expect(view.takeaway(await resultOf({ 3: [100, 9], 4: [200, 9] }))).toBe(
    'With 5 collections, 8 workers replicated 100 operations per second, and 64 replicated 200 operations per second.');
  expect(view.takeaway(await resultOf({ 1: [1e6, 9], 3: [200_000, 90] }))).toBe(
    'In case 1, 1,000,000 operations per second were replicated.');
});

test('the takeaway says where merging ends', async () => {
  const result = await resultOf({ 11: [60_000, 800], 12: [30_000, 900], 13: [50_000, 1200] });
  expect(view.takeaway(result)).toBe('Merging does not end where the kind of operation changes: with 60/30/10, a batch had 800 '
    + 'operations, and 60,000 operations per second were replicated. It ends at one hot document: its updates keep their '
    + 'order, and one worker writes all of them. With one, 30,000 operations per second were replicated. At 20 ms a round '
    + 'trip, a batch had 1,200 operations, and 50,000 operations per second were replicated.');
});

test('the takeaway says how long single inserts took', async () => {
  const result = await resultOf({ 3: [100, 9] });
  result.variants = [{ ...result.variants[0], measured: { latency: { p50Ms: 2, p95Ms: 4.26, maxMs: 11.2 } } }];
  expect(view.takeaway(result)).toBe('95 of 100 single inserts were on the target within 4.3 ms, all within 11 ms.');
});

test('a result of version 0.1 has the same takeaway', async () => {
  const result = await resultOf({ 3: [200_000, 90], 4: [100_000, 12] });
  const old = { ...result, variants: result.variants.map(({ settings: { mode, ...settings }, measured, ...variant }) => ({
    ...variant,
    settings: { ...settings, tunnel: mode },
    measured: { ratePerSec: measured?.ratePerSec, opsPerWrite: measured?.opsPerBatch },
  })) };
  expect(view.takeaway(/** @type {any} */ (upgradeResult(old)))).toBe(view.takeaway(result));
});

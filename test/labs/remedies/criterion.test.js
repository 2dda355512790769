import { describe, expect, test } from '@jest/globals';
import { isCloseToUnloaded, isCure } from '../../../src/labs/remedies/criterion.js';
import { remediesView } from '../../../src/labs/remedies/remedies-view.js';

/** @import { Variant } from '../../../src/report/result-types.js' */

test.each([
  ['twice as long, and a bit', 18.5, 9.2, true], ['what nobody notices', 50, 3.7, true], ['more than that', 51, 3.7, false],
  ['twice as long on a slow machine', 120, 60, true], ['more than twice', 121, 60, false], ['seconds', 1896, 8.8, false],
])('%s: %d ms beside %d ms', (_, p99Ms, unloadedP99Ms, isClose) => {
  expect(isCloseToUnloaded(p99Ms, unloadedP99Ms)).toBe(isClose);
});

test.each([[30, true], [34, null], [50, null], [74, null], [76, false]])('%d ms, give or take a half', (p99Ms, verdict) => {
  expect(isCloseToUnloaded(p99Ms, 5, 1.5)).toBe(verdict);
});

/**
 * @param {string} name
 * @param {{ remedy?: string, load?: string }} settings
 * @param {number[]} p99sMs of each repeat
 * @param {{ refused?: number, failures?: number }} [counts]
 * @returns {Variant}
 */
function createVariant(name, { remedy = 'size', load = 'all' }, p99sMs, counts) {
  const repeats = p99sMs.map((p99Ms) => ({
    measured: {
      routes: { '/fast': { count: 500, refused: 0, failures: 0, p99Ms, ...counts } }, unloaded: { serviceMs: 2, overheadMs: 5 },
    },
  }));
  const { measured } = repeats[repeats.length >> 1];
  return { name, settings: { remedy, load }, measured, repeats };
}

describe('whether a remedy works', () => {
  /** @type {[string, number[], number[], { refused?: number, failures?: number } | undefined, boolean | null][]} */
  const cases = [
    ['one repeat, far below the limit', [18.5], [9.2], undefined, true],
    ['one repeat, far above', [513], [9.2], undefined, false],
    ['one repeat, near the limit', [45], [9.2], undefined, null],
    ['repeats that agree near the limit', [40, 45, 49], [9, 8, 9], undefined, true],
    ['repeats that do not', [40, 45, 51], [9, 8, 9], undefined, null],
    ['a busy moment of the load without administrators', [70, 75, 80], [9, 60, 9], undefined, null],
    ['more than 1 in 100 customers refused, however soon the others are answered', [12], [9], { refused: 6 }, false],
    ['as many without an answer', [12], [9], { failures: 6 }, false],
    ['a machine that is busy with something else', [3150], [256], { failures: 300 }, null],
    ['one of them', [12], [9], { failures: 1 }, true],
  ];

  test.each(cases)('%s', (_, p99sMs, unloadedMs, counts, verdict) => {
    const alone = createVariant('alone', { remedy: 'none', load: 'customers' }, unloadedMs);
    expect(isCure(createVariant('treated', {}, p99sMs, counts), alone)).toBe(verdict);
  });
});

test('the last sentence names those that work, and those to repeat', () => {
  const result = {
    lab: 'remedies', startedAt: '2026-01-01T00:00:00.000Z', environment: {}, settings: {}, variants: [
      createVariant('pool 5, no /slow', { remedy: 'none', load: 'customers' }, [9.2]),
      createVariant('pool 5', { remedy: 'none' }, [1896]),
      createVariant('pool 1', {}, [3000]), createVariant('pool 100', {}, [18.5]), createVariant('pool 20', {}, [49]),
    ],
  };
  expect(remediesView.takeaway(result)).toBe('With pool 5, 99 % of customers get their answer within 1.9 s; without '
    + 'administrators it is 9.2 ms. Almost as good, within 50 ms: pool 100. Not clear: pool 20; repeat with --repeat 3. '
    + 'The table shows what each one costs.');
});

import { expect, test } from '@jest/globals';
import { mergeFigures } from '../../src/harness/merge-figures.js';

test('counts are added up, levels become medians, also deep inside', () => {
  const run = (/** @type {number} */ maxMs, /** @type {number} */ failures) => (
    { requests: 10, failures, maxMs, routes: { '/fast': { count: 5, p50Ms: maxMs / 2 } } });
  expect(mergeFigures([run(30, 0), run(10, 1), run(20, 0)])).toEqual(
    { requests: 30, failures: 1, maxMs: 20, routes: { '/fast': { count: 15, p50Ms: 10 } } });
});

test('an even number of runs gives the middle between the two', () => {
  expect(mergeFigures([{ maxMs: 1 }, { maxMs: 9 }, { maxMs: 4 }, { maxMs: 2 }])).toEqual({ maxMs: 2 });
});

test('what only some runs have is merged of those', () => {
  expect(mergeFigures([{ maxMs: null, routes: {} }, { maxMs: 7, routes: { '/slow': { maxMs: 7 } } }])).toEqual(
    { maxMs: 7, routes: { '/slow': { maxMs: 7 } } });
  expect(mergeFigures([{ maxMs: null }])).toEqual({ maxMs: null });
});

test('failures are added up by kind', () => {
  const run = { failures: 10, errors: 1, timeouts: 2, non2xx: 3, reopened: 4 };
  expect(mergeFigures([run, run])).toEqual({ failures: 20, errors: 2, timeouts: 4, non2xx: 6, reopened: 8 });
});

import { expect, test } from '@jest/globals';
import { formatQuantity } from 'mongodb-pool-page/universal/quantity.js';
import { LoadTestList, describeChanges, describeLoadTest } from '../../src/live/browser/load-tests.js';

/** @import { LoadTest } from '../../src/load-tests/load-test-runner.js' */

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
    'changed during the test: the pool size to 10 after 6.2 s, the pool size to 3 and SLOW_MS to 500 after 8.0 s',
  );
  expect(describeTest(createLoadTest({ state: 'done', measured, changes: changes.slice(0, 1) }))).toBe(
    'With a pool of 1 (changed during the test: the pool size to 10 after 6.2 s), the slowest request took 9.0 s; ' +
      'no request failed.',
  );
});

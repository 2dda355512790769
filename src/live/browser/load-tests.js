/** @import { LoadTest } from '../../load-tests/load-test-runner.js' */

/** The load tests that the app has reported, latest first. */
export class LoadTestList {
  /** @type {LoadTest[]} */
  #tests = [];
  /** Those whose end is yet to be seen. */
  #running = new Set();

  get tests() {
    return this.#tests;
  }

  /**
   * Adds a load test, or replaces it by its id.
   * @param {LoadTest} test
   * @returns {boolean} whether it has just ended
   */
  take(test) {
    const others = this.#tests.filter(({ id }) => id !== test.id);
    this.#tests = [...others, test].sort((a, b) => b.startedAt.localeCompare(a.startedAt));
    if (test.state !== 'running') return this.#running.delete(test.id);
    this.#running.add(test.id);
    return false;
  }
}

/** Always in seconds with one decimal. @param {number} ms */
export function formatSeconds(ms) {
  return `${(ms / 1000).toFixed(1)} s`;
}

/**
 * Settings that somebody changed during a load test, so that nobody takes its figures for those of one pool size.
 * @param {Pick<LoadTest, 'poolSize' | 'slowMs' | 'changes'>} loadTest
 * @returns {string} empty without changes
 */
export function describeChanges({ changes, ...start }) {
  const texts = changes.map(({ poolSize, slowMs, afterMs }, index) => {
    const before = changes[index - 1] ?? start;
    const changed = [
      ...(poolSize === before.poolSize ? [] : [`the pool size to ${poolSize}`]),
      ...(slowMs === before.slowMs ? [] : [`how long a bus takes to ${formatSeconds(slowMs)}`]),
    ];
    return `${changed.join(' and ')} after ${formatSeconds(afterMs)}`;
  });
  return texts.length === 0 ? '' : `changed during the test: ${texts.join(', ')}`;
}

/** @param {LoadTest} loadTest @param {(ms: number) => string} formatMs */
export function describeLoadTest(loadTest, formatMs) {
  const { measured, state, error, poolSize } = loadTest;
  const changes = describeChanges(loadTest);
  if (state === 'failed') return `The load test failed: ${error ?? 'no reason given'}`;
  if (!measured) return 'The load test is running.';
  if (measured.maxMs === null) return `With a pool of ${poolSize}, no request was answered.`;
  const fastMs = measured.routes['/fast']?.maxMs;
  const failures = measured.failures === 0 ? 'no request failed' : `${measured.failures} requests failed`;
  return [
    `With a pool of ${poolSize}${changes ? ` (${changes})` : ''}, the slowest request took ${formatMs(measured.maxMs)}`,
    fastMs === undefined ? '' : `, the slowest /fast ${formatMs(fastMs)}`,
    `; ${failures}.`,
  ].join('');
}

import { basename } from 'node:path';
import { describeFailures, runArtillery, summariseReport } from '../harness/artillery.js';
import { MIXED_SCENARIO, mixed } from '../labs/mixed/mixed-lab.js';
import { clientError } from '../http/problem.js';

const MAX_KEPT = 20;
const PROGRESS_MS = 500;

/**
 * @typedef {import('../universal/feed-shapes.js').PoolSettings} Load
 *
 * A run of mixed.yaml against this very app; pool size and slowMs are those that it started with.
 * @typedef {import('../universal/feed-shapes.js').LoadTest} LoadTest
 */

/**
 * Real Artillery runs, one at a time, at the page's wish.
 *
 * @param {object} options
 * @param {() => string} options.ownUrl
 * @param {() => Load} options.readLoad
 * @param {boolean} options.isPlain whether one pool takes all requests, as the arithmetic has it
 * @param {(test: LoadTest) => void} options.onChange
 */
export function createLoadTests({ ownUrl, readLoad, isPlain, onChange }) {
  /** @type {LoadTest[]} */
  const tests = [];
  const controller = new AbortController();
  let lastId = 0;
  /** @type {Promise<unknown>} */
  let running = Promise.resolve();

  /** @param {LoadTest} test */
  async function run(test) {
    /** @type {NodeJS.Timeout | undefined} */
    let ticker;
    try {
      const { variants: [{ exact, estimateMs }] } = await mixed.plan(
        { poolSizes: [test.poolSize], slowMs: test.slowMs, scenario: MIXED_SCENARIO });
      test.exact = isPlain && test.changes.length === 0 ? exact : null;
      const startedAt = performance.now();
      ticker = setInterval(() => {
        const elapsedMs = Math.min(performance.now() - startedAt, estimateMs);
        Object.assign(test, { progress: elapsedMs / estimateMs, leftMs: estimateMs - elapsedMs });
        onChange(test);
      }, PROGRESS_MS);
      const { report } = await runArtillery({ scenario: MIXED_SCENARIO, target: ownUrl(), signal: controller.signal });
      test.measured = summariseReport(report);
      test.state = 'done';
      if (test.measured.failures > 0) test.error = describeFailures(report);
    } catch (error) {
      Object.assign(test, { state: 'failed', error: /** @type {Error} */ (error).message });
    }
    clearInterval(ticker);
    Object.assign(test, { progress: 1, leftMs: 0 });
    onChange(test);
  }

  return {
    /** Pool size or slowMs may have changed: a test that runs remembers when, and to what. */
    noteLoad() {
      const test = tests.at(-1);
      if (test?.state !== 'running') return;
      const load = readLoad();
      const before = test.changes.at(-1) ?? test;
      if (before.poolSize === load.poolSize && before.slowMs === load.slowMs) return;
      test.changes.push({ ...load, afterMs: Date.now() - Date.parse(test.startedAt) });
      // It was worked out for a load that stays as it is.
      test.exact = null;
      onChange(test);
    },
    /** @returns {readonly LoadTest[]} the last ones, oldest first */
    list: () => tests,
    /**
     * @returns {LoadTest}
     * @throws {Error} with status 409 while one runs
     */
    start() {
      if (tests.at(-1)?.state === 'running') throw clientError(409, 'a load test is running already');
      /** @type {LoadTest} */
      const test = {
        id: ++lastId, scenario: basename(MIXED_SCENARIO), ...readLoad(), startedAt: new Date().toISOString(),
        changes: [], state: 'running', progress: 0, leftMs: 0,
      };
      tests.push(test);
      if (tests.length > MAX_KEPT) tests.shift();
      running = run(test);
      onChange(test);
      return test;
    },
    /** End the one that runs. */
    async close() {
      controller.abort(new Error('the app is closing'));
      await running;
    },
  };
}

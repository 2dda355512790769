import { createRequire } from 'node:module';
import { clientError } from '../http/problem.js';

const MAX_KEPT = 20;
const PROGRESS_MS = 500;

/** What a load test needs and the app itself does not. The Docker image leaves it out. @type {[string, string][]} */
const NEEDS = [
  ['../labs/mixed/mixed-lab.js', 'load tests need the lab, which this installation leaves out: run the app in a clone of the project (npm install, npm start)'],
  ['artillery/package.json', 'load tests need Artillery: run npm install artillery, then start the app again'],
  ['mongodb-pool-predictor/node', 'load tests need the predictor: run npm install mongodb-pool-predictor, then start the app again'],
];

/**
 * @typedef {import('mongodb-pool-monitor/page/load-test-shapes.js').PoolSettings} Load
 *
 * A run of mixed.yaml against this app. poolSize and slowMs are from its start.
 * @typedef {import('mongodb-pool-monitor/page/load-test-shapes.js').LoadTest} LoadTest
 */

/**
 * Runs Artillery for the page, one load test at a time.
 *
 * @param {object} options
 * @param {() => string} options.ownUrl
 * @param {() => Load} options.readLoad
 * @param {boolean} options.isPlain whether one pool takes all requests and no query slows another down, as the arithmetic
 *   assumes
 * @param {(test: LoadTest) => void} options.onChange
 */
export function createLoadTests({ ownUrl, readLoad, isPlain, onChange }) {
  /** @type {LoadTest[]} */
  const tests = [];
  const controller = new AbortController();
  let lastId = 0;
  /** @type {Promise<unknown>} */
  let running = Promise.resolve();

  /** @param {LoadTest} test @param {Awaited<ReturnType<typeof loadTools>>} tools */
  async function run(test, { compareUsers, describeFailures, mixed, MIXED_SCENARIO, runArtillery, summariseReport }) {
    /** @type {NodeJS.Timeout | undefined} */
    let ticker;
    try {
      const { workload, variants: [{ exact, estimateMs }] } = await mixed.plan(
        { poolSizes: [test.poolSize], slowMs: test.slowMs, scenario: MIXED_SCENARIO });
      test.exact = isPlain && test.changes.length === 0 ? exact : null;
      const startedAt = performance.now();
      ticker = setInterval(() => {
        const elapsedMs = Math.min(performance.now() - startedAt, estimateMs);
        Object.assign(test, { progress: elapsedMs / estimateMs, leftMs: estimateMs - elapsedMs });
        onChange(test);
      }, PROGRESS_MS);
      const { report } = await runArtillery({ scenario: MIXED_SCENARIO, target: ownUrl(), signal: controller.signal });
      const measured = summariseReport(report);
      Object.assign(test, { measured, state: 'done' });
      const problems = [...(measured.failures > 0 ? [describeFailures(report)] : []), ...compareUsers(workload, report).warnings];
      if (problems.length > 0) test.error = problems.join('; ');
    } catch (error) {
      Object.assign(test, { state: 'failed', error: /** @type {Error} */ (error).message });
    }
    clearInterval(ticker);
    Object.assign(test, { progress: 1, leftMs: 0 });
    onChange(test);
  }

  return {
    /** What to install for load tests; null if they can run. */
    missing: findMissing(),
    /** Call this after a change of pool size or slowMs. A running test records it. */
    noteLoad() {
      const test = tests.at(-1);
      if (test?.state !== 'running') return;
      const load = readLoad();
      const before = test.changes.at(-1) ?? test;
      if (before.poolSize === load.poolSize && before.slowMs === load.slowMs) return;
      test.changes.push({ ...load, afterMs: Date.now() - Date.parse(test.startedAt) });
      // The arithmetic assumes a constant load.
      test.exact = null;
      onChange(test);
    },
    /** @returns {readonly LoadTest[]} the last ones, oldest first */
    list: () => tests,
    /**
     * @returns {Promise<LoadTest>} that has just started
     * @throws {Error} with status 409 while one runs
     */
    async start() {
      const tools = await loadTools();
      controller.signal.throwIfAborted();
      if (tests.at(-1)?.state === 'running') throw clientError(409, 'a load test is already running');
      /** @type {LoadTest} */
      const test = {
        id: ++lastId, scenario: 'mixed.yaml', ...readLoad(), startedAt: new Date().toISOString(),
        changes: [], state: 'running', progress: 0, leftMs: 0,
      };
      tests.push(test);
      if (tests.length > MAX_KEPT) tests.shift();
      running = run(test, tools);
      onChange(test);
      return test;
    },
    /** Ends the running test. */
    async close() {
      controller.abort(new Error('the app is shutting down'));
      await running;
    },
  };
}

function findMissing() {
  const { resolve } = createRequire(import.meta.url);
  return NEEDS.find(([specifier]) => {
    try {
      return !resolve(specifier);
    } catch {
      return true;
    }
  })?.[1] ?? null;
}

/** On demand, so that the app runs without them. */
async function loadTools() {
  return {
    ...await import('../harness/artillery.js'),
    ...await import('../harness/sent-users.js'),
    ...await import('../labs/mixed/mixed-lab.js'),
  };
}

import { EventEmitter } from 'node:events';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { clientError } from '../http/problem.js';

/** @import { LoadTestFigures } from './artillery.js' */

/** The article's load test. */
export const MIXED_SCENARIO = fileURLToPath(new URL('../../loadtests/mixed.yaml', import.meta.url));
/** Start and end of Artillery and the app, in ms: an estimate for the progress bar. */
export const OVERHEAD_MS = 5500;

const MAX_KEPT = 20;
const PROGRESS_MS = 500;

/** What a load test needs and the app itself does not. The Docker image and `npm install --omit=dev` lack Artillery. */
const NEEDS = { 'artillery/package.json': 'Artillery', 'mongodb-pool-predictor/node': 'the predictor' };

/**
 * @typedef {object} LoadSettings the settings that the page's controls can change
 * @property {number} poolSize
 * @property {number} slowMs
 *
 * @typedef {object} LoadTestRun
 * @property {number} id
 * @property {string} scenario file name
 * @property {string} startedAt ISO 8601
 * @property {(LoadSettings & { afterMs: number })[]} changes of the settings during the test, oldest first
 * @property {'running' | 'done' | 'failed'} state
 * @property {number} progress 0 to 1, an estimate
 * @property {number} leftMs an estimate
 * @property {LoadTestFigures} [measured]
 * @property {{ maxMs?: number | null } | null} [exact] calculated; null where the formula does not apply
 * @property {string} [error]
 *
 * @typedef {LoadSettings & LoadTestRun} LoadTest a run of mixed.yaml against this app, with the settings that it
 *   started with
 *
 * @typedef {Awaited<ReturnType<typeof loadTools>>} LoadTools
 */

/**
 * Runs Artillery for the page, one load test at a time. Emits `change` with a load test whenever it has changed.
 * @extends {EventEmitter<{ change: [LoadTest] }>}
 */
export class LoadTests extends EventEmitter {
  #options;
  /** @type {LoadTest[]} */
  #tests = [];
  #controller = new AbortController();
  #lastId = 0;
  /** @type {Promise<unknown>} */
  #running = Promise.resolve();
  /** What to install for load tests; null if they can run. */
  missing = findMissing();

  /**
   * @param {object} options
   * @param {() => string} options.ownUrl
   * @param {() => LoadSettings} options.readLoad
   * @param {boolean} options.isPlain whether one pool takes all requests and no query slows another down, as the
   *   arithmetic assumes
   */
  constructor(options) {
    super();
    this.#options = options;
  }

  /** @returns {readonly LoadTest[]} the last ones, oldest first */
  list() {
    return this.#tests;
  }

  /**
   * @returns {Promise<LoadTest>} that has just started
   * @throws {Error} with status 409 while one runs
   */
  async start() {
    const tools = await loadTools();
    this.#controller.signal.throwIfAborted();
    if (this.#tests.at(-1)?.state === 'running') throw clientError(409, 'a load test is already running');
    /** @type {LoadTest} */
    const test = {
      id: ++this.#lastId,
      scenario: 'mixed.yaml',
      ...this.#options.readLoad(),
      startedAt: new Date().toISOString(),
      changes: [],
      state: 'running',
      progress: 0,
      leftMs: 0,
    };
    this.#tests.push(test);
    if (this.#tests.length > MAX_KEPT) this.#tests.shift();
    this.#running = this.#run(test, tools);
    this.emit('change', test);
    return test;
  }

  /** Records a change of pool size or slowMs in the running test. Call it after each. */
  recordLoad() {
    const test = this.#tests.at(-1);
    if (test?.state !== 'running') return;
    const load = this.#options.readLoad();
    const before = test.changes.at(-1) ?? test;
    if (before.poolSize === load.poolSize && before.slowMs === load.slowMs) return;
    test.changes.push({ ...load, afterMs: Date.now() - Date.parse(test.startedAt) });
    // The arithmetic assumes a constant load.
    test.exact = null;
    this.emit('change', test);
  }

  /** Ends the running test. */
  async close() {
    this.#controller.abort(new Error('the app is shutting down'));
    await this.#running;
  }

  /** @param {LoadTest} test @param {LoadTools} tools */
  async #run(test, tools) {
    /** @type {NodeJS.Timeout | undefined} */
    let ticker;
    try {
      const workload = await tools.readScenario(MIXED_SCENARIO);
      const { routes } = tools.createScenarioLoad(workload, { workers: tools.WORKERS });
      const { maxMs, durationMs } = tools.workOut({ workload, routes, poolSize: test.poolSize, slowMs: test.slowMs });
      test.exact = this.#options.isPlain && test.changes.length === 0 ? { maxMs } : null;
      ticker = this.#reportProgress(test, durationMs + OVERHEAD_MS);
      const { report } = await tools.runArtillery({
        scenario: MIXED_SCENARIO,
        target: this.#options.ownUrl(),
        signal: this.#controller.signal,
      });
      const measured = tools.summariseReport(report);
      Object.assign(test, { measured, state: 'done' });
      const problems = [
        ...(measured.failures > 0 ? [tools.describeFailures(report)] : []),
        ...tools.compareUsers(workload, report).warnings,
      ];
      if (problems.length > 0) test.error = problems.join('; ');
    } catch (error) {
      Object.assign(test, { state: 'failed', error: /** @type {Error} */ (error).message });
    }
    clearInterval(ticker);
    Object.assign(test, { progress: 1, leftMs: 0 });
    this.emit('change', test);
  }

  /** @param {LoadTest} test @param {number} estimateMs how long it will take */
  #reportProgress(test, estimateMs) {
    const startedAt = performance.now();
    return setInterval(() => {
      const elapsedMs = Math.min(performance.now() - startedAt, estimateMs);
      Object.assign(test, { progress: elapsedMs / estimateMs, leftMs: estimateMs - elapsedMs });
      this.emit('change', test);
    }, PROGRESS_MS);
  }
}

function findMissing() {
  const { resolve } = createRequire(import.meta.url);
  for (const [specifier, name] of Object.entries(NEEDS)) {
    try {
      resolve(specifier);
    } catch {
      return `load tests need ${name}: run npm install in the project's folder, then start the app again`;
    }
  }
  return null;
}

/** Loads them on demand, so that the app runs without them. */
async function loadTools() {
  return {
    ...(await import('mongodb-pool-predictor')),
    ...(await import('mongodb-pool-predictor/node')),
    ...(await import('./artillery.js')),
    ...(await import('./exact-times.js')),
  };
}

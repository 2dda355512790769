import { quantile } from './quantile.js';
import { createRandom } from './simulator/random.js';
import { resample } from './simulator/service-time.js';
import { simulate } from './simulator/simulate.js';

/** @import { Load } from './load.js' */
/** @import { PoolOptions } from './simulator/create-pool.js' */
/** @import { RouteResult } from './simulator/route-stats.js' */
/** @import { Service } from './simulator/service-time.js' */

/** @typedef {ReturnType<typeof simulate>} SimulationResult */

/** How long a prediction may keep its thread busy at a time. */
const MAX_BLOCK_MS = 50;

/** A pool without a limit: no request waits for a connection. @type {PoolOptions} */
export const UNLIMITED = { maxPoolSize: 2 ** 28, maxConnecting: 2 ** 28, warm: false };

/**
 * @typedef {object} Figures of one run, or a quantile of each over several runs
 * @property {number} requests
 * @property {number} failures
 * @property {number} maxMs
 * @property {Record<string, RouteResult>} routes
 * @property {number} meanWaitMs for a connection, over all routes
 * @property {number} peakActive
 * @property {number} peakWaiting
 * @property {number} utilisation
 *
 * @typedef {Figures & { low?: Figures, high?: Figures }} PredictedFigures medians; of a random load, low and high are the 5th
 *   and the 95th percentile over the runs
 */

/**
 * What every run of a prediction has in common.
 *
 * @typedef {object} RunInput
 * @property {Load} load
 * @property {Record<string, Service>} services by route
 * @property {Service} [overhead] see simulate
 * @property {number} [resolutionMs] see simulate
 * @property {boolean} [keepRequests] see simulate
 *
 * @typedef {{ pool: PoolOptions, seed: number, factor: number }} Run factor: times the load's arrival rate
 *
 * @typedef {(runs: Run[], onRun?: () => void) => Promise<SimulationResult[]>} SimulateRuns results in the order of the runs;
 *   onRun is called after each
 */

/**
 * @param {RunInput} input
 * @returns {(run: Run) => SimulationResult} each run has its own arrivals, and its own resample of measured times
 */
export function createRunSimulator({ load, services, overhead, resolutionMs, keepRequests }) {
  return ({ pool, seed, factor }) => simulate({
    workload: load.workload,
    services: Object.fromEntries(Object.entries(services).map(([route, service]) => (
      [route, resample(service, createRandom(seed, `sample of ${route}`))]))),
    arrivals: { [Symbol.iterator]: () => load.arrivals(seed, factor)[Symbol.iterator]() },
    pool,
    seed,
    resolutionMs,
    keepRequests,
    overhead: overhead && resample(overhead, createRandom(seed, 'sample of the overhead')),
  });
}

/**
 * Simulates in this thread. Between runs it lets the thread do other work.
 *
 * @param {RunInput} input
 * @returns {SimulateRuns}
 */
export function simulateHere(input) {
  const simulateRun = createRunSimulator(input);
  let pausedAtMs = performance.now();
  return async (runs, onRun = () => {}) => {
    const results = [];
    for (const run of runs) {
      results.push(simulateRun(run));
      onRun();
      if (performance.now() - pausedAtMs < MAX_BLOCK_MS) continue;
      await new Promise((resolve) => { setTimeout(resolve, 0); });
      pausedAtMs = performance.now();
    }
    return results;
  };
}

/**
 * Simulates one load against any pool, always with the same seeds, so that two results differ only because of the pool.
 *
 * @param {object} options
 * @param {SimulateRuns} options.simulateRuns
 * @param {number} options.seeds how many runs
 * @param {number} [options.factor] times the load's arrival rate, default 1
 */
export function createRuns({ simulateRuns, seeds, factor = 1 }) {
  /** @param {PoolOptions} pool */
  const simulateAll = (pool) => simulateRuns(Array.from({ length: seeds }, (_, index) => ({ pool, seed: index + 1, factor })));
  return {
    simulateAll,
    /** @param {PoolOptions} pool */
    predict: async (pool) => summariseRuns(await simulateAll(pool)),
  };
}

/** @param {SimulationResult[]} runs at least one @returns {PredictedFigures} */
export function summariseRuns(runs) {
  const figures = runs.map(pickFigures);
  const median = combine(figures, 0.5);
  return runs.length === 1 ? median : { ...median, low: combine(figures, 0.05), high: combine(figures, 0.95) };
}

/** @param {SimulationResult} run @returns {Figures} */
function pickFigures(run) {
  const { requests, checkouts, failures, maxMs, routes, peakActive, peakWaiting, utilisation, meanWaiting, durationMs } = run;
  const meanWaitMs = (meanWaiting * durationMs) / checkouts;
  return { requests, failures, maxMs, routes, meanWaitMs, peakActive, peakWaiting, utilisation };
}

/**
 * The quantile of each figure over the runs that have it: a run may have no request of a rare route.
 *
 * @template {object} T
 * @param {T[]} sets at least one
 * @param {number} share
 * @returns {T}
 */
function combine(sets, share) {
  const keys = [...new Set(sets.flatMap(Object.keys))];
  return /** @type {T} */ (Object.fromEntries(keys.map((key) => {
    const values = sets.map((set) => /** @type {any} */ (set)[key]);
    if (values.some((value) => typeof value === 'object')) return [key, combine(values.filter(Boolean), share)];
    const numbers = values.filter((value) => !Number.isNaN(value) && value !== undefined);
    return [key, numbers.length > 0 ? quantile(numbers, share) : NaN];
  })));
}

import { findBand, MIN_RUNS } from './prediction-interval.js';
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

/** All other figures are medians over the runs. */
const MEANS = new Set(['meanMs', 'meanWaitMs', 'utilisation']);

/** A pool without a limit: no request waits for a connection. @type {PoolOptions} */
export const UNLIMITED = { maxPoolSize: 2 ** 28, maxConnecting: 2 ** 28, warm: false };

/**
 * @typedef {object} Figures of one run, or of several: see PredictedFigures
 * @property {number} requests
 * @property {number} checkouts
 * @property {number} failures
 * @property {number} maxMs
 * @property {Record<string, RouteResult>} routes
 * @property {number} meanWaitMs for a connection, over all routes
 * @property {number} peakActive
 * @property {number} peakWaiting
 * @property {number} utilisation
 *
 * @typedef {Figures & { low?: Figures, high?: Figures }} PredictedFigures means of means (meanMs, meanWaitMs, utilisation),
 *   weighted by requests or checkouts, and medians of all else. Low and high are the ends of a 90 % prediction interval; with fewer than 19
 *   runs there is none
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

/** Whether runs with different seeds differ. @param {RunInput} input */
export function isRandom({ load, services, overhead, resolutionMs = 0 }) {
  return load.isRandom(services) || (overhead !== undefined && overhead.kind !== 'fixed') || resolutionMs > 0;
}

/**
 * @param {RunInput} input
 * @returns {(run: Run) => SimulationResult} each run has its own arrivals, and its own resample of measured times
 */
export function createRunSimulator({ load, services, overhead, resolutionMs, keepRequests }) {
  return ({ pool, seed, factor }) => simulate({
    workload: load.workload,
    services: Object.fromEntries(Object.entries(services).map(([route, service]) => (
      [route, resample(service, createRandom(seed, `sample of ${route}`))]))),
    arrivals: load.arrivals(seed, factor),
    pool,
    seed,
    resolutionMs,
    keepRequests,
    server: load.server,
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
 * @param {number} [options.firstSeed] of the first run; each other run has the next one; default 1
 * @param {number} [options.factor] times the load's arrival rate, default 1
 */
export function createRuns({ simulateRuns, seeds, firstSeed = 1, factor = 1 }) {
  /** @param {PoolOptions} pool */
  const simulateAll = (pool) => simulateRuns(Array.from({ length: seeds }, (_, index) => (
    { pool, seed: firstSeed + index, factor })));
  return {
    simulateAll,
    /** @param {PoolOptions} pool */
    predict: async (pool) => summariseRuns(await simulateAll(pool)),
  };
}

/** @param {SimulationResult[]} runs at least one @returns {PredictedFigures} */
export function summariseRuns(runs) {
  const figures = runs.map(pickFigures);
  const summary = combine(figures, (values, key, weights) => (
    MEANS.has(key) ? meanOf(values, weights) : quantile(values, 0.5)));
  if (runs.length < MIN_RUNS) return summary;
  return {
    ...summary,
    low: combine(figures, (values) => findBand(values)[0]),
    high: combine(figures, (values) => findBand(values)[1]),
  };
}

/**
 * The figures of the runs that are shown, in the band of all runs.
 *
 * @param {{ all: SimulationResult[], shown: SimulationResult[] }} runs
 * @returns {PredictedFigures}
 */
export function centreBand({ all, shown }) {
  const figures = summariseRuns(all);
  if (shown === all) return figures;
  const own = summariseRuns(shown);
  const { low, high } = figures;
  if (!low || !high) return own;
  return {
    ...own,
    low: combine([low, own], (values) => Math.min(...values)),
    high: combine([high, own], (values) => Math.max(...values)),
  };
}

/** @param {SimulationResult} run @returns {Figures} */
function pickFigures(run) {
  const { requests, checkouts, failures, maxMs, routes, peakActive, peakWaiting, utilisation, meanWaiting, durationMs } = run;
  const meanWaitMs = (meanWaiting * durationMs) / checkouts;
  return { requests, checkouts, failures, maxMs, routes, meanWaitMs, peakActive, peakWaiting, utilisation };
}

/**
 * Summarises each figure over the runs that have it: a run may have no request of a rare route.
 *
 * @template {object} T
 * @param {T[]} sets at least one
 * @param {(values: number[], key: string, weights: number[]) => number} summarise weights: requests or checkouts of each run
 * @param {number[]} [outer] weights of the sets that have none of their own
 * @returns {T}
 */
function combine(sets, summarise, outer = []) {
  const weights = sets.map((/** @type {any} */ set, index) => set.checkouts ?? set.count ?? outer[index]);
  const keys = [...new Set(sets.flatMap(Object.keys))];
  return /** @type {T} */ (Object.fromEntries(keys.map((key) => {
    const values = sets.map((set) => /** @type {any} */ (set)[key]);
    const known = [...values.keys()].filter((index) => values[index] !== undefined && !Number.isNaN(values[index]));
    const [kept, weightsOfKept] = [values, weights].map((list) => known.map((index) => list[index]));
    if (kept.some((value) => typeof value === 'object')) return [key, combine(kept, summarise, weightsOfKept)];
    return [key, kept.length > 0 ? summarise(kept, key, weightsOfKept) : NaN];
  })));
}

/** @param {number[]} values @param {number[]} weights */
function meanOf(values, weights) {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return values.reduce((sum, value, index) => sum + value * weights[index], 0) / total;
}

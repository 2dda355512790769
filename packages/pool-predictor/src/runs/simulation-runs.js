import { createRandom } from '../simulator/random.js';
import { summariseRuns } from './run-figures.js';
import { resample } from '../simulator/service-time.js';
import { simulate } from '../simulator/simulate.js';
import { timeoutsOf, UNLIMITED } from '../simulator/create-pool.js';
import { NEVER } from '../simulator/event-heap.js';

/** @import { Load } from '../load/load.js' */
/** @import { LoadChange } from '../load/change-queries.js' */
/** @import { PoolOptions } from '../simulator/create-pool.js' */
/** @import { SimulationResult } from '../simulator/simulate.js' */
/** @import { Service } from '../simulator/service-time.js' */

/** A prediction lets its thread do other work after this time. */
const MAX_BLOCK_MS = 50;

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
 * @typedef {{ pool: PoolOptions, seed: number, factor: number, reading?: number, change?: LoadChange }} Run factor:
 *   times the load's arrival rate; reading: row in readingsOf(load), default the first
 *
 * @typedef {(runs: Run[], onRun?: () => void) => Promise<SimulationResult[]>} SimulateRuns results in the order of the
 *   runs; onRun is called after each
 */

/** @param {RunInput} input @returns {boolean} whether runs with different seeds differ */
export function isRandom({ load, services, overhead, resolutionMs = 0 }) {
  return load.isRandom(services) || (overhead !== undefined && overhead.kind !== 'fixed') || resolutionMs > 0;
}

/**
 * @param {RunInput} input
 * @returns {(run: Run) => SimulationResult} each run has arrivals of its own, and its own resample of the measured
 *   times
 */
export function createRunSimulator({ load, services, overhead, resolutionMs, keepRequests }) {
  const drawn = listDrawn(load, services);
  const changeLoad = createChanger();
  return ({ pool, seed, factor, reading = 0, change }) => {
    const read = changeLoad(reading === 0 ? load : readingsOf(load)[reading], change);
    return simulate({
      workload: read.workload,
      services: mapServices(drawn, (service, route) => resample(service, createRandom(seed, `sample of ${route}`))),
      arrivals: read.arrivals(seed, factor),
      pool: read.withOpenings?.(pool, seed, factor) ?? pool,
      seed,
      resolutionMs,
      keepRequests,
      server: read.server,
      overhead: overhead && resample(overhead, createRandom(seed, 'sample of the overhead')),
    });
  };
}

/** Changes loads, and remembers the last one: the runs of a change come one after another. */
function createChanger() {
  /** @type {{ load?: Load, key?: string, changed?: Load }} */
  let last = {};
  /** @param {Load} load @param {LoadChange} [change] @returns {Load} */
  return (load, change) => {
    if (!change) return load;
    const key = JSON.stringify(change);
    if (last.load !== load || last.key !== key) last = { load, key, changed: load.withChange?.(change) };
    return last.changed ?? load;
  };
}

/** All plausible readings of who waits for answers, the likely one first. @param {Load} load @returns {Load[]} */
export function readingsOf(load) {
  return load.otherReading ? [load, load.otherReading] : [load];
}

/**
 * Whether a run with this pool, if it uses no more connections than that has, is the same as one without a limit.
 * @param {Load} load
 * @param {PoolOptions} pool
 */
export function isUnlimitedAlike(load, pool) {
  const { operationMs, requestMs } = timeoutsOf(pool);
  const isWarm = pool.kind !== 'pipelining' && (pool.warm ?? true) === true;
  return isWarm && !load.withOpenings && Math.min(operationMs, requestMs) === NEVER;
}

/**
 * @param {SimulationResult | undefined} run without a limit
 * @param {PoolOptions} pool see isUnlimitedAlike
 * @returns {SimulationResult | undefined} the same with that pool, if it is
 */
export function takeUnlimited(run, pool) {
  if (!run || run.peakActive > smallestPart(pool)) return undefined;
  // Without a limit, each waits for its connection to be opened, which takes no time.
  return { ...run, peakWaiting: 0, utilisation: run.meanActive / pool.maxPoolSize };
}

/** The fewest connections that some route may use. @param {PoolOptions} pool */
function smallestPart(pool) {
  if (pool.kind === 'limited') return Math.min(pool.slowSize, pool.maxPoolSize);
  if (pool.kind !== 'split') return pool.maxPoolSize;
  return Math.min(pool.slowSize, pool.maxPoolSize - pool.slowSize, pool.slowLimit ?? NEVER);
}

/**
 * What a simulation draws times from. The requests of a trace have their own: nothing is drawn.
 * @param {Load} load
 * @param {Record<string, Service>} services
 */
export function listDrawn({ source }, services) {
  if (source?.kind !== 'trace') return services;
  return mapServices(services, ({ workShare, limit }) => ({ kind: 'none', workShare, limit }));
}

/** @param {Record<string, Service>} services @param {(service: Service, route: string) => Service} map */
function mapServices(services, map) {
  return Object.fromEntries(Object.entries(services).map(([route, service]) => [route, map(service, route)]));
}

/**
 * Simulates in this thread, and lets it do other work between runs.
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
      await new Promise((resolve) => {
        setTimeout(resolve, 0);
      });
      pausedAtMs = performance.now();
    }
    return results;
  };
}

/**
 * Simulates one load against any pool with the same seeds, so that two results differ only because of the pool.
 *
 * @param {object} options
 * @param {SimulateRuns} options.simulateRuns
 * @param {number} options.seeds how many runs
 * @param {number} [options.firstSeed] of the first run; each other run has the next one; default 1
 * @param {number} [options.factor] times the load's arrival rate, default 1
 */
export function createRuns({ simulateRuns, seeds, firstSeed = 1, factor = 1 }) {
  /** @param {PoolOptions} pool */
  const simulateAll = (pool) =>
    simulateRuns(Array.from({ length: seeds }, (_, index) => ({ pool, seed: firstSeed + index, factor })));
  return {
    simulateAll,
    /** @param {PoolOptions} pool */
    predict: async (pool) => summariseRuns(await simulateAll(pool)),
  };
}

/**
 * Simulates each run once, however often it is asked for.
 * @param {SimulateRuns} simulateRuns
 * @returns {SimulateRuns}
 */
export function rememberRuns(simulateRuns) {
  /** @type {Map<string, Promise<SimulationResult>>} */
  const known = new Map();
  return (runs, onRun) => {
    const keys = runs.map((run) => JSON.stringify(run));
    const missing = runs.filter((_, index) => !known.has(keys[index]));
    const added = missing.length > 0 ? simulateRuns(missing, onRun) : Promise.resolve([]);
    for (const [index, run] of missing.entries())
      known.set(
        JSON.stringify(run),
        added.then((results) => results[index]),
      );
    return Promise.all(keys.map((key) => /** @type {Promise<SimulationResult>} */ (known.get(key))));
  };
}

/**
 * @typedef {{ step: string, done: number, total: number }} RunProgress simulation runs; `total` is an estimate until it
 *   is known which pools will be simulated
 */

/**
 * Reports each run that ends. Each pool that begins takes its runs from the estimate, even if fewer are needed.
 *
 * @param {SimulateRuns} simulateRuns
 * @param {(progress: RunProgress) => void} onProgress
 * @param {{ pools: number, runs: number }} planned how many pools will be simulated, and how many runs each has
 * @returns {SimulateRuns} the same, counted: the runs of one call have one pool
 */
export function countRuns(simulateRuns, onProgress, planned) {
  let step = '';
  let done = 0;
  let poolsLeft = planned.pools;
  let runsLeft = 0;
  return (runs) => {
    const name = runs.length > 0 ? describeRun(runs[0]) : step;
    if (name !== step) {
      step = name;
      poolsLeft = Math.max(0, poolsLeft - 1);
      runsLeft = planned.runs;
    }
    return simulateRuns(runs, () => {
      done++;
      runsLeft = Math.max(0, runsLeft - 1);
      onProgress({ step, done, total: done + runsLeft + poolsLeft * planned.runs });
    });
  };
}

/** @param {Run} run */
function describeRun({ pool: { maxPoolSize }, factor }) {
  const size = maxPoolSize === UNLIMITED.maxPoolSize ? 'no limit' : `${maxPoolSize} connections`;
  return factor === 1 ? size : `load x${factor}, ${size}`;
}

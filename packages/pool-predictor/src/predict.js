import { allenCunneenWaitMs, erlangWaitMs } from './closed-forms.js';
import { describeLoad, findKnee } from './load-facts.js';
import { countRuns } from './run-count.js';
import { createRuns, simulateHere, summariseRuns, UNLIMITED } from './simulation-runs.js';

/** @import { Load } from './load.js' */
/** @import { LoadFacts } from './load-facts.js' */
/** @import { PoolOptions } from './simulator/create-pool.js' */
/** @import { Progress } from './run-count.js' */
/** @import { PredictedFigures, SimulateRuns } from './simulation-runs.js' */
/** @import { Service } from './simulator/service-time.js' */

/** Simulated in a few seconds. */
const AFFORDABLE_REQUESTS = 5e6;
const MIN_RUNS = 20;
const MAX_RUNS = 100;

/**
 * @typedef {object} PredictedVariant
 * @property {string} name
 * @property {{ poolSize: number }} settings
 * @property {null} measured
 * @property {PredictedFigures} predicted
 * @property {{ erlangWaitMs: number | null, allenCunneenWaitMs: number | null }} closedForms mean waits for a connection
 *   by formula; null where the pool cannot keep up
 */

/**
 * Predicts what a load test would measure at each pool size. A random load is simulated several times.
 *
 * @param {object} options
 * @param {Load} options.load
 * @param {number[]} options.poolSizes ascending
 * @param {Record<string, Service>} options.services by route
 * @param {number} [options.seeds] simulation runs of a random load; default: 100, or as few as 20 of a long load
 * @param {Service} [options.overhead] what a response takes beyond wait and service time, default 0
 * @param {number} [options.resolutionMs] of the client's clock, default 0: exact
 * @param {(poolSize: number) => PoolOptions} [options.poolOf] the pool of a size; default: the driver's, with its defaults
 * @param {SimulateRuns} [options.simulateRuns] default: in this thread
 * @param {(progress: Progress) => void} [options.onProgress] called after each run
 * @returns {Promise<{ variants: PredictedVariant[], load: LoadFacts & { knee: number | null }, seeds: number }>} knee: the
 *   first of the sizes from which on more connections do not help; null when the largest still helps
 * @throws {Error} for a load without requests, or missing or invalid service times
 */
export async function predict({
  load, poolSizes, services, seeds: givenSeeds, overhead, resolutionMs = 0, poolOf = (maxPoolSize) => ({ maxPoolSize }),
  simulateRuns = simulateHere({ load, services, overhead, resolutionMs }), onProgress = () => {},
}) {
  const isRandom = load.isRandom(services) || (overhead !== undefined && overhead.kind !== 'fixed') || resolutionMs > 0;
  const [once] = await createRuns({ simulateRuns, seeds: 1 }).simulateAll(UNLIMITED);
  const seeds = isRandom ? givenSeeds ?? chooseSeeds(once.requests, poolSizes.length + 1) : 1;
  const counter = countRuns(simulateRuns, onProgress);
  const runs = createRuns({ simulateRuns: counter.simulateRuns, seeds });
  counter.expect(seeds * (poolSizes.length + 1));
  counter.begin('no limit');
  const unlimited = seeds === 1 ? [once] : await runs.simulateAll(UNLIMITED);
  const facts = describeLoad(load, services, unlimited);
  /** @type {PredictedFigures[]} */
  const predicted = [];
  for (const poolSize of poolSizes) {
    counter.begin(`${poolSize} connections`);
    predicted.push(await runs.predict(poolOf(poolSize)));
  }
  const variants = poolSizes.map((poolSize, index) => ({
    name: `pool ${poolSize}`,
    settings: { poolSize },
    measured: null,
    predicted: predicted[index],
    closedForms: {
      erlangWaitMs: finite(erlangWaitMs(poolSize, facts.stream)),
      allenCunneenWaitMs: finite(allenCunneenWaitMs(poolSize, facts.stream, facts.arrivalScv)),
    },
  }));
  const knee = findKnee(poolSizes.map((poolSize, index) => ({ poolSize, figures: predicted[index] })),
    summariseRuns(unlimited), facts.floor);
  return { variants, load: { ...facts, knee: knee ?? null }, seeds };
}

/**
 * The default number of runs: fewer for a long load.
 *
 * @param {number} requests of one run
 * @param {number} pools that each run is repeated with
 */
export function chooseSeeds(requests, pools) {
  return Math.min(MAX_RUNS, Math.max(MIN_RUNS, Math.floor(AFFORDABLE_REQUESTS / requests / pools)));
}

/** @param {number} value */
function finite(value) {
  return Number.isFinite(value) ? value : null;
}

import { SERVER } from '../assumptions/server-assumptions.js';
import { describeLoad } from '../load/load-facts.js';
import { joinReadings } from './readings.js';
import { findKnee, findSlowdown } from './size-comparison.js';
import { chooseRuns, requireBandRuns } from '../runs/prediction-interval.js';
import {
  countRuns,
  createRuns,
  isRandom,
  isUnlimitedAlike,
  readingsOf,
  simulateHere,
  takeUnlimited,
} from '../runs/simulation-runs.js';
import { isDriverPool, UNLIMITED } from '../simulator/create-pool.js';
import { centreBand } from '../runs/run-figures.js';

/** @import { Load } from '../load/load.js' */
/** @import { LoadFacts } from '../load/load-facts.js' */
/** @import { PoolOptions } from '../simulator/create-pool.js' */
/** @import { ReadingPrediction } from './readings.js' */
/** @import { RunProgress, SimulateRuns } from '../runs/simulation-runs.js' */
/** @import { PredictedFigures, RunFigures } from '../runs/run-figures.js' */
/** @import { SimulationResult } from '../simulator/simulate.js' */
/** @import { BestGuess, Slowdown } from './size-comparison.js' */
/** @import { Service } from '../simulator/service-time.js' */
/** @import { Trust } from './trust.js' */

/** This many requests take a few seconds to simulate; those of a trace take longer. */
const [MAX_SIMULATED_REQUESTS, MAX_REPLAYED_REQUESTS] = [5e6, 2e6];

/**
 * @typedef {object} PredictedVariant
 * @property {string} name
 * @property {{ poolSize: number }} settings
 * @property {null} measured
 * @property {PredictedFigures} predicted
 */

/**
 * Predicts what a load test would measure at each pool size. A random load is simulated several times, and each reading
 * of a trace, see joinReadings.
 *
 * @param {object} options
 * @param {Load} options.load
 * @param {number[]} options.poolSizes ascending
 * @param {Record<string, Service>} options.services by route
 * @param {number} [options.seeds] simulation runs of a random load: 19, 39, 59 ..., which have an exact 90 % band;
 *   default: 99, or as few as 19 of a long load
 * @param {number} [options.firstSeed] of the first run, default 1; another one gives other runs
 * @param {Service} [options.overhead] what a response takes beyond wait and service time, default 0
 * @param {number} [options.resolutionMs] of the client's clock, default 0: exact
 * @param {Trust['widen']} [options.widen] makes the band of a size wider than the runs do, because the recording is far
 *   from that size; default: as the runs make it
 * @param {(poolSize: number) => PoolOptions} [options.poolOf] the pool of a size; default: the driver's, with its
 *   defaults
 * @param {SimulateRuns} [options.simulateRuns] default: in this thread
 * @param {(progress: RunProgress) => void} [options.onProgress] called after each run
 * @returns {Promise<{ variants: PredictedVariant[], load: LoadFacts & { knee: number | null, slowdown: Slowdown | null,
 *   best: BestGuess }, seeds: number, firstSeed: number }>} knee: the first of the sizes from which on more connections
 *   do not help, or what any run uses at most, if that is less; null when the largest size still helps
 * @throws {Error} for a load without requests, missing or invalid service times, or a number of runs without an exact
 *   band
 */
export async function predict({ onProgress = () => {}, simulateRuns, ...options }) {
  const simulateAll = simulateRuns ?? simulateHere(options);
  const readings = readingsOf(options.load);
  /** @type {ReadingPrediction[]} */
  const predictions = [];
  let doneBefore = 0;
  for (const [reading, load] of readings.entries()) {
    let done = 0;
    predictions.push(
      await predictReading({
        ...options,
        load,
        simulateRuns: (runs, onRun) =>
          simulateAll(
            runs.map((run) => ({ ...run, reading })),
            onRun,
          ),
        onProgress(progress) {
          done = progress.done;
          const total = doneBefore + progress.total * (readings.length - reading);
          onProgress({ ...progress, done: doneBefore + done, total });
        },
      }),
    );
    doneBefore += done;
  }
  return joinReadings(predictions[0], predictions[1]);
}

/**
 * @param {Omit<Parameters<typeof predict>[0], 'simulateRuns' | 'onProgress'> & { simulateRuns: SimulateRuns,
 *   onProgress: (progress: RunProgress) => void }} options see predict; load: one reading of it
 * @returns {Promise<ReadingPrediction>}
 */
async function predictReading({
  load,
  poolSizes,
  services,
  seeds: givenSeeds,
  firstSeed = 1,
  overhead,
  resolutionMs = 0,
  poolOf = (maxPoolSize) => ({ maxPoolSize }),
  widen = (figures) => figures,
  simulateRuns,
  onProgress,
}) {
  if (givenSeeds !== undefined) requireBandRuns(givenSeeds);
  const [once] = await createRuns({ simulateRuns, seeds: 1, firstSeed }).simulateAll(UNLIMITED);
  const seeds = isRandom({ load, services, overhead, resolutionMs })
    ? (givenSeeds ??
      chooseRuns(
        (load.recordedSeed === undefined ? MAX_SIMULATED_REQUESTS : MAX_REPLAYED_REQUESTS) /
          once.requests /
          (poolSizes.length + 1),
      ))
    : 1;
  const runs = seeds + (load.recordedSeed !== undefined && load.recordedSeed < firstSeed ? 1 : 0);
  const counted = countRuns(simulateRuns, onProgress, { pools: poolSizes.length + 1, runs });

  /**
   * @param {PoolOptions} pool
   * @param {SimulationResult[]} [known] the first runs
   * @returns {Promise<{ all: SimulationResult[], shown: SimulationResult[] }>} shown: for a trace, only the run that is
   *   the trace itself
   */
  async function simulatePool(pool, known = []) {
    const more = createRuns({
      simulateRuns: counted,
      seeds: seeds - known.length,
      firstSeed: firstSeed + known.length,
    });
    const all = [...known, ...(await more.simulateAll(pool))];
    if (load.recordedSeed === undefined) return { all, shown: all };
    const own =
      all[load.recordedSeed - firstSeed] ?? (await counted([{ pool, seed: load.recordedSeed, factor: 1 }]))[0];
    return { all, shown: [own] };
  }

  /**
   * Where no run uses more connections than a pool has, each is the same as without a limit.
   * @param {PoolOptions} pool
   * @returns {Awaited<ReturnType<typeof simulatePool>> | undefined}
   */
  function findAlike(pool) {
    if (!isUnlimitedAlike(load, pool)) return undefined;
    const [all, shown] = [unlimited.all, unlimited.shown].map((results) =>
      results.flatMap((result) => takeUnlimited(result, pool) ?? []),
    );
    if (all.length < unlimited.all.length) return undefined;
    return { all, shown: unlimited.shown === unlimited.all ? all : shown };
  }

  const unlimited = await simulatePool(UNLIMITED, [once]);
  const facts = describeLoad(load, services, unlimited.shown);
  /** @type {PredictedVariant[]} */
  const variants = [];
  // More connections help as long as they shorten the times that 95 of 100 runs keep to, as with `advise`.
  /** @type {{ poolSize: number, figures: RunFigures }[]} */
  const highEnds = [];
  for (const poolSize of poolSizes) {
    const band = centreBand(findAlike(poolOf(poolSize)) ?? (await simulatePool(poolOf(poolSize))));
    highEnds.push({ poolSize, figures: band.high ?? band });
    const predicted = widen(band, poolSize);
    variants.push({ name: `pool ${poolSize}`, settings: { poolSize }, measured: null, predicted });
  }
  const largest = poolOf(UNLIMITED.maxPoolSize);
  // With more connections the first queries wait for their opening all the same.
  const best = load.withOpenings && isDriverPool(largest) ? { ...largest, minPoolSize: 0 } : removeLimit(largest);
  // The floor is known only for a pool that all routes share.
  const floor = isDriverPool(best) ? facts.floor : 1;
  const band = centreBand(best === UNLIMITED ? unlimited : await simulatePool(best));
  const knee = findKnee(highEnds, band.high ?? band, floor);
  const peakActive = Math.max(...unlimited.all.map((run) => run.peakActive));
  const slowdown = findSlowdown(
    variants.map(({ settings: { poolSize }, predicted: { routes } }) => ({ poolSize, routes })),
    services,
  );
  return {
    variants,
    load: {
      ...facts,
      floor,
      knee: knee && Math.min(knee, peakActive),
      slowdown: facts.usedShare >= SERVER.busyShare ? slowdown : null,
    },
    seeds,
    firstSeed,
  };
}

/**
 * Removes the limit on connections from a pool, or from its common part.
 * @param {PoolOptions} pool
 * @returns {PoolOptions}
 */
function removeLimit(pool) {
  if (pool.kind === 'pipelining' || (isDriverPool(pool) && !pool.requestTimeoutMs)) return UNLIMITED;
  return { ...pool, minPoolSize: 0, connectMs: 0, maxConnecting: UNLIMITED.maxPoolSize, warm: false };
}

import { compareRuns } from '../advise/denial.js';
import { findSmallest } from '../advise/find-smallest.js';
import { RECORDED_SEED } from '../load/trace-load.js';
import { poolOfRecording } from '../predict/pool-settings.js';
import { MIN_BAND_RUNS } from '../runs/prediction-interval.js';
import { centreBand, spanBands } from '../runs/run-figures.js';
import { readingsOf } from '../runs/simulation-runs.js';
import { isDriverPool, UNLIMITED } from '../simulator/create-pool.js';
import { shareLeft } from './query-kinds.js';

/** @import { CodedFinding } from '../base/finding.js' */
/** @import { Load } from '../load/load.js' */
/** @import { LoadChange } from '../load/change-queries.js' */
/** @import { Recording } from '../predict/recording.js' */
/** @import { Trust } from '../predict/trust.js' */
/** @import { PredictedFigures } from '../runs/run-figures.js' */
/** @import { Run, SimulateRuns } from '../runs/simulation-runs.js' */
/** @import { PoolOptions } from '../simulator/create-pool.js' */
/** @import { SimulationResult } from '../simulator/simulate.js' */
/** @import { Trace } from '../trace/trace.js' */
/** @import { TriedChange } from './query-kinds.js' */

/** Callers who wait send more requests when they are answered sooner. More than this take too long to simulate. */
const MAX_GROWTH = 4;

/**
 * @typedef {object} TrialInput
 * @property {Pick<Recording, 'trace' | 'settings'> & { load: Load }} recording
 * @property {Trust} trust
 * @property {SimulateRuns} simulateRuns
 */

/**
 * @typedef {object} TrialPrediction
 * @property {PredictedFigures} figures
 * @property {number} distantSize of a pool that is as far from the recorded one as the change
 * @property {SimulationResult[][]} readings runs of each; the first is the recording
 */

/**
 * Tries changes of a recorded load at the recorded size.
 *
 * @param {TrialInput} input
 * @returns {Trial | null} null where that size is unknown
 */
export function createTrial({ recording: { trace, load, settings }, trust, simulateRuns }) {
  const pool = poolOfRecording(trace, settings);
  return pool ? new Trial({ trace, load, pool, trust, simulateRuns }) : null;
}

/** See createTrial. */
export class Trial {
  #input;

  /** @param {Omit<TrialInput, 'recording'> & { trace: Trace, load: Load, pool: PoolOptions }} input */
  constructor(input) {
    this.#input = input;
  }

  /**
   * @param {LoadChange} [change]
   * @param {number[]} [seeds] default: the recording as it was
   * @returns {Promise<SimulationResult[]>} at the recorded size
   */
  run(change, seeds = [RECORDED_SEED]) {
    return this.#simulate({ pool: this.#input.pool, reading: 0, change }, seeds);
  }

  /** @param {Pick<Run, 'pool' | 'change' | 'reading'>} run @param {number[]} seeds */
  #simulate(run, seeds) {
    return this.#input.simulateRuns(seeds.map((seed) => ({ ...run, seed, factor: 1 })));
  }

  /**
   * Simulates as often as a band needs it, in each reading of the load. A change of the use times is as far from what
   * was recorded as a pool that is larger by the same factor.
   *
   * @param {TriedChange} [tried] default: nothing
   * @param {number} [count] of runs in each reading
   * @returns {Promise<TrialPrediction>}
   */
  async predict({ change = {}, ownClient } = { change: {} }, count = MIN_BAND_RUNS) {
    const { trace, load, pool: recorded, trust } = this.#input;
    const seeds = Array.from({ length: count }, (_, index) => RECORDED_SEED + index);
    const pool = ownClient ? divide(recorded, ownClient) : recorded;
    const isChanged = Object.keys(change).length > 0;
    const readings = [];
    for (const reading of readingsOf(load).keys())
      readings.push(await this.#simulate({ pool, reading, ...(isChanged && { change }) }, seeds));
    const distantSize = trust.recordedSize / shareLeft(trace, change) + (ownClient?.poolSize ?? 0);
    const [likely, other] = readings.map((all) => trust.widen(centreBand({ all, shown: [all[0]] }), distantSize));
    return { figures: other ? spanBands(likely, other) : likely, distantSize, readings };
  }

  /**
   * Says whether the simulation does not give what was recorded.
   *
   * @param {TrialPrediction} now
   * @param {Parameters<typeof compareRuns>[2]} targets
   * @returns {CodedFinding | null}
   */
  deny({ readings: [[, ...others]] }, targets) {
    const denial = compareRuns(this.#input.trace, others, targets);
    return denial && { code: 'ownRuns', figures: denial };
  }

  /**
   * Compares runs with those of the same seeds without the change. What another minute would have had is in both, so
   * the band of a ratio is narrower than those of the times. It has all ratios: of 19 runs, that is a 90 % band.
   *
   * @param {TrialPrediction} now
   * @param {TrialPrediction} then
   * @param {(run: SimulationResult) => number} timeIn
   * @returns {{ low: number, high: number }} by which factor the time changes; NaN where too many requests fail
   */
  compare(now, then, timeIn) {
    const ratios = then.readings.flatMap((runs, reading) =>
      runs.map((run, index) => timeIn(run) / timeIn(now.readings[reading][index])),
    );
    const widening = 1 + this.#input.trust.wideningAt(then.distantSize);
    const isKnown = ratios.every((ratio) => ratio > 0 && ratio < Infinity);
    return isKnown
      ? { low: Math.min(...ratios) / widening, high: Math.max(...ratios) * widening }
      : { low: NaN, high: NaN };
  }

  /**
   * Counts how many more requests callers who wait would send, at most: as many times as their turns are shorter. Half
   * of the time shows how much of a turn it is.
   *
   * @param {LoadChange} change
   */
  async isEndless({ factor = 1, isRemoved, ...kind }) {
    const { load } = this.#input;
    if (isRemoved || factor >= 1 || !(Number(load.callers?.callersShare) > 0)) return false;
    const [[now], [half]] = [await this.run(), await this.run({ ...kind, factor: 0.5 })];
    const share = Math.min(1, 2 * Math.max(0, 1 - now.requests / half.requests));
    return 1 - share * (1 - factor) < 1 / MAX_GROWTH;
  }

  /**
   * Counts how many connections more would do as well.
   *
   * @param {(run: SimulationResult) => boolean} isEnough
   * @returns {Promise<number | null>} null if no number does, or there are other limits than that of the pool
   */
  async countConnections(isEnough) {
    const { pool } = this.#input;
    if (!isDriverPool(pool)) return null;
    const passes = async (/** @type {number} */ maxPoolSize) =>
      isEnough((await this.#simulate({ pool: { ...pool, maxPoolSize } }, [RECORDED_SEED]))[0]);
    const [{ peakActive }] = await this.#simulate({ pool: UNLIMITED }, [RECORDED_SEED]);
    if (!(await passes(Math.max(peakActive, pool.maxPoolSize)))) return null;
    const size = await findSmallest(pool.maxPoolSize, Math.max(peakActive, pool.maxPoolSize), passes);
    return size === null ? null : size - pool.maxPoolSize;
  }
}

/**
 * @param {PoolOptions} pool
 * @param {{ route: string, poolSize: number }} ownClient
 * @returns {PoolOptions}
 * @throws {Error} if the app has divided its pool already
 */
function divide(pool, { route, poolSize }) {
  if (!isDriverPool(pool)) throw new Error(`${route}=own-client:${poolSize}: the app has a second client already`);
  const { maxPoolSize } = pool;
  return { ...pool, kind: 'split', maxPoolSize: maxPoolSize + poolSize, slowRoutes: [route], slowSize: poolSize };
}

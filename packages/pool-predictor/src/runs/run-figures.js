import { median, sum } from '../base/sample-statistics.js';
import { findBand, MIN_BAND_RUNS } from './prediction-interval.js';

/** @import { RouteResult } from '../simulator/route-stats.js' */
/** @import { SimulationResult } from '../simulator/simulate.js' */

/** These figures are means over the runs; all others are medians. */
const MEANS = new Set(['meanMs', 'meanWaitMs', 'meanUseMs', 'utilisation']);

/**
 * @typedef {object} RunFigures of one run, or of several: see PredictedFigures
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
 * @typedef {RunFigures & { low?: RunFigures, high?: RunFigures }} PredictedFigures means of means (meanMs, meanWaitMs,
 *   utilisation), weighted by requests or checkouts, and medians of all else. Low and high are the ends of a 90 %
 *   prediction interval; with fewer than 19 runs there is none
 */

/** @param {SimulationResult[]} runs at least one @returns {PredictedFigures} */
export function summariseRuns(runs) {
  const figures = runs.map(pickFigures);
  const summary = combine(figures, (values, key, weights) =>
    MEANS.has(key) ? meanOf(values, weights) : median(values),
  );
  if (runs.length < MIN_BAND_RUNS) return summary;
  return {
    ...summary,
    low: combine(figures, (values) => findBand(values)[0]),
    high: combine(figures, (values) => findBand(values)[1]),
  };
}

/**
 * Summarises the runs that are shown, with the band of all runs.
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

/**
 * Widens the bands of all times.
 *
 * @param {PredictedFigures} figures
 * @param {number} share of the time at each end
 * @returns {PredictedFigures}
 */
export function widenBand(figures, share) {
  const { low, high } = figures;
  if (!low || !high || share === 0) return figures;
  const scale = (/** @type {RunFigures} */ end, /** @type {number} */ by) =>
    combine([end], ([value], key) => (key.endsWith('Ms') ? value * by : value));
  return { ...figures, low: scale(low, 1 / (1 + share)), high: scale(high, 1 + share) };
}

/**
 * Widens bands so that they hold those of other figures, too. What the others lack stays as it is: with few
 * connections, callers who wait for their answers may never get to a rare route.
 *
 * @param {PredictedFigures} figures
 * @param {PredictedFigures} others
 * @returns {PredictedFigures} the first ones
 */
export function spanBands(figures, others) {
  const { low, high } = figures;
  if (!low || !high || !others.low || !others.high) return figures;
  return {
    ...figures,
    low: combine([low, others.low], (values) => Math.min(...values)),
    high: combine([high, others.high], (values) => Math.max(...values)),
  };
}

/** @param {SimulationResult} run @returns {RunFigures} */
function pickFigures(run) {
  const {
    requests,
    checkouts,
    failures,
    maxMs,
    routes,
    peakActive,
    peakWaiting,
    utilisation,
    meanWaiting,
    durationMs,
  } = run;
  const meanWaitMs = (meanWaiting * durationMs) / checkouts;
  return { requests, checkouts, failures, maxMs, routes, meanWaitMs, peakActive, peakWaiting, utilisation };
}

/**
 * Summarises each figure over the runs that have it: a run may have no request of a rare route.
 *
 * @template {object} T
 * @param {T[]} sets at least one
 * @param {(values: number[], key: string, weights: number[]) => number} summarise weights: requests or checkouts of
 *   each run
 * @param {number[]} [outer] weights of the sets that have none of their own
 * @returns {T}
 */
function combine(sets, summarise, outer = []) {
  const weights = sets.map((/** @type {any} */ set, index) => set.checkouts ?? set.count ?? outer[index]);
  const keys = [...new Set(sets.flatMap(Object.keys))];
  return /** @type {T} */ (
    Object.fromEntries(
      keys.map((key) => {
        const values = sets.map((set) => /** @type {any} */ (set)[key]);
        const known = [...values.keys()].filter((index) => values[index] !== undefined && !Number.isNaN(values[index]));
        const [kept, weightsOfKept] = [values, weights].map((list) => known.map((index) => list[index]));
        if (kept.some((value) => typeof value === 'object')) return [key, combine(kept, summarise, weightsOfKept)];
        return [key, kept.length > 0 ? summarise(kept, key, weightsOfKept) : NaN];
      }),
    )
  );
}

/** @param {number[]} values @param {number[]} weights */
function meanOf(values, weights) {
  return sum(values.map((value, index) => value * weights[index])) / sum(weights);
}

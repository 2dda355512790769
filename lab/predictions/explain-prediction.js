import { countConnections, describeBand, formatQuantity, formatTenths } from 'mongodb-pool-page/universal/quantity.js';
import { describeSlowdown } from './explain-saturation.js';

/** @import { Variant } from '../report/result-types.js' */
/** @import { LoadFacts, Slowdown } from 'mongodb-pool-predictor' */

/**
 * @typedef {LoadFacts & { knee: number | null, slowdown?: Slowdown | null }} Facts
 *
 * @typedef {{ count?: number, failures?: number, maxMs?: number, band: (number | undefined)[] }} RouteFigures band: of
 *   maxMs
 */

/**
 * When more connections do not help, what the smallest and the largest pool do, and how many the load uses. The
 * sentences must not contradict each other.
 *
 * @param {Variant[]} variants
 * @param {Facts} load
 * @param {string} route the fastest
 * @param {{ isBrief?: boolean }} [options] isBrief: without bands
 */
export function explainPrediction(variants, load, route, { isBrief = false } = {}) {
  return [
    describeKnee(largestOf(variants), load),
    ...compareEnds(variants, route, isBrief),
    describeNeed(load),
    ...(load.slowdown ? [describeSlowdown(load.slowdown)] : []),
  ].join(' ');
}

/**
 * @param {Variant[]} variants
 * @param {string} route
 * @param {boolean} isBrief
 * @returns {string[]} none if one is unsure
 */
function compareEnds(variants, route, isBrief) {
  const [small, large] = [variants[0], variants[variants.length - 1]].map(({ settings, predicted }) => {
    const figures = predicted?.routes[route];
    const isPoint = isBrief && Number(figures?.maxMs) >= 0;
    const band = isPoint ? [] : [predicted?.low, predicted?.high].map((end) => end?.routes[route]?.maxMs);
    return { pool: `ith ${countConnections(settings.poolSize)}`, ...figures, band };
  });
  const isUnsure = (/** @type {Partial<RouteFigures>} */ { count = 0, failures = 0, maxMs, band: [lowMs] = [] }) =>
    count > 0 && !(failures > 0) && !(Number(maxMs) >= 0 || Number(lowMs) >= 0);
  if ([small, large].some(isUnsure)) return [];
  const first = `W${small.pool} ${describeRoute(route, small)}`;
  if (variants.length === 1) return [`${first}.`];
  const isPlain = [small, large].every(({ count, failures }) => count > 0 && !(failures > 0));
  return [`${first}, w${large.pool} ${isPlain ? describeMax(large) : describeRoute(route, large)}.`];
}

/** @param {string} route @param {RouteFigures} figures */
function describeRoute(route, { count = 0, failures = 0, maxMs = NaN, band }) {
  if (count === 0) return `no ${route} request is sent`;
  if (failures === count) return `all ${route} requests fail`;
  if (failures > 0) return `${failures} of ${count} ${route} requests fail`;
  return `the slowest ${route} request takes ${describeMax({ maxMs, band })}`;
}

/** @param {Pick<RouteFigures, 'maxMs' | 'band'>} figures */
function describeMax({ maxMs = NaN, band: [lowMs, highMs] }) {
  const max = formatQuantity(maxMs, 'ms');
  if (!(Number(lowMs) >= 0 && Number(highMs) >= 0)) return max;
  const ends = describeBand(Number(lowMs), Number(highMs));
  if (Number.isNaN(maxMs)) return ends;
  return ends === max ? max : `${max} (${ends} with a probability of 90 %)`;
}

/** @param {LoadFacts} load */
function describeNeed({ lastsMs, peakActive, meanActive, floor }) {
  const uses =
    `Without a limit, the load lasts ${formatQuantity(lastsMs, 'ms')} and uses up to ` +
    `${countConnections(peakActive)} at once, ${formatTenths(meanActive)} on average.`;
  return floor > 1 ? `${uses} With fewer than ${floor}, requests pile up until it ends.` : uses;
}

/**
 * The smallest size from which on more do not help, or from which on the server is the bottleneck.
 * @param {Facts} load
 * @returns {number | null}
 */
export function bestSize({ knee, peakActive, floor, slowdown }) {
  if (knee === null) return null;
  return Math.min(knee, peakActive, slowdown ? Math.max(slowdown.poolSize, floor) : Infinity);
}

/** @param {Variant[]} variants ascending; one may stand for several sizes */
function largestOf(variants) {
  const { poolSize, upTo = poolSize } = variants[variants.length - 1].settings;
  return upTo;
}

/** @param {number} largest of the sizes @param {Facts} load */
function describeKnee(largest, { knee, peakActive }) {
  if (knee === null) return `More than ${countConnections(largest)} would still help.`;
  const size = Math.min(knee, peakActive);
  return `More than ${countConnections(size)} ${size === 1 ? 'does' : 'do'} not help.`;
}

import { countConnections, describeBand, formatQuantity, formatTenths } from 'mongodb-pool-page/universal/quantity.js';
import { describeBestGuess } from 'mongodb-pool-page/universal/size-words.js';
import { describeSlowdown } from './explain-saturation.js';

/** @import { Variant } from '../report/result-types.js' */
/** @import { BestGuess, LoadFacts, Slowdown } from 'mongodb-pool-predictor' */

/**
 * @typedef {LoadFacts & { best: BestGuess, slowdown?: Slowdown | null }} Facts
 *
 * @typedef {{ count?: number, failures?: number, maxMs?: number, band: (number | undefined)[] }} RouteFigures band: of
 *   maxMs
 */

/**
 * Says which size is the best guess.
 * @param {Facts} load
 * @param {number[]} tried sizes
 * @param {boolean} isReplay of a recording
 */
export function explainGuess({ best }, tried, isReplay) {
  return describeBestGuess(best, { load: isReplay ? 'the recorded load' : 'this load', tried });
}

/**
 * What the smallest and the largest pool do, and how many connections the load uses.
 *
 * @param {Variant[]} variants
 * @param {Facts} load
 * @param {string} route the fastest
 * @param {{ isBrief?: boolean }} [options] isBrief: without bands
 */
export function explainPrediction(variants, load, route, { isBrief = false } = {}) {
  return [
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

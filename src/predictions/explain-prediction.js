import { formatNumber, formatQuantity } from '../universal/quantity.js';
import { countConnections } from './count-of.js';

/** @import { Variant } from '../report/result-types.js' */
/** @import { LoadFacts } from 'mongodb-pool-predictor' */

/** @typedef {LoadFacts & { knee: number | null }} Facts */

/**
 * What the smallest and the largest pool do, how many connections the load uses, and when more do not help. The sentences
 * must not contradict each other.
 *
 * @param {Variant[]} variants
 * @param {Facts} load
 * @param {string} route the fastest
 */
export function explainPrediction(variants, load, route) {
  return [
    ...variants.filter(({ measured }) => measured).map((variant) => compareReplay(variant, route)),
    compareEnds(variants, route),
    describeNeed(load),
    describeKnee(variants[variants.length - 1].settings.poolSize, load),
  ].join(' ');
}

/** @param {Variant[]} variants @param {string} route */
function compareEnds(variants, route) {
  const [small, large] = [variants[0], variants[variants.length - 1]].map(({ settings, predicted }) => {
    const figures = predicted?.routes[route];
    return { pool: `ith ${countConnections(settings.poolSize)}`, ...figures };
  });
  const first = `W${small.pool} ${describeRoute(route, small)}`;
  if (variants.length === 1) return `${first}.`;
  const isPlain = [small, large].every(({ failures, maxMs }) => failures === 0 && maxMs >= 0);
  return `${first}, w${large.pool} ${isPlain ? formatQuantity(large.maxMs, 'ms') : describeRoute(route, large)}.`;
}

/** @param {string} route @param {{ count?: number, failures?: number, maxMs?: number }} figures */
function describeRoute(route, { count = 0, failures = 0, maxMs = NaN }) {
  if (count === 0) return `no ${route} request is sent`;
  if (failures === count) return `all ${route} requests fail`;
  if (failures > 0) return `${failures} of ${count} ${route} requests fail`;
  return `the slowest ${route} request takes ${formatQuantity(maxMs, 'ms')}`;
}

/** @param {LoadFacts} load */
function describeNeed({ lastsMs, peakActive, meanActive, floor }) {
  const uses = `Without a limit, the load lasts ${formatQuantity(lastsMs, 'ms')} and uses up to `
    + `${countConnections(peakActive)} at once, ${formatNumber(meanActive, 1)} on average.`;
  return floor > 1 ? `${uses} With fewer than ${floor}, requests pile up until it ends.` : uses;
}

/** @param {number} largest of the sizes @param {Facts} load */
function describeKnee(largest, { knee, peakActive }) {
  if (knee === null) return `More than ${countConnections(largest)} would still help.`;
  const size = Math.min(knee, peakActive);
  return `More than ${countConnections(size)} ${size === 1 ? 'does' : 'do'} not help.`;
}

/** A replay can be trusted when it gives the recorded waits. @param {Variant} variant @param {string} route */
function compareReplay({ settings, measured, predicted }, route) {
  const [recorded, replayed] = [measured, predicted].map((figures) => (
    [figures?.routes[route].wait.p95Ms, figures?.meanWaitMs].map((ms) => formatQuantity(ms, 'ms'))));
  return `Recorded with ${countConnections(settings.poolSize)}: ${route} waited ${recorded[0]} (p95), all requests `
    + `${recorded[1]} on average. The replay gives ${replayed[0]} and ${replayed[1]}.`;
}

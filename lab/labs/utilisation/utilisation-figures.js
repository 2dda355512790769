import { mean, quantile, sum } from '../../base/statistics.js';

/**
 * @typedef {object} UseFigures
 * @property {number} ratePerSec checkouts
 * @property {number} usedShare of the time that the connections were in use, on average
 * @property {number} waitMeanMs for a connection
 * @property {number} waitP95Ms
 * @property {number} waitMaxMs
 *
 * @typedef {UseFigures & { requests: number, failures: number, aloneMs: number }} UtilisationFigures aloneMs: how long a query
 *   without load held its connection
 */

/**
 * @param {{ checkOutStartedAtMs: number, checkedOutAtMs: number | null, checkedInAtMs: number | null }[]} checkouts at least one
 * @param {number} poolSize
 * @returns {UseFigures}
 */
export function summariseUse(checkouts, poolSize) {
  const starts = checkouts.map(({ checkOutStartedAtMs }) => checkOutStartedAtMs);
  const uses = checkouts.map(({ checkedOutAtMs, checkedInAtMs }) => [Number(checkedOutAtMs), Number(checkedInAtMs)]);
  // A simulated wait of nothing may differ from 0 in its last digit.
  const waitsMs = uses.map(([fromMs], index) => Math.max(0, fromMs - starts[index]));
  const elapsedMs = Math.max(...uses.map(([, toMs]) => toMs)) - Math.min(...starts);
  return {
    ratePerSec: (1000 * checkouts.length) / elapsedMs,
    usedShare: sum(uses.map(([fromMs, toMs]) => toMs - fromMs)) / (poolSize * elapsedMs),
    waitMeanMs: mean(waitsMs),
    waitP95Ms: quantile(waitsMs, 0.95),
    waitMaxMs: Math.max(...waitsMs),
  };
}

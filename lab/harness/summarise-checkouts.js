import { quantile } from 'mongodb-pool-predictor/statistics';
import { waitMsOf } from './warm-up.js';

/** @import { CheckoutRecord } from 'mongodb-pool-monitor' */

/** The shortest wait that counts, in ms. In a shorter one the driver handed over a free connection. */
export const WAITED_MS = 1;

/**
 * @typedef {object} PoolFigures waits of the requests that got a connection, exact percentiles (nearest rank)
 * @property {number | null} waitP50Ms
 * @property {number | null} waitP95Ms
 * @property {number | null} waitMaxMs
 * @property {number} peakActive
 * @property {number} peakWaiting
 */

/** @param {CheckoutRecord[]} checkouts of the load alone @returns {PoolFigures} */
export function summariseCheckouts(checkouts) {
  const served = checkouts.filter(({ checkedOutAtMs }) => checkedOutAtMs !== null);
  const waits = served.map(waitMsOf);
  /** @param {number} share */
  const waitOf = (share) => quantile(waits, share) ?? null;
  /** @type {[number, number][]} */
  const uses = served.map(({ checkedOutAtMs, checkedInAtMs }) => [Number(checkedOutAtMs), checkedInAtMs ?? Infinity]);
  /** @type {[number, number][]} */
  const queued = checkouts.map(({ checkOutStartedAtMs, checkedOutAtMs }) => [
    checkOutStartedAtMs,
    checkedOutAtMs ?? Infinity,
  ]);
  return {
    waitP50Ms: waitOf(0.5),
    waitP95Ms: waitOf(0.95),
    waitMaxMs: waitOf(1),
    peakActive: findPeak(uses),
    peakWaiting: findPeak(queued.filter(([from, to]) => to - from >= WAITED_MS)),
  };
}

/** @param {CheckoutRecord[]} checkouts @returns {number[]} checkOutStarted of each, in ms since the first */
export function listArrivals(checkouts) {
  const startedAtMs = checkouts.map(({ checkOutStartedAtMs }) => checkOutStartedAtMs).sort((a, b) => a - b);
  return startedAtMs.map((ms) => Math.round((ms - startedAtMs[0]) * 1000) / 1000);
}

/**
 * The largest number of spans that overlap. One that ends when another begins does not overlap it.
 * @param {[number, number][]} spans
 */
function findPeak(spans) {
  const steps = spans
    .flatMap(([from, to]) => [
      [from, 1],
      [to, -1],
    ])
    .sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  let count = 0;
  return steps.reduce((peak, [, change]) => Math.max(peak, (count += change)), 0);
}

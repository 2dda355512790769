import { quantile } from 'mongodb-pool-predictor';

/** @import { CheckoutRecord } from 'mongodb-pool-monitor' */

/** In ms. A shorter wait is the driver handing over a free connection, not somebody standing in the queue. */
export const WAITED_MS = 1;

/**
 * What a load did to the pool.
 *
 * @param {CheckoutRecord[]} checkouts of the load alone
 * @returns {{ waitP50Ms: number | null, waitP95Ms: number | null, waitMaxMs: number | null, peakActive: number,
 *   peakWaiting: number }} waits of those that got a connection, exact percentiles (nearest rank)
 */
export function summariseCheckouts(checkouts) {
  const got = checkouts.filter(({ checkedOutAtMs }) => checkedOutAtMs !== null);
  const waits = got.map(({ checkOutStartedAtMs, checkedOutAtMs }) => Number(checkedOutAtMs) - checkOutStartedAtMs);
  /** @param {number} share */
  const waitOf = (share) => quantile(waits, share) ?? null;
  return {
    waitP50Ms: waitOf(0.5),
    waitP95Ms: waitOf(0.95),
    waitMaxMs: waitOf(1),
    peakActive: countMost(got.map(({ checkedOutAtMs, checkedInAtMs }) => [Number(checkedOutAtMs), checkedInAtMs ?? Infinity])),
    peakWaiting: countMost(checkouts
      .map(({ checkOutStartedAtMs, checkedOutAtMs }) => /** @type {[number, number]} */ ([checkOutStartedAtMs, checkedOutAtMs ?? Infinity]))
      .filter(([from, to]) => to - from >= WAITED_MS)),
  };
}

/**
 * When each checkout was asked for, in ms since the first.
 * @param {CheckoutRecord[]} checkouts
 */
export function listArrivals(checkouts) {
  const asked = checkouts.map(({ checkOutStartedAtMs }) => checkOutStartedAtMs).sort((a, b) => a - b);
  return asked.map((ms) => Math.round((ms - asked[0]) * 1000) / 1000);
}

/**
 * How many of the spans lie over each other at the most. One that ends when another begins does not overlap it.
 * @param {[number, number][]} spans
 */
function countMost(spans) {
  const steps = spans.flatMap(([from, to]) => [[from, 1], [to, -1]]).sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  let count = 0;
  return steps.reduce((most, [, change]) => Math.max(most, count += change), 0);
}

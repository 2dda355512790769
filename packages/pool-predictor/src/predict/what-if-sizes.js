import { COMMON } from '../assumptions/common-assumptions.js';
import { PREDICTION } from '../assumptions/prediction-assumptions.js';

/** All sizes where they matter most, then growing steps up to the page's maximum. */
const SIZES = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 20, 25, 30, 40, 50, 70, 100, 150, 200, 300, 400, 500, 700, 1000];
const MIN_LARGEST = 10;

/**
 * The smallest size with which nothing fails that could be served, and each route is about as fast as with any. Where
 * no size is best for all, that with which the route that loses most loses least.
 *
 * @param {number[]} failures by size
 * @param {number[][]} timesMs of each route, by size
 * @returns {number} its index
 */
export function findEnough(failures, timesMs) {
  const fewest = Math.min(...failures);
  const losses = failures.map((count, size) => {
    if (count > fewest) return Infinity;
    const each = timesMs.map((ofRoute) => {
      const bestMs = Math.min(...ofRoute);
      return isSame(ofRoute[size], bestMs) ? 0 : ofRoute[size] / bestMs;
    });
    return Math.max(...each);
  });
  return losses.indexOf(Math.min(...losses));
}

/** @param {number} ms @param {number} otherMs */
export function isSame(ms, otherMs) {
  return Math.abs(ms - otherMs) <= Math.max(PREDICTION.noticedMs, COMMON.smallShare * otherMs);
}

/**
 * Chooses sizes up to twice the recorded size and twice what the load needs, the recorded size included.
 *
 * @param {number} recordedSize
 * @param {number} needed connections in use on average
 */
export function choosePoolSizes(recordedSize, needed) {
  const largest = Math.max(MIN_LARGEST, 2 * recordedSize, 2 * needed);
  const end = SIZES.findIndex((size) => size >= largest);
  const sizes = end === -1 ? SIZES : SIZES.slice(0, end + 1);
  return [...new Set([...sizes, recordedSize])].sort((a, b) => a - b);
}

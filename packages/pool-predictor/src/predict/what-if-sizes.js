/** @import { PredictedVariant } from './predict.js' */

/** Two figures are the same if they differ by less than this share, or time. */
const SAME = { share: 0.05, ms: 5 };

/** All sizes where they matter most, then growing steps up to the page's maximum. */
const SIZES = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 20, 25, 30, 40, 50, 70, 100, 150, 200, 300, 400, 500, 700, 1000];
const MIN_LARGEST = 10;

/**
 * The smallest size with which nothing fails that could be served, and each route is about as fast as with any. Where
 * no size is best for all, that with which the route that loses most loses least.
 *
 * @param {Pick<PredictedVariant, 'predicted'>[]} variants by size
 * @param {(readonly [route: string, figure: 'p95Ms' | 'maxMs'])[]} figures
 * @returns {number} its index
 */
export function findEnough(variants, figures) {
  const all = variants.map(({ predicted }) => predicted);
  const fewest = Math.min(...all.map(({ failures }) => failures));
  const bestMs = figures.map(([route, figure]) => Math.min(...all.map(({ routes }) => routes[route][figure])));
  const losses = all.map(({ routes, failures }) => {
    if (failures > fewest) return Infinity;
    const each = figures.map(([route, figure], index) => {
      const ms = routes[route][figure];
      return isSame(ms, bestMs[index]) ? 0 : ms / bestMs[index];
    });
    return Math.max(...each);
  });
  return losses.indexOf(Math.min(...losses));
}

/** @param {number} ms @param {number} otherMs */
export function isSame(ms, otherMs) {
  return Math.abs(ms - otherMs) <= Math.max(SAME.ms, SAME.share * otherMs);
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

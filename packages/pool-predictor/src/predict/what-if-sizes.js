import { COMMON } from '../assumptions/common-assumptions.js';
import { PREDICTION } from '../assumptions/prediction-assumptions.js';

/** All sizes where they matter most, then growing steps up to the page's maximum. */
const SIZES = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 20, 25, 30, 40, 50, 70, 100, 150, 200, 300, 400, 500, 700, 1000];
const MIN_LARGEST = 10;

/** @param {number} ms @param {number} otherMs */
export function isSame(ms, otherMs) {
  return Math.abs(ms - otherMs) <= Math.max(PREDICTION.noticedMs, COMMON.smallShare * otherMs);
}

/**
 * Chooses sizes up to twice the recorded size and three times what the load needs on average, the recorded size
 * included. A load that needs 5 at a time may need 15 so that 95 of 100 runs are no slower than with any more.
 *
 * @param {number} recordedSize
 * @param {number} needed connections in use on average
 */
export function choosePoolSizes(recordedSize, needed) {
  const largest = Math.max(MIN_LARGEST, 2 * recordedSize, 3 * needed);
  const end = SIZES.findIndex((size) => size >= largest);
  const sizes = end === -1 ? SIZES : SIZES.slice(0, end + 1);
  return [...new Set([...sizes, recordedSize])].sort((a, b) => a - b);
}

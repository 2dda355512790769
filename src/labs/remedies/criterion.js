/** Within so many times of the unloaded p99, customers are as well off as without administrators. */
const TIMES = 2;
/** Nobody notices less than this, and a busy laptop adds as much by itself. */
const UNNOTICED_MS = 50;

/**
 * Whether a remedy works: whether customers are answered about as soon as without administrators.
 * @param {number} p99Ms of /fast with the remedy
 * @param {number} unloadedP99Ms of /fast without administrators
 */
export function isCloseToUnloaded(p99Ms, unloadedP99Ms) {
  return p99Ms <= Math.max(TIMES * unloadedP99Ms, UNNOTICED_MS);
}

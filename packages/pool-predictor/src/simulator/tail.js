import { PREDICTION } from '../assumptions/prediction-assumptions.js';

/** @import { Random } from './random.js' */

/** @typedef {{ fromMs: number, meanMs: number, count: number }} SampleTail the mean is that above fromMs */

/**
 * Finds the tail of a sample. The next measurements can exceed all former ones, but a bootstrap never does. So the
 * largest values are replaced by exponential ones with the same mean above the next largest: J. Pickands, Statistical
 * inference using extreme order statistics (1975), https://doi.org/10.1214/aos/1176343003, for distributions such as
 * the exponential and the lognormal. The mean of the sample stays the same.
 *
 * @param {ArrayLike<number>} valuesMs
 * @returns {SampleTail | undefined} none of fewer than ten values
 */
export function findTail(valuesMs) {
  const sorted = Float64Array.from(valuesMs).sort();
  const first = sorted.length - Math.min(PREDICTION.tailValues, Math.floor(sorted.length * PREDICTION.tailShare));
  const fromMs = sorted[first - 1];
  const above = sorted.subarray(first).filter((ms) => ms > fromMs);
  if (above.length === 0) return undefined;
  return { fromMs, meanMs: above.reduce((sum, ms) => sum + ms - fromMs, 0) / above.length, count: above.length };
}

/**
 * Draws a tail that other measurements could have had.
 * @param {SampleTail} tail
 * @param {Random} random
 * @returns {SampleTail}
 */
export function resampleTail({ fromMs, meanMs, count }, random) {
  let sum = 0;
  for (let i = 0; i < count; i++) sum += random.exponential();
  return { fromMs, meanMs: (meanMs * sum) / count, count };
}

/** @param {number} ms @param {SampleTail | undefined} tail @param {Random} random */
export function redrawTail(ms, tail, random) {
  return tail && ms > tail.fromMs ? tail.fromMs + tail.meanMs * random.exponential() : ms;
}

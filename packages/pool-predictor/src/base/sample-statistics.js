/**
 * Finds a quantile by nearest rank: the smallest value that at least this share of the values do not exceed.
 * https://en.wikipedia.org/wiki/Percentile#The_nearest-rank_method
 *
 * @param {number[] | Float64Array} values at least one, in any order
 * @param {number} share between 0 and 1: 0.5 for the median
 */
export function quantile(values, share) {
  // Without a function to compare with, typed arrays are sorted several times as fast.
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
}

/** @param {number[]} values at least one, in any order */
export function median(values) {
  return quantile(values, 0.5);
}

/** @param {number[] | Float64Array} values */
export function sum(values) {
  let total = 0;
  for (const value of values) total += value;
  return total;
}

/** @param {number[] | Float64Array} values at least one */
export function mean(values) {
  return sum(values) / values.length;
}

/** @param {number[] | Float64Array} values at least one */
export function varianceOf(values) {
  const centre = mean(values);
  let total = 0;
  for (const value of values) total += (value - centre) ** 2;
  return total / values.length;
}

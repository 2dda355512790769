/**
 * A quantile by nearest rank: the smallest value that at least this share of the values do not exceed.
 * https://en.wikipedia.org/wiki/Percentile#The_nearest-rank_method
 *
 * @param {number[]} values at least one, in any order
 * @param {number} share between 0 and 1: 0.5 for the median
 */
export function quantile(values, share) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
}

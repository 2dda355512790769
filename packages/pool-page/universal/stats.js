/** @param {ArrayLike<number> & Iterable<number>} values at least one */
export function mean(values) {
  let sum = 0;
  for (const value of values) sum += value;
  return sum / values.length;
}

/** @param {number[]} values at least one, in any order */
export function median(values) {
  return percentile(
    values.toSorted((a, b) => a - b),
    0.5,
  );
}

/**
 * Finds a percentile by nearest rank: the smallest value that at least this share of the values do not exceed.
 * https://en.wikipedia.org/wiki/Percentile#The_nearest-rank_method
 *
 * @param {ArrayLike<number>} sorted at least one, ascending
 * @param {number} share between 0 and 1
 */
export function percentile(sorted, share) {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
}

/** A high percentile of fewer samples is chance, so the maximum stands for it: the rule of mongodb-pool-predictor. */
export const MIN_FOR_PERCENTILES = 20;

/** The median if each value occurs `count` times. @param {{ value: number, count: number }[]} values at least one */
export function weightedMedian(values) {
  const half = values.reduce((sum, { count }) => sum + count, 0) / 2;
  let seen = 0;
  return Number(values.toSorted((a, b) => a.value - b.value).find(({ count }) => (seen += count) >= half)?.value);
}

/**
 * The smallest of the values that at least this share of them do not exceed (nearest rank).
 *
 * @param {number[]} values at least one
 * @param {number} share between 0 and 1: 0.5 for the median
 */
export function quantile(values, share) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
}

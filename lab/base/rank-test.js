import { sum } from 'mongodb-pool-predictor/statistics';

/** @typedef {{ before: number[], after: number[] }} Stratum what was measured twice, under the same conditions */

/**
 * Tests whether values before and after differ, by their ranks within each stratum: the stratified Wilcoxon rank-sum
 * test (van Elteren), exact. U counts the pairs in which the value after is larger. Without a difference, each order of
 * the values of a stratum is equally likely. An example with one stratum: 3 values before, all below 3 values after,
 * has U = 9, the largest of 20 equally likely orders, so p = 2/20.
 *
 * @param {Stratum[]} strata with values on both sides
 * @returns {{ p: number, smallestP: number }} two-sided; smallestP: if all values after were on one side
 */
export function compareRanks(strata) {
  let distribution = [1];
  let u = 0;
  for (const { before, after } of strata) {
    const ways = countOrders(before.length, after.length);
    const all = sum(ways);
    distribution = convolve(
      distribution,
      ways.map((each) => each / all),
    );
    for (const x of before) for (const y of after) u += y > x ? 1 : y === x ? 0.5 : 0;
  }
  // A tie counts as half a pair; the test then errs on the side of no difference.
  const tail = Math.min(sum(distribution.slice(0, Math.ceil(u) + 1)), sum(distribution.slice(Math.floor(u))));
  return { p: Math.min(1, 2 * tail), smallestP: Math.min(1, 2 * distribution[0]) };
}

/** @param {number} before @param {number} after how many values @returns {number[]} orders, by their U */
function countOrders(before, after) {
  /** Orders of `b` values before and each number of values after. */
  let counts = Array.from({ length: after + 1 }, () => [1]);
  for (let b = 1; b <= before; b++) {
    const next = [[1]];
    for (let a = 1; a <= after; a++) {
      // The largest value is one after, above all those before, or one before.
      const [last, first] = [next[a - 1], counts[a]];
      next.push(Array.from({ length: a * b + 1 }, (_, u) => (last[u - b] ?? 0) + (first[u] ?? 0)));
    }
    counts = next;
  }
  return counts[after];
}

/**
 * @param {number[]} one
 * @param {number[]} other of independent numbers
 * @returns {number[]} the distribution of their sum
 */
function convolve(one, other) {
  const sums = Array.from({ length: one.length + other.length - 1 }, () => 0);
  for (const [i, a] of one.entries()) for (const [j, b] of other.entries()) sums[i + j] += a * b;
  return sums;
}

/**
 * The band in which one more measurement lies with a probability of 90 %.
 *
 * Of n + 1 values drawn alike, each is equally likely to have any rank. So one more value lies between the k-th
 * smallest and the k-th largest of n with probability (n + 1 - 2k) / (n + 1), whatever the distribution: S. S. Wilks,
 * Determination of sample sizes for setting tolerance limits (1941), https://doi.org/10.1214/aoms/1177731788; H. A.
 * David and H. N. Nagaraja, Order Statistics (3rd edition, 2003), section 7.3. That is exactly 0.9 for n = 19, 39, 59
 * ... with k = 1, 2, 3 ...
 */
/** Values of which one is expected below the band, one above it and 18 in it. */
const STEP = 20;
export const MIN_BAND_RUNS = STEP - 1;
const MAX_RUNS = 5 * STEP - 1;

/**
 * @param {number[]} values in any order
 * @returns {[low: number, high: number]} the 90 % prediction interval; NaN when there are too few values for one. It is
 *   wider where no interval has exactly 90 %
 */
export function findBand(values) {
  const rank = Math.floor((values.length + 1) / STEP);
  if (rank === 0) return [NaN, NaN];
  const sorted = values.toSorted((a, b) => a - b);
  return [sorted[rank - 1], sorted[sorted.length - rank]];
}

/** @param {number} affordable runs @returns {number} the next lower number of runs with an exact band, from 19 to 99 */
export function chooseRuns(affordable) {
  return Math.min(MAX_RUNS, Math.max(MIN_BAND_RUNS, Math.floor((affordable + 1) / STEP) * STEP - 1));
}

/** @param {number} runs @throws {Error} unless their band is exact */
export function requireBandRuns(runs) {
  if (Number.isInteger(runs) && runs >= MIN_BAND_RUNS && (runs + 1) % STEP === 0) return;
  throw new Error(
    `seeds ${runs}: so many runs have no exact 90 % band. Use 19, 39, 59, 79, 99 or another multiple of 20, minus 1`,
  );
}

import { quantile } from '../quantile.js';

/** What is said of a run is to hold for so many runs, and the saying to be right so often. */
export const SHARE = 0.95;
const CONFIDENCE = 0.95;

/**
 * How many samples it takes to bound a percentile from above: with fewer, even the largest one is below it
 * too often. Free of any assumption on the distribution (S. S. Wilks, Determination of sample sizes for setting
 * tolerance limits, 1941): share^n must not exceed 1 - confidence.
 *
 * @param {number} share 0.99 for p99; 1 for the maximum, which is its own bound
 */
export function samplesNeeded(share) {
  return share === 1 ? 1 : Math.ceil(Math.log(1 - CONFIDENCE) / Math.log(share));
}

/** Fewest runs that upperLimit can tell anything from. */
export const MIN_RUNS = samplesNeeded(SHARE);

/**
 * What 95 of 100 runs stay within, with 95 % confidence: the smallest order statistic of which that can be said
 * (Wilks, as above).
 *
 * @param {number[]} values one of each run; a single one stands for a load that leaves nothing to chance
 * @throws {Error} when there are too few
 */
export function upperLimit(values) {
  if (values.length === 1) return values[0];
  if (values.length < MIN_RUNS) {
    throw new Error(`${values.length} runs are too few to tell what 95 of 100 stay within: `
      + `${MIN_RUNS} are needed`);
  }
  // Leave off as many of the largest as may all be above by chance:
  // P(Bin(n, 1 - share) <= beyond) <= 1 - confidence.
  const odds = (1 - SHARE) / SHARE;
  let probability = SHARE ** values.length;
  let atMost = probability;
  let beyond = 0;
  for (;;) {
    probability *= ((values.length - beyond) / (beyond + 1)) * odds;
    if (atMost + probability > 1 - CONFIDENCE) break;
    atMost += probability;
    beyond++;
  }
  return quantile(values, (values.length - beyond) / values.length);
}

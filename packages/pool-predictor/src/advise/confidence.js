import { ADVICE } from '../assumptions/advice-assumptions.js';

/**
 * Counts the samples that an upper limit for a percentile needs. With fewer, even the largest sample is too often below
 * the percentile. share^n must not exceed 1 - confidence, whatever the distribution: S. S. Wilks, Determination of
 * sample sizes for setting tolerance limits (1941), https://doi.org/10.1214/aoms/1177731788.
 *
 * @param {number} share 0.99 for p99; 1 for the maximum, which needs one
 */
export function samplesNeeded(share) {
  return share === 1 ? 1 : Math.ceil(Math.log(1 - ADVICE.confidence) / Math.log(share));
}

export const MIN_RUNS = samplesNeeded(ADVICE.confidence);

/**
 * Counts the largest values that the upper limit leaves out: the most with P(Bin(count, 1 - share) <= leftOut) <=
 * 1 - confidence.
 *
 * @param {number} count of the values; 1 means that the load is not random
 * @throws {Error} when there are too few
 */
export function countLeftOut(count) {
  if (count === 1) return 0;
  if (count < MIN_RUNS) {
    throw new Error(`${count} runs are too few for a limit that 95 of 100 runs keep: at least ${MIN_RUNS} are needed`);
  }
  const odds = (1 - ADVICE.confidence) / ADVICE.confidence;
  let probability = ADVICE.confidence ** count;
  let cumulative = probability;
  let leftOut = 0;
  for (;;) {
    probability *= ((count - leftOut) / (leftOut + 1)) * odds;
    if (cumulative + probability > 1 - ADVICE.confidence) return leftOut;
    cumulative += probability;
    leftOut++;
  }
}

/**
 * Finds the value that 95 of 100 runs do not exceed, with 95 % confidence: the smallest order statistic with that
 * property (Wilks, see above).
 *
 * @param {number[]} values one of each run; a single value means that the load is not random
 * @throws {Error} when there are too few
 */
export function upperLimit(values) {
  return values.toSorted((a, b) => a - b)[values.length - 1 - countLeftOut(values.length)];
}

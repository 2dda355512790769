const SUB_BUCKETS = 128;
const LOWEST_EXPONENT = -20;
const HIGHEST_EXPONENT = 40;
const BUCKETS = (HIGHEST_EXPONENT - LOWEST_EXPONENT) * SUB_BUCKETS;

const SUM = 0;
const MIN = 1;
const MAX = 2;

const double = new Float64Array(1);
const words = new Uint32Array(double.buffer);
double[0] = 1;
const HIGH_WORD = words[1] === 0 ? 0 : 1;

/**
 * Counts latencies in logarithmic buckets, which take constant space.
 *
 * Every power of two is cut into 128 equal buckets, and a percentile is the middle of its bucket. So its error is at
 * most 1/256 (0.39 %) from 2^-20 ms to 2^40 ms (34 years). Minimum, maximum, mean and count are exact.
 */
export function createLatencyHistogram() {
  const counts = new Uint32Array(BUCKETS);
  let count = 0;
  // Sum, minimum and maximum are in an array, because a variable would be a new object with each change.
  const totals = Float64Array.of(0, Infinity, -Infinity);

  /** @param {number} ms zero or more */
  function record(ms) {
    count++;
    totals[SUM] += ms;
    if (ms < totals[MIN]) totals[MIN] = ms;
    if (ms > totals[MAX]) totals[MAX] = ms;
    counts[bucketOf(ms)]++;
  }

  /**
   * Finds a percentile by nearest rank.
   *
   * @param {number} share between 0 and 1: 0.95 for p95
   * @returns {number} ms; NaN when nothing was recorded
   */
  function percentile(share) {
    return percentileAmong(share, count);
  }

  /**
   * Finds a percentile of values and failures, which count as infinitely long.
   *
   * @param {number} share
   * @param {number} total recorded values and failures
   * @returns {number} ms; Infinity when it is a failure; NaN when total is 0
   */
  function percentileAmong(share, total) {
    if (total === 0) return NaN;
    const rank = Math.max(1, Math.ceil(share * total));
    if (rank > count) return Infinity;
    let seen = 0;
    let bucket = bucketOf(totals[MIN]) - 1;
    while (seen < rank) seen += counts[++bucket];
    return Math.min(totals[MAX], Math.max(totals[MIN], middleOf(bucket)));
  }

  return {
    record,
    percentile,
    percentileAmong,
    count: () => count,
    min: () => (count === 0 ? NaN : totals[MIN]),
    max: () => (count === 0 ? NaN : totals[MAX]),
    mean: () => (count === 0 ? NaN : totals[SUM] / count),
  };
}

/**
 * A double's high word is sign, 11 bits of exponent and 20 of mantissa. The upper 7 of those 20 number the bucket.
 * @param {number} ms
 */
function bucketOf(ms) {
  double[0] = ms;
  const bucket = (words[HIGH_WORD] >>> 13) - (1023 + LOWEST_EXPONENT) * SUB_BUCKETS;
  return bucket < 0 ? 0 : bucket < BUCKETS ? bucket : BUCKETS - 1;
}

/** @param {number} bucket */
function middleOf(bucket) {
  // The lowest bucket also holds zero, by far its most frequent value.
  if (bucket === 0) return 0;
  const exponent = Math.floor(bucket / SUB_BUCKETS) + LOWEST_EXPONENT;
  return 2 ** exponent * (1 + ((bucket % SUB_BUCKETS) + 0.5) / SUB_BUCKETS);
}

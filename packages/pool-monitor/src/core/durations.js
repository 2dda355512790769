import { createHistogram } from 'node:perf_hooks';

const US_PER_MS = 1000;
const MAX_US = 3_600_000_000;

/**
 * @typedef {object} DurationSummary
 * @property {number} count
 * @property {number} sumMs exact
 * @property {number | null} p50Ms within 0.1 %, like the other percentiles; null while count is 0
 * @property {number | null} p95Ms
 * @property {number | null} p99Ms
 * @property {number | null} maxMs
 */

/** Counting many at once takes less time. */
const BATCH_SIZE = 256;

/**
 * A histogram of durations: Node's HDR histogram, in microseconds, exact to three digits. It counts a duration over an
 * hour as one hour; the sum stays exact.
 */
export class Durations {
  #counted = createHistogram({ lowest: 1, highest: MAX_US, figures: 3 });
  #uncounted = new Float64Array(BATCH_SIZE);
  #uncountedCount = 0;
  sumMs = 0;

  /** @param {number} ms zero or more; less than a microsecond counts as one */
  record(ms) {
    this.sumMs += ms;
    this.#uncounted[this.#uncountedCount] = ms;
    this.#uncountedCount += 1;
    if (this.#uncountedCount === BATCH_SIZE) this.#count();
  }

  /** @param {Durations} other */
  add(other) {
    this.sumMs += other.sumMs;
    this.histogram.add(other.histogram);
  }

  get histogram() {
    this.#count();
    return this.#counted;
  }

  #count() {
    for (const ms of this.#uncounted.subarray(0, this.#uncountedCount))
      this.#counted.record(Math.min(MAX_US, Math.max(1, Math.round(ms * US_PER_MS))));
    this.#uncountedCount = 0;
  }

  /** @returns {DurationSummary} */
  summary() {
    const { histogram } = this;
    const { count } = histogram;
    /** @param {number} us */
    const toMs = (us) => (count === 0 ? null : us / US_PER_MS);
    return {
      count,
      sumMs: this.sumMs,
      p50Ms: toMs(histogram.percentile(50)),
      p95Ms: toMs(histogram.percentile(95)),
      p99Ms: toMs(histogram.percentile(99)),
      maxMs: toMs(histogram.max),
    };
  }
}

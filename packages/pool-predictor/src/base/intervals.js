/** Intervals of time, which can overlap. Each answer takes two binary searches. */
export class Intervals {
  #from;
  #to;
  /** Sums of the first ones, to integrate the number of them. */
  #fromSums;
  #toSums;
  /** Those that touch, as one. */
  #merged;
  /** How much time the merged ones before this one cover. */
  #coveredBefore;

  /** @param {ArrayLike<number>} fromMs @param {ArrayLike<number>} toMs of the same intervals */
  constructor(fromMs, toMs) {
    this.#from = Float64Array.from(fromMs).sort();
    this.#to = Float64Array.from(toMs).sort();
    this.#fromSums = sumUp(this.#from);
    this.#toSums = sumUp(this.#to);
    this.#merged = merge(this.#from, this.#to);
    let covered = 0;
    this.#coveredBefore = this.#merged.map(([from, to]) => {
      covered += to - from;
      return covered - (to - from);
    });
  }

  /** How many there are at that time. @param {number} atMs */
  countAt(atMs) {
    return countUpTo(this.#from, atMs) - countUpTo(this.#to, atMs);
  }

  /** How many there are on average. @param {number} fromMs @param {number} toMs later */
  meanCount(fromMs, toMs) {
    return (this.#countedUntil(toMs) - this.#countedUntil(fromMs)) / (toMs - fromMs);
  }

  /** @param {number} atMs */
  #countedUntil(atMs) {
    const [from, to] = [countUpTo(this.#from, atMs), countUpTo(this.#to, atMs)];
    return (from - to) * atMs - this.#fromSums[from] + this.#toSums[to];
  }

  /** How much of a time they cover. @param {number} fromMs @param {number} toMs */
  coveredMs(fromMs, toMs) {
    return this.#coveredUntil(toMs) - this.#coveredUntil(fromMs);
  }

  /** @param {number} atMs */
  #coveredUntil(atMs) {
    const index = countUpTo(this.#merged, atMs, ([from]) => from) - 1;
    if (index < 0) return 0;
    const [from, to] = this.#merged[index];
    return this.#coveredBefore[index] + Math.min(to, atMs) - from;
  }
}

/**
 * Counts the values up to a limit.
 *
 * @template T
 * @param {{ readonly length: number, readonly [index: number]: T }} sorted
 * @param {number} limit
 * @param {(item: T) => number} [valueOf]
 */
export function countUpTo(sorted, limit, valueOf = Number) {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (valueOf(sorted[middle]) <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Counts the values below a limit, which is the index of the first that is not.
 * @param {ArrayLike<number>} sorted
 * @param {number} limit
 */
export function countBelow(sorted, limit) {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** @param {Float64Array} from @param {Float64Array} to both sorted: where as many ended as began, none is open */
function merge(from, to) {
  /** @type {[number, number][]} */
  const merged = [];
  let start = 0;
  for (let index = 0; index < from.length; index++) {
    const isLast = index + 1 === from.length;
    if (!isLast && from[index + 1] <= to[index]) continue;
    merged.push([from[start], to[index]]);
    start = index + 1;
  }
  return merged;
}

/** @param {Float64Array} values */
function sumUp(values) {
  const sums = new Float64Array(values.length + 1);
  for (let index = 0; index < values.length; index++) sums[index + 1] = sums[index] + values[index];
  return sums;
}

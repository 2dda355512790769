import { NEVER } from './event-heap.js';

/** @import { Phase } from './arrivals.js' */
/** @import { Random } from './random.js' */

/**
 * @typedef {object} PhaseTimes
 * @property {() => number} next arrival, in ms since the phase began; NEVER after the last
 * @property {() => number} lastsMs how long the phase lasted; only after its last arrival
 */

/**
 * @param {Phase} phase
 * @param {number} worker
 * @param {number} workers
 * @param {Random} random
 * @returns {PhaseTimes}
 */
export function createPhaseTimes(
  { durationMs = 0, arrivalRate = 0, arrivalCount, rampTo, pauseMs, mode },
  worker,
  workers,
  random,
) {
  if (pauseMs !== undefined) return nobody(pauseMs);
  if (arrivalCount !== undefined) {
    if (worker > 0) return nobody(durationMs);
    return arrivalCount > 0 ? evenly(durationMs / arrivalCount, durationMs) : nobody(0);
  }
  if (rampTo !== undefined) return ramp(arrivalRate, rampTo, durationMs, worker, workers);
  const rate = shareOf(arrivalRate, worker, workers);
  if (rate === 0) return nobody(durationMs);
  return mode === 'poisson' ? poisson(1000 / rate, durationMs, random) : evenly(1000 / rate, durationMs);
}

/** @param {number} durationMs @returns {PhaseTimes} */
function nobody(durationMs) {
  return { next: () => NEVER, lastsMs: () => durationMs };
}

/**
 * Evenly spaced arrivals. The first comes after one interval, and the phase ends with the last. Artillery cuts the
 * interval to whole microseconds, so a high rate is slightly higher than written and may give one more arrival.
 *
 * @param {number} intervalMs
 * @param {number} durationMs
 * @returns {PhaseTimes}
 */
function evenly(intervalMs, durationMs) {
  const tickUs = Math.floor(intervalMs * 1000);
  const count = Math.floor((durationMs * 1000) / tickUs);
  let i = 0;
  return { next: () => (i < count ? (++i * tickUs) / 1000 : NEVER), lastsMs: () => (count * tickUs) / 1000 };
}

/** @param {number} meanGapMs @param {number} durationMs @param {Random} random @returns {PhaseTimes} */
function poisson(meanGapMs, durationMs, random) {
  // In an array, because a variable would be a new object for every number.
  const atMs = new Float64Array(1);
  return {
    next() {
      atMs[0] += meanGapMs * random.exponential();
      return atMs[0] < durationMs ? atMs[0] : NEVER;
    },
    lastsMs: () => atMs[0],
  };
}

/**
 * A ramp: the rate changes by the same step every second. The arrivals of each second are rounded over all workers (the
 * first workers take the remainder) and spaced by whole milliseconds, so they end before the second does.
 *
 * @param {number} from
 * @param {number} to
 * @param {number} durationMs
 * @param {number} worker
 * @param {number} workers
 * @returns {PhaseTimes}
 */
function ramp(from, to, durationMs, worker, workers) {
  const seconds = Math.ceil(durationMs / 1000);
  let second = -1;
  let i = 0;
  let count = 0;
  let tickMs = 1;

  function startSecond() {
    const rate = seconds === 1 ? (from + to) / 2 : from + ((to - from) / (durationMs / 1000 - 1)) * second;
    const share = rate / workers;
    count = Math.floor(share) + (Math.round((share % 1) * workers) >= worker + 1 ? 1 : 0);
    // With a single second, or a rate above 1000, Artillery's timer fires every millisecond.
    tickMs = seconds === 1 ? 1 : Math.max(1, Math.floor(1000 / Math.max(count, 1)));
    i = 0;
  }

  return {
    next() {
      while (!(i < count)) {
        if (second + 1 >= seconds) return NEVER;
        second++;
        startSecond();
      }
      return second * 1000 + Math.min(++i * tickMs, 1000);
    },
    lastsMs: () => seconds * 1000,
  };
}

/**
 * Splits maxVusers over the workers that send requests. The one worker of an arrivalCount has all of it.
 *
 * @param {Phase} phase
 * @param {number} worker
 * @param {number} workers
 */
export function shareOfMaxVusers({ maxVusers, arrivalRate = 0, arrivalCount, rampTo }, worker, workers) {
  if (maxVusers === undefined || arrivalCount !== undefined) return maxVusers;
  return shareOf(maxVusers, worker, rampTo === undefined ? Math.min(arrivalRate, workers) : workers);
}

/**
 * Splits a whole number over workers. The first workers take the remainder.
 *
 * @param {number} number
 * @param {number} worker
 * @param {number} workers
 */
function shareOf(number, worker, workers) {
  return Math.floor(number / workers) + (worker < number % workers ? 1 : 0);
}

/** @import { Random } from './random.js' */

/**
 * It has arrivalRate (with or without rampTo), arrivalCount or pauseMs.
 *
 * @typedef {object} Phase
 * @property {number} [durationMs]
 * @property {number} [arrivalRate] new users per second
 * @property {number} [rampTo] the rate in the phase's last second
 * @property {number} [arrivalCount] users over the phase
 * @property {number} [pauseMs]
 * @property {number} [maxVusers] while this many users are present, arrivals are skipped
 * @property {'uniform' | 'poisson'} [mode] for an arrivalRate without rampTo, default uniform
 */

/**
 * @typedef {object} Arrival
 * @property {number} atMs
 * @property {number} [worker] whose users count towards maxVusers, default 0
 * @property {number} [maxVusers]
 * @property {string | number} [scenario] name or index; default: drawn by weight
 * @property {string} [route] the user sends one request, instead of a scenario
 * @property {number} [serviceMs] of that request; default: drawn
 * @property {number} [handoverMs] how long the next request in the wait queue then waits until the connection is handed
 *   over, default 0
 */

/**
 * The arrivals of a workload's phases, in order of time, spaced as Artillery 2.0 does:
 * https://github.com/artilleryio/artillery/tree/main/packages/artillery/lib (core/phases.ts, dist.ts). Every worker thread
 * has its share of each rate and its own clock, so with several workers users arrive in bunches. An arrivalCount runs in
 * the first worker only.
 *
 * @param {Phase[]} phases
 * @param {object} options
 * @param {number} [options.workers] Artillery starts one fewer than there are processors, at least one
 * @param {Random} options.random
 * @returns {Generator<Arrival, void>}
 */
export function* createArrivals(phases, { workers = 1, random }) {
  const streams = Array.from({ length: workers }, (_, i) => workerArrivals(phases, i, workers, random));
  const next = streams.map((stream) => stream.next().value);
  for (;;) {
    let first = 0;
    for (let i = 1; i < workers; i++) {
      if ((next[i]?.atMs ?? Infinity) < (next[first]?.atMs ?? Infinity)) first = i;
    }
    const arrival = next[first];
    if (!arrival) return;
    yield arrival;
    next[first] = streams[first].next().value;
  }
}

/**
 * @param {Phase[]} phases
 * @param {number} worker from 0
 * @param {number} workers
 * @param {Random} random
 * @returns {Generator<Arrival, void>}
 */
function* workerArrivals(phases, worker, workers, random) {
  let startMs = 0;
  for (const phase of phases) {
    const maxVusers = shareOfMaxVusers(phase, worker, workers);
    const times = phaseArrivals(phase, worker, workers, random);
    let step = times.next();
    while (!step.done) {
      yield { atMs: startMs + step.value, worker, maxVusers };
      step = times.next();
    }
    startMs += step.value;
  }
}

/**
 * Yields ms since the phase began, and returns how long the phase lasts in this worker.
 *
 * @param {Phase} phase
 * @param {number} worker
 * @param {number} workers
 * @param {Random} random
 * @returns {Generator<number, number>}
 */
function* phaseArrivals(phase, worker, workers, random) {
  const { durationMs = 0, arrivalRate = 0, arrivalCount, rampTo, pauseMs, mode } = phase;
  if (pauseMs !== undefined) return pauseMs;
  if (arrivalCount !== undefined) {
    if (worker > 0) return durationMs;
    return arrivalCount > 0 ? yield* evenly(durationMs / arrivalCount, durationMs) : 0;
  }
  if (rampTo !== undefined) return yield* ramp(arrivalRate, rampTo, durationMs, worker, workers);
  const rate = shareOf(arrivalRate, worker, workers);
  if (rate === 0) return durationMs;
  return mode === 'poisson'
    ? yield* poisson(1000 / rate, durationMs, random)
    : yield* evenly(1000 / rate, durationMs);
}

/**
 * The first arrival comes after one interval, and the phase ends with the last. Artillery cuts the interval to whole
 * microseconds, so a high rate is slightly higher than written and may give one more arrival.
 *
 * @param {number} intervalMs
 * @param {number} durationMs
 * @returns {Generator<number, number>}
 */
function* evenly(intervalMs, durationMs) {
  const tickUs = Math.floor(intervalMs * 1000);
  const count = Math.floor((durationMs * 1000) / tickUs);
  for (let i = 1; i <= count; i++) yield (i * tickUs) / 1000;
  return (count * tickUs) / 1000;
}

/** @param {number} meanGapMs @param {number} durationMs @param {Random} random @returns {Generator<number, number>} */
function* poisson(meanGapMs, durationMs, random) {
  let atMs = meanGapMs * random.exponential();
  while (atMs < durationMs) {
    yield atMs;
    atMs += meanGapMs * random.exponential();
  }
  return atMs;
}

/**
 * The rate changes by the same step every second. The arrivals of each second are rounded over all workers (the first
 * workers take the remainder) and spaced by whole milliseconds, so they end before the second does.
 *
 * @param {number} from
 * @param {number} to
 * @param {number} durationMs
 * @param {number} worker
 * @param {number} workers
 * @returns {Generator<number, number>}
 */
function* ramp(from, to, durationMs, worker, workers) {
  const seconds = Math.ceil(durationMs / 1000);
  for (let second = 0; second < seconds; second++) {
    const rate = seconds === 1 ? (from + to) / 2 : from + ((to - from) / (durationMs / 1000 - 1)) * second;
    const share = rate / workers;
    const count = Math.floor(share) + (Math.round((share % 1) * workers) >= worker + 1 ? 1 : 0);
    // With a single second, or a rate above 1000, Artillery's timer fires every millisecond.
    const tickMs = seconds === 1 ? 1 : Math.max(1, Math.floor(1000 / Math.max(count, 1)));
    for (let i = 1; i <= count; i++) yield second * 1000 + Math.min(i * tickMs, 1000);
  }
  return seconds * 1000;
}

/**
 * It is split over the workers that send requests. The one worker of an arrivalCount has all of it.
 *
 * @param {Phase} phase
 * @param {number} worker
 * @param {number} workers
 */
function shareOfMaxVusers({ maxVusers, arrivalRate = 0, arrivalCount, rampTo }, worker, workers) {
  if (maxVusers === undefined || arrivalCount !== undefined) return maxVusers;
  return shareOf(maxVusers, worker, rampTo === undefined ? Math.min(arrivalRate, workers) : workers);
}

/**
 * A whole number split over workers. The first workers take the remainder.
 *
 * @param {number} number
 * @param {number} worker
 * @param {number} workers
 */
function shareOf(number, worker, workers) {
  return Math.floor(number / workers) + (worker < number % workers ? 1 : 0);
}

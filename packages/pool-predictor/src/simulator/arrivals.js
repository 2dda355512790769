import { NEVER } from './event-heap.js';
import { createRandom } from './random.js';

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
 * @property {CallerRequest[]} [requests] the user sends these one after another instead: the first at `atMs`, each other one
 *   `thinkMs` after the end of the query before it, or with its answer if that comes later
 * @property {number} [untilMs] the user sends its `requests` again and again, but none after this time
 *
 * @typedef {object} CallerRequest
 * @property {string} route
 * @property {number} serviceMs
 * @property {number} [handoverMs] as above
 * @property {number} thinkMs
 * @property {boolean} [isMore] it is one more query of the request before it, which is answered only after the last
 */

/**
 * @typedef {Iterable<Arrival> & { readTimes?: () => (into: Float64Array) => number }} Arrivals readTimes: a faster way to
 *   read them where only the times matter. Each call of its function fills in the next times, and returns how many; 0 after
 *   the last
 */

/**
 * The arrivals of a workload's phases, in order of time, spaced as Artillery 2.0 does:
 * https://github.com/artilleryio/artillery/tree/main/packages/artillery/lib (core/phases.ts, dist.ts). Every worker thread
 * has its share of each rate and its own clock, so with several workers users arrive in bunches. An arrivalCount runs in
 * the first worker only.
 *
 * @param {Phase[]} phases
 * @param {object} [options]
 * @param {number} [options.workers] Artillery starts one fewer than there are processors, at least one
 * @param {number} [options.seed] default 1
 * @param {number} [options.factor] divides the times, default 1
 * @returns {Arrivals} always the same ones
 */
export function createArrivals(phases, { workers = 1, seed = 1, factor = 1 } = {}) {
  return {
    [Symbol.iterator]() {
      const times = createTimes(phases, { workers, seed, factor });
      return {
        next() {
          const atMs = times.first();
          if (atMs === NEVER) return { done: true, value: undefined };
          const value = { atMs, worker: times.worker(), maxVusers: times.maxVusers() };
          times.drop();
          return { done: false, value };
        },
      };
    },

    readTimes: phases.some(({ maxVusers }) => maxVusers !== undefined) ? undefined : () => {
      const times = createTimes(phases, { workers, seed, factor });
      return (into) => {
        let count = 0;
        for (let atMs = times.first(); count < into.length && atMs < NEVER; atMs = times.first()) {
          into[count++] = atMs;
          times.drop();
        }
        return count;
      };
    },
  };
}

/**
 * @param {Iterator<Arrival, void>} upcoming
 * @param {number} sinceMs
 * @throws {Error} when the next arrival is earlier
 */
export function takeArrival(upcoming, sinceMs) {
  const { value } = upcoming.next();
  if (value && !(value.atMs >= sinceMs)) {
    throw new Error(`Arrivals must be in order of time, from 0 ms on: ${value.atMs} came after ${sinceMs}`);
  }
  return value;
}

/**
 * All workers together. Generators would be easier to read, but each arrival would cost as much as its simulation.
 *
 * @param {Phase[]} phases
 * @param {{ workers: number, seed: number, factor: number }} options
 */
function createTimes(phases, { workers, seed, factor }) {
  const random = createRandom(seed, 'arrivals');
  const streams = Array.from({ length: workers }, (_, worker) => createWorkerTimes(phases, worker, workers, random));
  const nextMs = Float64Array.from(streams, (stream) => stream.next());
  let worker = 0;
  return {
    /** NEVER after the last. */
    first() {
      worker = 0;
      for (let i = 1; i < workers; i++) if (nextMs[i] < nextMs[worker]) worker = i;
      return nextMs[worker] / factor;
    },
    /** Of the first. */
    worker: () => worker,
    maxVusers: () => streams[worker].maxVusers(),
    drop() {
      nextMs[worker] = streams[worker].next();
    },
  };
}

/**
 * @typedef {object} PhaseTimes
 * @property {() => number} next arrival, in ms since the phase began; NEVER after the last
 * @property {() => number} lastsMs how long the phase lasted; only after its last arrival
 */

/**
 * @param {Phase[]} phases
 * @param {number} worker from 0
 * @param {number} workers
 * @param {Random} random
 */
function createWorkerTimes(phases, worker, workers, random) {
  let index = 0;
  let startMs = 0;
  let times = createPhaseTimes(phases[0] ?? {}, worker, workers, random);
  let maxVusers = shareOfMaxVusers(phases[0] ?? {}, worker, workers);

  return {
    maxVusers: () => maxVusers,
    next() {
      for (;;) {
        const ms = times.next();
        if (ms !== NEVER) return startMs + ms;
        if (index + 1 >= phases.length) return NEVER;
        startMs += times.lastsMs();
        times = createPhaseTimes(phases[++index], worker, workers, random);
        maxVusers = shareOfMaxVusers(phases[index], worker, workers);
      }
    },
  };
}

/**
 * @param {Phase} phase
 * @param {number} worker
 * @param {number} workers
 * @param {Random} random
 * @returns {PhaseTimes}
 */
function createPhaseTimes({ durationMs = 0, arrivalRate = 0, arrivalCount, rampTo, pauseMs, mode }, worker, workers, random) {
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
 * The first arrival comes after one interval, and the phase ends with the last. Artillery cuts the interval to whole
 * microseconds, so a high rate is slightly higher than written and may give one more arrival.
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
 * The rate changes by the same step every second. The arrivals of each second are rounded over all workers (the first
 * workers take the remainder) and spaced by whole milliseconds, so they end before the second does.
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

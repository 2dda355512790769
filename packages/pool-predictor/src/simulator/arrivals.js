import { NEVER } from './event-heap.js';
import { createPhaseTimes, shareOfMaxVusers } from './phase-times.js';
import { createRandom } from './random.js';

/** @import { Random } from './random.js' */
/** @import { KnownRequest } from './request-plan.js' */

/**
 * A phase of a load, with arrivalRate (with or without rampTo), arrivalCount or pauseMs.
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
 * @property {number} [handoverMs] how long the next request in the wait queue waits until it gets the connection,
 *   default 0
 * @property {KnownRequest} [known] that request; default: one query, which takes serviceMs
 * @property {CallerRequest[]} [requests] the user sends these one after another instead: the first at `atMs`, each
 *   other one `thinkMs` after the end of the one before it, or with its answer if an overhead makes that later
 * @property {number} [untilMs] the user sends its `requests` again and again, but none after this time
 *
 * @typedef {object} CallerRequest
 * @property {string} route
 * @property {number} serviceMs
 * @property {number} [handoverMs] as above
 * @property {KnownRequest} [known] as above
 * @property {number} thinkMs
 */

/**
 * The arrivals of a workload's phases, in order of time, spaced as Artillery 2.0 does:
 * https://github.com/artilleryio/artillery/tree/main/packages/artillery/lib (core/phases.ts, dist.ts). Every worker
 * thread has its share of each rate and its own clock, so with several workers users arrive in bunches. An arrivalCount
 * runs in the first worker only.
 *
 * @param {Phase[]} phases
 * @param {object} [options]
 * @param {number} [options.workers] Artillery starts one fewer than there are processors, at least one
 * @param {number} [options.seed] default 1
 * @param {number} [options.factor] divides the times, default 1
 * @returns {Iterable<Arrival>} always the same ones
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
 * Merges the arrivals of all workers. Generators would be easier to read, but each arrival would take as long as its
 * simulation.
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
    /** The time of the next arrival; NEVER after the last. */
    first() {
      worker = 0;
      for (let i = 1; i < workers; i++) if (nextMs[i] < nextMs[worker]) worker = i;
      return nextMs[worker] / factor;
    },
    /** The worker of the next arrival. */
    worker: () => worker,
    maxVusers: () => streams[worker].maxVusers(),
    drop() {
      nextMs[worker] = streams[worker].next();
    },
  };
}

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

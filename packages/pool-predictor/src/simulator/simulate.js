import { createArrivals, takeArrival } from './arrivals.js';
import { createClock } from './clock.js';
import { NEVER } from './event-heap.js';
import { Model } from './model.js';

/** @import { Arrival } from './arrivals.js' */
/** @import { PoolOptions } from './create-pool.js' */
/** @import { ServerOptions } from './shared-cores.js' */
/** @import { Service } from './service-time.js' */
/** @import { Workload } from './scenarios.js' */

/** @typedef {ReturnType<Model['result']>} SimulationResult */

const { min } = Math;

/**
 * @typedef {object} SimulationOptions
 * @property {Workload} [workload] not needed when every arrival names its route
 * @property {Iterable<Arrival>} [arrivals] in order of time; default: those of the workload's phases
 * @property {PoolOptions} pool
 * @property {Record<string, Service>} [services] by route
 * @property {number} [seed] default 1
 * @property {number} [workers] Artillery's worker threads, default 1
 * @property {Service} [overhead] what a response takes beyond wait and service time, default 0
 * @property {number} [resolutionMs] of the clock with which the client measures response times; default 0, exact
 * @property {ServerOptions} [server] whose cores the queries share; default: queries do not slow each other down
 * @property {boolean} [keepRequests] also return each request as `records`, in the order they ended; default false
 */

/**
 * Simulates virtual users against one pool, in one run. Each user sends its next request when the last is answered.
 *
 * The result depends only on the options: it reads no clock, and the seed decides everything random. Service times are
 * drawn as requests arrive, from one stream for each route, so runs that differ only in the pool see the same load as
 * far as possible.
 *
 * @param {SimulationOptions} options
 * @returns counts, gauges and response times of the run. Times are in ms and counted from the start of the load.
 * @throws {Error} for invalid options, a route without a service time, or arrivals that are not in order of time
 */
export function simulate(options) {
  const clock = createClock();
  const model = new Model(options, clock);
  const upcoming = arrivalsOf(options)[Symbol.iterator]();
  let arrival = takeArrival(upcoming, 0);
  const { hasChecks, hasDeadlines } = model;

  for (;;) {
    const eventMs = clock.nextMs();
    const deadlineMs = hasDeadlines ? model.nextDeadlineMs() : NEVER;
    const arrivalMs = arrival ? arrival.atMs : NEVER;
    const checkMs = hasChecks ? model.nextCheckMs() : NEVER;
    const nextMs = min(eventMs, deadlineMs, arrivalMs);
    if (nextMs === NEVER) return model.result();
    clock.nowMs = min(checkMs, nextMs);
    // At the same instant, ends come before deadlines and arrivals: a connection checked in just in time is in time.
    if (clock.nowMs === checkMs) {
      model.checkPool();
    } else if (clock.nowMs === eventMs) {
      model.handle(clock.pop());
    } else if (clock.nowMs === deadlineMs) {
      model.timeOut();
    } else if (arrival) {
      model.enter(arrival);
      arrival = takeArrival(upcoming, arrivalMs);
    }
  }
}

/** @param {SimulationOptions} options @returns {Iterable<Arrival>} */
function arrivalsOf({ arrivals, workload, workers, seed }) {
  return arrivals ?? createArrivals(workload?.phases ?? [], { workers, seed });
}

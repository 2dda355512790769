import { createArrivals } from './arrivals.js';
import { createClock } from './clock.js';
import { NEVER } from './event-heap.js';
import { createModel } from './model.js';
import { createRandom } from './random.js';

/** @import { Arrival } from './arrivals.js' */
/** @import { PoolOptions } from './create-pool.js' */
/** @import { Service } from './service-time.js' */
/** @import { Workload } from '../scenario/workload.js' */

const { min } = Math;

/**
 * @typedef {object} SimulationOptions
 * @property {Workload} [workload] not needed when every arrival names its route
 * @property {Iterable<Arrival>} [arrivals] in order of time; default: as the workload's phases have it
 * @property {PoolOptions} pool
 * @property {Record<string, Service>} [services] by route
 * @property {number} [seed] default 1
 * @property {number} [workers] see createArrivals, default 1
 * @property {Service} [overhead] what a response takes beside its wait and service, default nothing
 * @property {number} [resolutionMs] the client's clock tells response times in whole steps of it; default 0, exactly
 * @property {boolean} [keepRequests] return each request as well, in the order they ended, default false
 */

/**
 * Simulates virtual users, each of whom sends its next request when the last is answered, against one pool.
 *
 * It reads no clock, and no chance but the seed's. Service times are drawn as requests arrive, from a stream
 * for each route, so runs that differ in the pool alone see the same load as far as their users' chains
 * allow.
 *
 * @param {SimulationOptions} options
 */
export function simulate(options) {
  const { workload, seed = 1, workers = 1 } = options;
  const clock = createClock();
  const model = createModel(options, clock);
  const arrivals = options.arrivals
    ?? createArrivals(workload?.phases ?? [], { workers, random: createRandom(seed, 'arrivals') });
  const coming = arrivals[Symbol.iterator]();
  let arrival = take(coming, 0);

  for (;;) {
    const eventMs = clock.nextMs();
    const deadlineMs = model.nextDeadlineMs();
    const arrivalMs = arrival ? arrival.atMs : NEVER;
    clock.nowMs = min(eventMs, deadlineMs, arrivalMs);
    if (clock.nowMs === NEVER) return model.result();
    // At one instant what ends comes before what begins: a connection that is free just in time is in time.
    if (clock.nowMs === eventMs) {
      model.handle(clock.pop());
    } else if (clock.nowMs === deadlineMs) {
      model.giveUp();
    } else if (arrival) {
      model.enter(arrival);
      arrival = take(coming, arrivalMs);
    }
  }
}

/** @param {Iterator<Arrival, void>} coming @param {number} sinceMs */
function take(coming, sinceMs) {
  const { value } = coming.next();
  if (value && !(value.atMs >= sinceMs)) {
    throw new Error(`Arrivals must be in order of time from 0 ms on: ${value.atMs} came after ${sinceMs}`);
  }
  return value;
}

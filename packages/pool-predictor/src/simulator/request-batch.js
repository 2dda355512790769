import { takeArrival } from './arrivals.js';
import { NEVER } from './event-heap.js';
import { createRandom } from './random.js';
import { createRoutes } from './route-stats.js';
import { createScenarios } from './scenarios.js';
import { NO_OVERHEAD, createServiceTime } from './service-time.js';

/** @import { Arrivals } from './arrivals.js' */
/** @import { RouteStats } from './route-stats.js' */
/** @import { SimulationOptions } from './simulate.js' */

/** Few enough for the processor's cache. */
const SIZE = 1024;

/**
 * The next requests of a load whose users make one request each, in order of time. Each property is an array with an element
 * for each request: a loop over numbers is much faster than one over objects, above all before it is compiled.
 */
export class RequestBatch {
  count = 0;
  atMs = new Float64Array(SIZE);
  /** @type {RouteStats[]} */
  routes = [];
  serviceMs = new Float64Array(SIZE);
  handoverMs = new Float64Array(SIZE);
  overheadMs = new Float64Array(SIZE);
  clockPhase = new Float64Array(SIZE);
  /** When the wait for a connection ends, one way or the other. */
  waitEndsMs = new Float64Array(SIZE);
  /** 1 for a wait-queue timeout. */
  hasFailed = new Uint8Array(SIZE);
  #upcoming;
  #readTimes;
  #lastMs = 0;
  #choices;
  #routes;
  #drawOverheadMs;
  #scenarios;
  #drawClockPhase;

  /** @param {SimulationOptions} options @param {Arrivals} arrivals */
  constructor({ workload, services = {}, seed = 1, overhead = NO_OVERHEAD, resolutionMs = 0 }, arrivals) {
    this.#upcoming = arrivals[Symbol.iterator]();
    this.#readTimes = arrivals.readTimes?.();
    this.#choices = createRandom(seed, 'choices');
    this.#routes = createRoutes(services, seed);
    const drawOverheadMs = createServiceTime(overhead, createRandom(seed, 'overhead'), 'the overhead');
    this.#drawOverheadMs = overhead === NO_OVERHEAD ? undefined : drawOverheadMs;
    this.#scenarios = createScenarios(workload?.scenarios ?? [], this.#routes.get);
    this.#routes.requireServices();
    this.#drawClockPhase = resolutionMs === 0 ? undefined : createRandom(seed, 'client\'s clock').uniform;
  }

  /** Takes the next requests, none after the last. @returns {boolean} false when they need events */
  next() {
    const { serviceMs, overheadMs, clockPhase, routes } = this;
    if (this.#readTimes) this.#fillTimes(this.#readTimes);
    else if (!this.#fillArrivals()) return false;
    const { count } = this;
    for (let i = 0; i < count; i++) {
      if (Number.isNaN(serviceMs[i])) serviceMs[i] = routes[i].drawServiceMs();
      if (!(serviceMs[i] >= 0 && serviceMs[i] < NEVER)) return false;
    }
    if (this.#drawOverheadMs) {
      for (let i = 0; i < count; i++) {
        overheadMs[i] = this.#drawOverheadMs();
        if (!(overheadMs[i] >= 0 && overheadMs[i] < NEVER)) return false;
      }
    }
    if (this.#drawClockPhase) for (let i = 0; i < count; i++) clockPhase[i] = this.#drawClockPhase();
    return true;
  }

  routeResults() {
    return this.#routes.results();
  }

  /** @param {(into: Float64Array) => number} readTimes */
  #fillTimes(readTimes) {
    this.count = readTimes(this.atMs);
    this.serviceMs.fill(NaN, 0, this.count);
    for (let i = 0; i < this.count; i++) this.routes[i] = this.#pickRoute();
  }

  #fillArrivals() {
    this.count = 0;
    while (this.count < SIZE) {
      const arrival = takeArrival(this.#upcoming, this.#lastMs);
      if (!arrival) break;
      const { atMs, maxVusers = NEVER, scenario, route, serviceMs = NaN, handoverMs = 0 } = arrival;
      if (maxVusers < NEVER || 'requests' in arrival) return false;
      const i = this.count++;
      this.#lastMs = atMs;
      this.atMs[i] = atMs;
      this.routes[i] = route === undefined ? this.#pickRoute(scenario) : this.#routes.get(route);
      this.serviceMs[i] = serviceMs;
      this.handoverMs[i] = handoverMs;
    }
    return true;
  }

  /** @param {string | number} [scenario] default: drawn by weight */
  #pickRoute(scenario) {
    const flow = scenario === undefined ? this.#scenarios.pick(this.#choices) : this.#scenarios.find(scenario);
    return /** @type {{ route: RouteStats }} */ (flow[0]).route;
  }
}

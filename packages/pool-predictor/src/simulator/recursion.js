import { createPool, isDriverPool, timeoutsOf } from './create-pool.js';
import { NEVER, createEventHeap } from './event-heap.js';
import { queriesOf } from './service-time.js';
import { describeTotals, readClock } from './tally.js';
import { createTimeQueue } from './time-queue.js';

/** @import { DriverPoolOptions } from './driver-pool.js' */
/** @import { RouteResult } from './route-stats.js' */
/** @import { RequestBatch } from './request-batch.js' */
/** @import { SimulationOptions } from './simulate.js' */

const { max } = Math;

// An event's code is twice the number of a connection, plus 1 when the connection is being handed over.
const HANDED_OVER = 1;

/**
 * Whether users make one request with one query each, to a pool whose connections take no time to open, so that waits follow from the times
 * at which connections become free.
 *
 * @param {SimulationOptions} options
 */
export function isRecursive({ workload, pool, services = {}, keepRequests }) {
  const { warm = true, connectMs = 0, minPoolSize = 0 } = /** @type {DriverPoolOptions} */ (pool);
  return isDriverPool(pool)
    && (warm || (connectMs === 0 && minPoolSize === 0))
    && (workload?.scenarios ?? []).every(({ steps }) => steps.length === 1 && steps[0].kind === 'request')
    && Object.values(services).every((service) => queriesOf(service) === 1)
    // They come in the order in which they ended.
    && !keepRequests;
}

/**
 * Does what Model does, for such a load: it takes one request after the other, and computes when it gets a connection. No
 * later request can change that (J. Kiefer and J. Wolfowitz, 1955, https://doi.org/10.1090/S0002-9947-1955-0066587-3).
 *
 * A client that gives up closes a connection, as the request deadline does, and so needs events.
 */
export class Recursion {
  #maxPoolSize;
  #isWarm;
  #waitTimeoutMs;
  #timeoutMs;
  #requestTimeoutMs;
  #resolutionMs;
  /** The end of each query and handover. */
  #ends = createEventHeap();
  /** The last one is checked out next. @type {number[]} */
  #idle = [];
  #opened = 0;
  /** By connection: how long it takes to hand it over. @type {number[]} */
  #handoverMs = [];
  /** When the requests that wait will have left the wait queue. */
  #waiting = createTimeQueue();
  #active = 0;
  #totals = {
    requests: 0, failuresBy: { refused: 0, waitQueueTimeout: 0, requestTimeout: 0, clientTimeout: 0 }, maxMs: NaN, firstMs: NaN, lastMs: NaN,
    peakActive: 0, peakWaiting: 0, busyMs: 0, waitedMs: 0,
  };

  /** @param {SimulationOptions} options */
  constructor({ workload, pool, resolutionMs = 0 }) {
    createPool(pool, /** @type {any} */ ({})); // To check its options.
    const { maxPoolSize, warm = true } = /** @type {DriverPoolOptions} */ (pool);
    const { waitMs, requestMs } = timeoutsOf(pool);
    this.#maxPoolSize = maxPoolSize;
    this.#isWarm = warm;
    this.#waitTimeoutMs = waitMs;
    this.#requestTimeoutMs = requestMs;
    this.#timeoutMs = workload?.timeoutMs ?? NEVER;
    this.#resolutionMs = resolutionMs;
  }

  /** @param {RequestBatch} batch @returns {boolean} false when it needs events */
  add(batch) {
    const { count, atMs, serviceMs, overheadMs, handoverMs, waitEndsMs, hasFailed } = batch;
    for (let i = 0; i < count; i++) {
      const nowMs = atMs[i];
      while (this.#ends.nextMs() <= nowMs) this.#free(this.#ends.pop());
      const mustOpen = this.#idle.length === 0 && this.#opened < this.#maxPoolSize;
      if (mustOpen) this.#open();
      const waits = this.#idle.length === 0;
      const startMs = waits ? this.#wait(nowMs, nowMs + this.#waitTimeoutMs) : nowMs;
      hasFailed[i] = startMs === NEVER ? 1 : 0;
      waitEndsMs[i] = startMs === NEVER ? nowMs + this.#waitTimeoutMs : startMs;
      if (waits) this.#countWaiting(nowMs, waitEndsMs[i]);
      if (startMs < NEVER) this.#use(startMs, serviceMs[i], handoverMs[i], waits);
      const endMs = waitEndsMs[i] + (hasFailed[i] ? 0 : serviceMs[i]);
      if (endMs <= nowMs + this.#requestTimeoutMs && endMs + overheadMs[i] <= nowMs + this.#timeoutMs) continue;
      // Rounding does not make anyone give up.
      if (waits || mustOpen || serviceMs[i] > this.#requestTimeoutMs
        || serviceMs[i] + overheadMs[i] > this.#timeoutMs) return false;
    }
    this.#record(batch);
    return true;
  }

  /** @param {Record<string, RouteResult>} routes */
  result(routes) {
    return {
      ...describeTotals(this.#totals, routes, this.#maxPoolSize),
      users: this.#totals.requests,
      skipped: 0,
      connections: this.#isWarm ? this.#maxPoolSize : this.#opened,
    };
  }

  #open() {
    this.#idle.push(this.#opened++);
    // It opens at once, but until then the request counts as waiting.
    if (!this.#isWarm) this.#totals.peakWaiting = max(this.#totals.peakWaiting, 1);
  }

  /** @param {number} code of the event that frees it */
  #free(code) {
    if (code % 2 !== HANDED_OVER) this.#active--;
    this.#idle.push(code >> 1);
  }

  /** @param {number} nowMs @param {number} untilMs @returns {number} when a connection is free; NEVER if not until then */
  #wait(nowMs, untilMs) {
    const ends = this.#ends;
    for (;;) {
      const endMs = ends.nextMs();
      if (endMs > untilMs) return NEVER;
      const code = ends.nextCode();
      if (code % 2 === HANDED_OVER) return endMs;
      this.#active--;
      const handoverMs = this.#handoverMs[code >> 1];
      if (handoverMs === 0) return endMs;
      ends.replace(endMs + handoverMs, code + HANDED_OVER);
    }
  }

  /** @param {number} arrivedAtMs @param {number} untilMs */
  #countWaiting(arrivedAtMs, untilMs) {
    this.#waiting.dropUntil(arrivedAtMs);
    this.#waiting.push(untilMs);
    this.#totals.peakWaiting = max(this.#totals.peakWaiting, this.#waiting.size());
  }

  /** @param {number} startMs @param {number} serviceMs @param {number} handoverMs @param {boolean} hasWaited */
  #use(startMs, serviceMs, handoverMs, hasWaited) {
    const connection = hasWaited ? this.#ends.nextCode() >> 1 : /** @type {number} */ (this.#idle.pop());
    this.#handoverMs[connection] = handoverMs;
    if (hasWaited) this.#ends.replace(startMs + serviceMs, connection << 1);
    else this.#ends.push(startMs + serviceMs, connection << 1);
    this.#active++;
    if (this.#active > this.#totals.peakActive) this.#totals.peakActive = this.#active;
  }

  /** @param {RequestBatch} batch */
  #record({ count, atMs, routes, serviceMs, overheadMs, clockPhase, waitEndsMs, hasFailed }) {
    const totals = this.#totals;
    if (totals.requests === 0 && count > 0) totals.firstMs = atMs[0];
    totals.requests += count;
    let { maxMs, lastMs, busyMs, waitedMs } = totals;
    for (let i = 0; i < count; i++) {
      const route = routes[i];
      const waitMs = waitEndsMs[i] - atMs[i];
      waitedMs += waitMs;
      let endMs = waitEndsMs[i];
      if (hasFailed[i]) {
        route.recordFailure();
        totals.failuresBy.waitQueueTimeout++;
      } else {
        endMs += serviceMs[i];
        busyMs += serviceMs[i];
        route.recordWait(waitMs);
        const responseMs = readClock(endMs + overheadMs[i] - atMs[i], this.#resolutionMs, clockPhase[i]);
        route.recordResponse(responseMs);
        if (!(responseMs <= maxMs)) maxMs = responseMs;
      }
      if (!(endMs + overheadMs[i] <= lastMs)) lastMs = endMs + overheadMs[i];
    }
    Object.assign(totals, { maxMs, lastMs, busyMs, waitedMs });
  }
}

import { createPool, isDriverPool, timeoutsOf } from './create-pool.js';
import { NEVER, createEventHeap } from './event-heap.js';
import { queriesOf, sharesCores } from './service-time.js';
import { describeTotals, readClock } from './tally.js';
import { createTimeHeap } from './time-heap.js';
import { createTimeQueue } from './time-queue.js';

/** @import { DriverPoolOptions } from './driver-pool.js' */
/** @import { RouteResult } from './route-stats.js' */
/** @import { RequestBatch } from './request-batch.js' */
/** @import { SimulationOptions } from './simulate.js' */

const { max } = Math;

// What happens to a connection at its next event. A higher code is the place of a handover, see #keepHandover.
const QUERY_ENDS = 0;
const IS_HANDED_OVER = 1;

/**
 * Whether users make one request each, with one query, to a pool whose connections take no time to open. Then waits follow
 * from the times at which connections become free.
 *
 * @param {SimulationOptions} options
 */
export function isRecursive({ workload, pool, services = {}, keepRequests, server }) {
  const { warm = true, connectMs = 0, minPoolSize = 0 } = /** @type {DriverPoolOptions} */ (pool);
  return isDriverPool(pool)
    && (warm || (connectMs === 0 && minPoolSize === 0))
    && (workload?.scenarios ?? []).every(({ steps }) => steps.length === 1 && steps[0].kind === 'request')
    && Object.values(services).every((service) => service.kind !== 'requests' && queriesOf(service) === 1)
    && !sharesCores(server, services)
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
  #waitTimeoutMs;
  #requestTimeoutMs;
  #timeoutMs;
  #resolutionMs;
  /** When connections become free. */
  #ends;
  #opened = 0;
  #idle = 0;
  #handedOver = 0;
  /** Times that handovers will take, if requests wait then. The first two codes are taken. */
  #handoversMs = [0, 0];
  /** Codes to be used again. @type {number[]} */
  #unused = [];
  /** When those who wait will no longer do so. */
  #waiting = createTimeQueue();
  #totals = {
    requests: 0, failuresBy: { refused: 0, waitQueueTimeout: 0, requestTimeout: 0, clientTimeout: 0 },
    maxMs: NaN, firstMs: NaN, lastMs: NaN, peakActive: 0, peakWaiting: 0, busyMs: 0, waitedMs: 0,
  };

  /** @param {SimulationOptions} options @param {boolean} hasHandovers whether requests may have them */
  constructor({ workload, pool, resolutionMs = 0 }, hasHandovers) {
    createPool(pool, /** @type {any} */ ({})); // To check its options.
    const { maxPoolSize, warm = true } = /** @type {DriverPoolOptions} */ (pool);
    const { waitMs, requestMs } = timeoutsOf(pool);
    this.#maxPoolSize = maxPoolSize;
    if (warm) this.#opened = this.#idle = maxPoolSize;
    this.#waitTimeoutMs = waitMs;
    this.#requestTimeoutMs = requestMs;
    this.#timeoutMs = workload?.timeoutMs ?? NEVER;
    this.#resolutionMs = resolutionMs;
    // Without handovers it does not matter which of two connections becomes free at the same time.
    this.#ends = hasHandovers ? createEventHeap() : createTimeHeap();
  }

  /** @param {RequestBatch} batch @returns {boolean} false when it needs events */
  add(batch) {
    const { count, atMs, serviceMs, overheadMs, handoverMs, waitEndsMs, hasFailed } = batch;
    const totals = this.#totals;
    const ends = this.#ends;
    for (let i = 0; i < count; i++) {
      const nowMs = atMs[i];
      const untilMs = nowMs + this.#waitTimeoutMs;
      while (ends.nextMs() <= nowMs) this.#free(ends.pop());
      const mustOpen = this.#idle === 0 && this.#opened < this.#maxPoolSize;
      const waits = this.#idle === 0 && !mustOpen;
      const startMs = waits ? this.#wait(untilMs) : nowMs;
      hasFailed[i] = startMs === NEVER ? 1 : 0;
      waitEndsMs[i] = startMs === NEVER ? untilMs : startMs;
      const code = handoverMs[i] === 0 || startMs === NEVER ? QUERY_ENDS : this.#keepHandover(handoverMs[i]);
      if (waits) {
        if (startMs < NEVER) ends.replace(startMs + serviceMs[i], code);
        this.#waiting.push(waitEndsMs[i]);
        if (this.#waiting.size() > totals.peakWaiting) {
          this.#waiting.dropUntil(nowMs);
          totals.peakWaiting = max(totals.peakWaiting, this.#waiting.size());
        }
      } else {
        ends.push(nowMs + serviceMs[i], code);
        if (!mustOpen) {
          this.#idle--;
        } else {
          this.#opened++;
          // It opens at once, but until then the request counts as waiting.
          if (totals.peakWaiting === 0) totals.peakWaiting = 1;
        }
      }
      const active = this.#opened - this.#idle - this.#handedOver;
      if (active > totals.peakActive) totals.peakActive = active;
      const tookMs = hasFailed[i] ? 0 : serviceMs[i];
      const endMs = waitEndsMs[i] + tookMs;
      if (endMs <= nowMs + this.#requestTimeoutMs && endMs + overheadMs[i] <= nowMs + this.#timeoutMs) continue;
      // Rounding does not make anyone give up.
      if (waits || mustOpen || tookMs > this.#requestTimeoutMs || tookMs + overheadMs[i] > this.#timeoutMs) return false;
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
      connections: this.#opened,
    };
  }

  /** @param {number} untilMs @returns {number} when a connection is free, the first in #ends; NEVER if not until then */
  #wait(untilMs) {
    for (;;) {
      const endMs = this.#ends.nextMs();
      if (endMs > untilMs) return NEVER;
      const code = this.#ends.nextCode();
      if (code > IS_HANDED_OVER) {
        this.#handedOver++;
        this.#unused.push(code);
        this.#ends.replace(endMs + this.#handoversMs[code], IS_HANDED_OVER);
      } else {
        this.#handedOver -= code;
        return endMs;
      }
    }
  }

  /** No request waits for it. @param {number} code */
  #free(code) {
    this.#idle++;
    if (code === IS_HANDED_OVER) this.#handedOver--;
    else if (code > IS_HANDED_OVER) this.#unused.push(code);
  }

  /** @param {number} ms @returns {number} its code */
  #keepHandover(ms) {
    const code = this.#unused.pop() ?? this.#handoversMs.length;
    this.#handoversMs[code] = ms;
    return code;
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

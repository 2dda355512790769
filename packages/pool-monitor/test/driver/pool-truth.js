import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks';
import { setMaxListeners } from 'node:events';
import { MAX_HOLDERS } from '../../src/core/holders.js';

/** @import { CheckoutRecord } from '../../src/core/checkout-log.js' */
/** @import { WatchedSchedule } from './plan-requests.js' */

/**
 * @typedef {Pick<CheckoutRecord, 'requestId' | 'outcome' | 'reason' | 'connectionId' | 'isFresh' | 'openingMs' |
 *   'checkOutStartedAtMs' | 'checkedOutAtMs' | 'endedAtMs'> & { behind: (string | null)[] }} Facts of a checkout, as in
 *   its record
 *
 * @typedef {{ waits: [fromMs: number, toMs: number][], useMs: number }} RequestTimes of all checkouts of a request
 * @typedef {(work: () => unknown) => any} Flow runs code in an async flow
 * @typedef {{ fromMs: number, toMs: number, isOutdated: boolean }} Opening of a connection; toMs: Infinity while it has
 *   no end; isOutdated: the pool was cleared since it began
 */

/** Reasons by the name of the error that a checkout ends with. @type {Record<string, string>} */
const REASONS = {
  MongoWaitQueueTimeoutError: 'timeout',
  MongoPoolClearedError: 'connectionError',
  MongoNetworkError: 'connectionError',
  MongoPoolClosedError: 'poolClosed',
};

/**
 * What is true of the driver's pool while it follows a schedule: it sees each call, and which request made it. The
 * calls run in the async flow of their request.
 */
export class PoolTruth {
  #pool;
  #plan;
  #openRequest;
  /** @type {Map<number, { own: Flow, last: Flow, abort: AbortController }>} */
  #requests = new Map();
  /** Times of requests. @type {Map<string, RequestTimes>} */
  sums = new Map();
  /** Uses of connections that have not ended, the longest first. @type {Map<any, { facts: Facts, flow: Flow }>} */
  #held = new Map();
  /** The uses of each connection that ended, the newest first. @type {Map<number, Facts[]>} */
  #uses = new Map();
  /** How many openings a clear has ended with an event, the refusal of the caller. */
  #toldDropped = 0;
  /** Openings by connection. @type {Map<number, Opening>} */
  #openings = new Map();
  /** Checkouts that began before the pool was closed, in that order. @type {Facts[]} */
  checkouts = [];
  waiting = 0;
  longestOpeningMs = 0;
  isClosed = false;

  /**
   * @param {any} pool the driver's
   * @param {WatchedSchedule} plan
   * @param {(requestId: string, signal: AbortSignal) => Flow} openRequest
   */
  constructor(pool, plan, openRequest) {
    this.#pool = pool;
    this.#plan = plan;
    this.#openRequest = openRequest;
    const { checkOut, checkIn, close } = pool;
    let started = 0;
    pool.checkOut = (/** @type {any} */ options) =>
      this.isClosed
        ? checkOut.call(pool, options)
        : this.#checkOut(started++, options.signal, (signal) => checkOut.call(pool, { ...options, signal }));
    pool.checkIn = (/** @type {any} */ connection) => {
      if (this.isClosed) checkIn.call(pool, connection);
      else this.#checkIn(connection, () => checkIn.call(pool, connection));
    };
    pool.close = () => {
      close.call(pool);
      if (!this.isClosed) this.#close();
    };
    pool.on('connectionCreated', (/** @type {any} */ { connectionId }) =>
      this.#openings.set(connectionId, { fromMs: performance.now(), toMs: Infinity, isOutdated: false }),
    );
    pool.on('connectionPoolCleared', () => {
      for (const opening of this.#openings.values()) opening.isOutdated = true;
    });
    pool.on('connectionReady', (/** @type {any} */ { connectionId }) => {
      const opening = /** @type {Opening} */ (this.#openings.get(connectionId));
      opening.toMs = performance.now();
      this.longestOpeningMs = Math.max(this.longestOpeningMs, opening.toMs - opening.fromMs);
    });
    let hasJustFailed = false;
    pool.on('connectionClosed', (/** @type {any} */ { connectionId }) => {
      hasJustFailed = this.#openings.delete(connectionId);
    });
    pool.on('connectionCheckOutFailed', (/** @type {any} */ { reason }) => {
      // It was neither in the queue nor did its opening fail.
      if (reason === 'connectionError' && !pool.processingWaitQueue && !hasJustFailed) this.#toldDropped++;
      hasJustFailed = false;
    });
  }

  /** The pool's connections and callers, without connections that a clear left to be closed. */
  gauges() {
    if (this.isClosed) return { total: 0, idle: 0, active: 0, connecting: 0, waiting: 0 };
    const pool = this.#pool;
    let stale = 0;
    if (pool.generation > 0) for (const { generation } of pool.connections) if (generation !== pool.generation) stale++;
    return {
      total: pool.totalConnectionCount - stale,
      idle: pool.availableConnectionCount - stale,
      active: pool.currentCheckedOutCount,
      connecting: pool.pendingConnectionCount,
      waiting: this.waiting,
    };
  }

  /** Whether somebody waits whom no connection is being opened for. */
  get isQueued() {
    for (const { cancelled } of this.#pool.waitQueue) if (!cancelled) return true;
    return false;
  }

  /** The requests that hold connections, the longest first. @returns {(string | null)[]} */
  holders() {
    return [...this.#held.values()].map(({ facts }) => facts.requestId);
  }

  /** The openings that a clear may have ended: no event has told of them since. */
  get unconfirmed() {
    return [...this.#openings.values()].filter(({ toMs, isOutdated }) => isOutdated && toMs === Infinity);
  }

  /** How many of them it has ended, without an event. */
  get untoldDropped() {
    const open = [...this.#openings.values()].filter(({ toMs }) => toMs === Infinity).length;
    return open - this.#toldDropped - this.#pool.pendingConnectionCount;
  }

  /** @param {number} index @param {AbortSignal} signal @param {(signal: AbortSignal) => Promise<any>} checkOut */
  #checkOut(index, signal, checkOut) {
    const { request, isNested } = this.#plan.checkouts[index];
    const requestId = String(request);
    /** @type {Facts} */
    const facts = {
      requestId,
      outcome: 'checkOutAborted',
      reason: null,
      connectionId: null,
      isFresh: false,
      openingMs: 0,
      checkOutStartedAtMs: performance.now(),
      checkedOutAtMs: null,
      endedAtMs: NaN,
      behind: [],
    };
    this.checkouts.push(facts);
    this.waiting++;
    let flows = this.#requests.get(request);
    if (!flows) {
      const abort = new AbortController();
      setMaxListeners(Infinity, abort.signal);
      const own = this.#openRequest(requestId, abort.signal);
      flows = { own, last: own, abort };
      this.#requests.set(request, flows);
      this.sums.set(requestId, { waits: [], useMs: 0 });
    }
    const { own, last, abort: ofRequest } = flows;
    const { areAbortsTold } = this.#plan;
    if (areAbortsTold) signal.addEventListener('abort', () => ofRequest.abort(signal.reason));
    return (isNested ? last : own)(() => {
      const checkedOut = checkOut(areAbortsTold ? ofRequest.signal : signal);
      const flow = captureFlow();
      flows.last = flow;
      checkedOut.then(
        (connection) => this.#noteCheckedOut(facts, connection, flow),
        (error) => this.#noteFailed(facts, error, ofRequest.signal),
      );
      return checkedOut;
    });
  }

  /** @param {Facts} facts @param {any} connection @param {Flow} flow */
  #noteCheckedOut(facts, connection, flow) {
    const nowMs = performance.now();
    const { id } = connection;
    const uses = this.#uses.get(id);
    const startedAtMs = facts.checkOutStartedAtMs;
    this.waiting--;
    this.#held.set(connection, { facts, flow });
    facts.connectionId = id;
    facts.checkedOutAtMs = nowMs;
    facts.isFresh = uses === undefined;
    const { fromMs, toMs } = /** @type {Opening} */ (this.#openings.get(id));
    if (!uses && toMs > startedAtMs) facts.openingMs = toMs - Math.max(fromMs, startedAtMs);
    const heldMs = (/** @type {Facts} */ use) => use.endedAtMs - Math.max(Number(use.checkedOutAtMs), startedAtMs);
    facts.behind = (uses ?? [])
      .filter(({ endedAtMs }) => endedAtMs > startedAtMs)
      .sort((a, b) => heldMs(b) - heldMs(a))
      .slice(0, MAX_HOLDERS)
      .map(({ requestId }) => requestId);
    this.#uses.set(id, uses ?? []);
  }

  /** @param {Facts} facts @param {Error} error @param {AbortSignal} signal of its request */
  #noteFailed(facts, error, signal) {
    this.waiting--;
    facts.endedAtMs = performance.now();
    const reason = REASONS[error.name];
    // When the pool is closed, a caller that a connection was being opened for fails after the last event.
    if (reason && (!this.isClosed || reason === 'poolClosed')) {
      facts.outcome = 'checkOutFailed';
      facts.reason = reason;
    }
    const sums = /** @type {RequestTimes} */ (this.sums.get(String(facts.requestId)));
    if (facts.reason || signal.aborted) sums.waits.push([facts.checkOutStartedAtMs, facts.endedAtMs]);
  }

  /** @param {any} connection @param {() => void} checkIn */
  #checkIn(connection, checkIn) {
    const { facts, flow } = /** @type {{ facts: Facts, flow: Flow }} */ (this.#held.get(connection));
    this.#held.delete(connection);
    this.#endUse(facts, connection.closed);
    flow(checkIn);
  }

  /** @param {Facts} facts @param {boolean} hasFailed */
  #endUse(facts, hasFailed) {
    facts.outcome = hasFailed ? 'operationFailed' : 'checkedIn';
    facts.endedAtMs = performance.now();
    const sums = /** @type {RequestTimes} */ (this.sums.get(String(facts.requestId)));
    sums.waits.push([facts.checkOutStartedAtMs, Number(facts.checkedOutAtMs)]);
    sums.useMs += facts.endedAtMs - Number(facts.checkedOutAtMs);
    this.#uses.get(Number(facts.connectionId))?.unshift(facts);
  }

  /** The client hears nothing from a pool once it is closed. */
  #close() {
    this.isClosed = true;
    for (const { facts } of this.#held.values()) this.#endUse(facts, true);
    this.#held.clear();
  }
}

/**
 * Captures the async flow of the code that runs. What runs in it later does not change it.
 * @returns {Flow}
 */
export function captureFlow() {
  const run = AsyncLocalStorage.snapshot();
  return (work) => run(() => new AsyncResource('later').runInAsyncScope(work));
}

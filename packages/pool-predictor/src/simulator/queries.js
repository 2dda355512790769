import { createPool, timeoutsOf } from './create-pool.js';
import { EVENTS, indexOf, kindOf } from './clock.js';
import { createDeadlines } from './deadlines.js';
import { NEVER } from './event-heap.js';
import { createServer } from './shared-cores.js';

/** @import { Clock } from './clock.js' */
/** @import { PoolOptions, Refusal } from './create-pool.js' */
/** @import { Outage } from './driver-pool.js' */
/** @import { Query, QueryOutcome } from './query.js' */
/** @import { ServerOptions } from './shared-cores.js' */
/** @import { Tally } from './tally.js' */

/** The driver's serverSelectionTimeoutMS. */
const SELECTION_MS = 30_000;

/**
 * The queries between the pool and the server:
 *
 *     waiting --serve--> served: delay --workBegins--> work on a core
 *        |                  |                            |
 *        |                  delayEnds                    its last turn ends
 *        |                  v                            v
 *        '--------------> ended: the connection is checked in
 *          refused, timeout or abandoned
 *
 * In an outage, those that wait, and those whose connections break, wait for a server. When it is there again, each
 * starts once more, as with the driver's retryReads and retryWrites.
 */
export class Queries {
  #clock;
  #tally;
  #onEnd;
  #pool;
  #deadlines;
  #timeoutMs;
  /** Whether a timeout ends operations, not only waits. */
  #endsOperations;
  /** The server knows queries by the numbers of their connections. */
  #server;
  /** @type {(Query | undefined)[]} By connection. */
  #served = [];
  #hasChecks;
  /** @type {readonly Outage[]} */
  #outages;
  /** During an outage: when it ends. */
  #readyAtMs = NaN;
  /** @type {{ query: Query, ticket: number }[]} */
  #selecting = [];

  /**
   * @param {object} options
   * @param {PoolOptions} options.pool
   * @param {ServerOptions} [options.server]
   * @param {Clock} options.clock
   * @param {Tally} options.tally
   * @param {(query: Query, outcome: QueryOutcome) => void} options.onEnd not called for one that was abandoned
   */
  constructor({ pool, server, clock, tally, onEnd }) {
    this.#clock = clock;
    this.#tally = tally;
    this.#onEnd = onEnd;
    const { waitMs, operationMs } = timeoutsOf(pool);
    this.#hasChecks = pool.kind !== 'pipelining' && Number(pool.minPoolSize) > 0;
    this.#endsOperations = operationMs < NEVER;
    this.#timeoutMs = waitMs;
    this.#deadlines = createDeadlines(
      waitMs,
      (/** @type {Query} */ query) => query.queuedAtMs,
      (/** @type {Query} */ query) => query.ticket,
    );
    this.#pool = createPool(pool, {
      nowMs: () => clock.nowMs,
      serve: (query, connection) => this.#serve(query, connection),
      connectAfter: (delayMs, connection) => clock.after(delayMs, EVENTS.connected, connection),
      refuse: (query, reason) => this.#refuse(query, reason),
    });
    this.#server =
      server &&
      createServer(server, {
        nowMs: () => clock.nowMs,
        turnEndsAfter: (delayMs, core) => clock.after(delayMs, EVENTS.turnEnds, core),
        finish: (connection) => this.#endWork(connection),
      });
    this.#pool.start();
    this.#outages = (pool.kind !== 'pipelining' && pool.outages) || [];
    this.#outages.forEach(({ atMs, readyMs }, index) => {
      clock.after(atMs, EVENTS.outage, 2 * index);
      clock.after(readyMs, EVENTS.outage, 2 * index + 1);
    });
  }

  /** Whether a query can be aborted. If not, it continues after its user has left. */
  get canAbandon() {
    return this.#pool.abandon !== undefined;
  }

  get mayLoseServer() {
    return this.#outages.length > 0;
  }

  /** How long a wait for a connection, or an operation, may last. */
  get timeoutMs() {
    return this.#timeoutMs;
  }

  connections() {
    return this.#pool.total();
  }

  /** Whether nextCheckMs() ever returns a time. */
  get hasChecks() {
    return this.#hasChecks;
  }

  /** When the pool has to be checked, if the simulation lasts so long. */
  nextCheckMs() {
    return this.#pool.nextCheckMs();
  }

  checkPool() {
    this.#pool.check();
  }

  /** The time at which the next wait for a connection, or operation, times out. */
  nextDeadlineMs() {
    return this.#deadlines.nextMs();
  }

  /** Ends what nextDeadlineMs() returned the deadline of. */
  timeOut() {
    const query = this.#deadlines.pop();
    if (query.state === 'waiting') this.#endWaiting(query, 'waitQueueTimeout');
    else if (this.#endsOperations) {
      this.abandon(query);
      this.#onEnd(query, 'operationTimeout');
    }
  }

  /** Takes a connection. @param {Query} query @param {number} serviceMs */
  start(query, serviceMs) {
    query.state = 'waiting';
    query.request = query.user.request;
    query.serviceMs = serviceMs;
    query.checkOutStartedAtMs = this.#clock.nowMs;
    query.isRetry = false;
    this.#tally.startWaiting();
    if (this.#readyAtMs > this.#clock.nowMs) this.#select(query);
    else this.#checkOut(query);
  }

  /** @param {Query} query */
  #checkOut(query) {
    query.queuedAtMs = this.#clock.nowMs;
    this.#pool.checkOut(query);
    const { state } = /** @type {Query} */ (query);
    if (state === 'waiting') this.#tally.recordPeakWaiting();
    if (state === 'waiting' || (this.#endsOperations && state === 'served')) this.#deadlines.add(query);
  }

  /** @param {Query} query @param {Refusal} reason */
  #refuse(query, reason) {
    if (reason === 'limit') this.#endWaiting(query, 'refused');
    else if (query.isRetry) this.#endWaiting(query, 'connectionError');
    else {
      query.isRetry = true;
      this.#select(query);
    }
  }

  /** Waits for a server. @param {Query} query */
  #select(query) {
    if (!(this.#readyAtMs - this.#clock.nowMs <= SELECTION_MS)) {
      this.#endWaiting(query, 'connectionError');
      return;
    }
    query.ticket++;
    query.state = 'selecting';
    this.#selecting.push({ query, ticket: query.ticket });
  }

  /** @param {Outage} outage that begins */
  #loseServer({ readyMs, losesUses }) {
    this.#readyAtMs = readyMs;
    this.#pool.clear?.();
    this.#pool.failOpenings?.();
    if (!losesUses) return;
    const lost = this.#served.flatMap((query) => query ?? []).sort((a, b) => a.startedAtMs - b.startedAtMs);
    for (const query of lost) {
      const serviceMs = query.serviceMs + query.workMs;
      this.#freeConnection(query);
      this.#tally.loseQuery(query);
      query.serviceMs = serviceMs;
      this.#pool.abandon?.(query.connection);
      this.#refuse(query, 'connectionError');
    }
  }

  #findServer() {
    this.#readyAtMs = NaN;
    this.#pool.ready?.();
    const selecting = this.#selecting;
    this.#selecting = [];
    for (const { query, ticket } of selecting) {
      if (query.ticket !== ticket) continue;
      query.state = 'waiting';
      this.#checkOut(query);
    }
  }

  /** Ends the wait or the query, because its answer is no longer needed. @param {Query} query */
  abandon(query) {
    const { nowMs } = this.#clock;
    const { state } = query;
    query.ticket++;
    query.state = 'ended';
    if (state === 'waiting' || state === 'selecting') {
      this.#tally.stopWaiting(query, nowMs);
      if (state === 'waiting') this.#pool.abortCheckOut?.(query);
    } else if (state === 'served') {
      this.#freeConnection(query);
      this.#tally.endQuery(query, nowMs);
      this.#pool.abandon?.(query.connection);
    }
  }

  /** Its query did not end. @param {Query} query */
  #freeConnection(query) {
    query.serviceMs = this.#clock.nowMs - query.startedAtMs;
    this.#served[query.connection] = undefined;
    if (query.workMs > 0) this.#server?.remove(query.connection);
  }

  /** @param {number} code of an event of a connection, a core or the pool */
  handle(code) {
    const index = indexOf(code);
    switch (kindOf(code)) {
      case EVENTS.delayEnds:
        return this.#endDelay(index);
      case EVENTS.turnEnds:
        return this.#server?.endTurn(index);
      case EVENTS.workBegins:
        return this.#beginWork(index);
      case EVENTS.connected:
        return this.#pool.connected(index);
      case EVENTS.outage:
        return index % 2 === 0 ? this.#loseServer(this.#outages[index / 2]) : this.#findServer();
      default:
        return this.#pool.checkIn(index);
    }
  }

  /** @param {Query} query @param {number} connection */
  #serve(query, connection) {
    const { nowMs } = this.#clock;
    query.state = 'served';
    query.connection = connection;
    query.startedAtMs = nowMs;
    this.#served[connection] = query;
    this.#tally.startQuery(query, nowMs);
    // Without a server, or without work, the whole service time is a delay.
    query.workMs = this.#server ? query.serviceMs * query.route.workShare : 0;
    query.serviceMs -= query.workMs;
    this.#clock.after(query.serviceMs, query.workMs > 0 ? EVENTS.workBegins : EVENTS.delayEnds, connection);
  }

  /**
   * Finds the query whose delay ends now. The event of an abandoned query is still in the heap, and must not end the
   * connection's next one.
   *
   * @param {number} connection
   */
  #findDelayed(connection) {
    const query = this.#served[connection];
    return query && query.startedAtMs + query.serviceMs === this.#clock.nowMs ? query : undefined;
  }

  /** @param {number} connection */
  #beginWork(connection) {
    const query = this.#findDelayed(connection);
    if (query) this.#server?.add(connection, query.workMs);
  }

  /** @param {number} connection */
  #endWork(connection) {
    const query = /** @type {Query} */ (this.#served[connection]);
    query.serviceMs = this.#clock.nowMs - query.startedAtMs;
    this.#end(query, connection);
  }

  /** @param {number} connection */
  #endDelay(connection) {
    const query = this.#findDelayed(connection);
    if (query) this.#end(query, connection);
  }

  /** @param {Query} query @param {number} connection */
  #end(query, connection) {
    this.#served[connection] = undefined;
    this.#tally.endQuery(query, this.#clock.nowMs);
    if (query.breaks && this.#pool.abandon) {
      this.#pool.abandon(connection);
    } else if (query.handoverMs > 0 && this.#tally.waiting > 0) {
      this.#clock.after(query.handoverMs, EVENTS.handedOver, connection);
    } else {
      this.#pool.checkIn(connection);
    }
    query.ticket++;
    query.state = 'ended';
    this.#onEnd(query, 'ok');
  }

  /** @param {Query} query @param {'refused' | 'connectionError' | 'waitQueueTimeout'} outcome */
  #endWaiting(query, outcome) {
    query.ticket++;
    query.state = 'ended';
    this.#tally.stopWaiting(query, this.#clock.nowMs);
    if (outcome === 'waitQueueTimeout') this.#pool.abortCheckOut?.(query);
    this.#onEnd(query, outcome);
  }
}

import { NEVER } from './event-heap.js';
import { createFifo } from './fifo.js';

/** @import { Fifo } from './fifo.js' */
/** @import { CloseReason, Pool, PoolHost } from './create-pool.js' */
/** @import { Query } from './query.js' */

/** How often the driver looks after its connections. */
const CHECK_EVERY_MS = 100;
/** Stands for no connection. */
const NONE = -1;

/**
 * A time in which a pool gives no connections, because the driver has lost its server and cleared it.
 *
 * @typedef {object} Outage
 * @property {number} atMs when it was cleared
 * @property {number} readyMs when it was ready again
 * @property {boolean} losesUses whether the operations that had connections failed then, and were tried again
 *
 * @typedef {object} DriverPoolOptions
 * @property {'driver'} [kind]
 * @property {number} maxPoolSize at least 1
 * @property {number} [minPoolSize] default 0
 * @property {number} [maxConnecting] how many connections may be pending at once, default 2
 * @property {number | number[]} [connectMs] how long it takes to establish a connection, default 0; several: the first,
 *   the second one and so on, again and again
 * @property {number} [maxIdleTimeMS] a connection that nobody needed for longer is closed; default 0: never
 * @property {number} [waitQueueTimeoutMS] default 0: no timeout
 * @property {number} [timeoutMS] how long an operation may take, its wait included; it replaces waitQueueTimeoutMS, as
 *   in driver 6.20 and 7.0 (in 6.22 and 7.9 it has no effect); default 0: none
 * @property {number} [requestTimeoutMs] the request deadline: after that long the app aborts the query and answers with
 *   an error; default 0: none
 * @property {number} [checkEveryMs] how often it looks after its connections, default 100: the driver's
 *   minPoolSizeCheckFrequencyMS, which is for tests of the driver
 * @property {Outage[]} [outages] when the driver has no server, in order of time
 * @property {boolean | number} [warm] how many connections are open at the start; true, the default: all; false: none
 */

/**
 * The pool of the Node.js driver 7:
 * https://github.com/mongodb/node-mongodb-native/blob/main/src/cmap/connection_pool.ts
 *
 * It has one first-in, first-out wait queue without a limit, and last-in, first-out idle connections. A request that
 * makes the pool open a connection leaves the queue and gets that connection. A later request can overtake it by taking
 * a connection that is checked in meanwhile. An aborted query closes its connection.
 *
 * Every 100 ms the driver closes what was idle for too long, and opens one connection if it has fewer than minPoolSize;
 * while it opens that one, it does not check. A check that would do nothing is not an event here: what it would have
 * closed is closed before anybody looks.
 *
 * A clear ends the generation of all connections, and pauses the pool until it is ready again: callers are refused,
 * whoever waits too. Connections of an older generation are closed when they are idle and the pool is ready.
 *
 * @implements {Pool}
 */
export class DriverPool {
  #host;
  #maxPoolSize;
  #minPoolSize;
  #maxConnecting;
  #connectMs;
  #opened = 0;
  #maxIdleTimeMS;
  #checkEveryMs;
  /** @type {number[]} The last one is checked out next. */
  #idle = [];
  /** @type {number[]} Last use of each connection where it matters, in whole milliseconds as the driver counts. */
  #lastUseMs = [];
  /** @type {Fifo<Query>} */
  #waitQueue = createFifo();
  /** @type {(Query | undefined)[]} By connection: the request it is opened for. */
  #pendingFor = [];
  /** @type {number[]} */
  #pendingTicket = [];
  /** Numbers of closed connections, to be used again. @type {number[]} */
  #closed = [];
  #created = 0;
  #isReady = true;
  #isClosed = false;
  /** How many clears there were. */
  #generation = 0;
  /** @type {number[]} By connection. */
  #generationOf = [];
  /** @type {number[]} By connection: since when it is idle and of an older generation. */
  #staleFromMs = [];
  /** Those being opened, while that may fail. @type {Set<number>} */
  #pending = new Set();
  /** Those whose opening failed before it would have ended. @type {Set<number>} */
  #failed = new Set();
  /** When the driver last checked: the next time is 100 ms later. NaN while it opens a connection for minPoolSize. */
  #checkedAtMs = 0;
  #checkAtMs = NEVER;
  #connecting = 0;
  /** @type {{ query: Query, connection: number }[]} Queries that get connections at the end of the scan. */
  #granted = [];
  #warm;

  /** @param {DriverPoolOptions} options @param {PoolHost} host */
  constructor(
    {
      maxPoolSize,
      minPoolSize = 0,
      maxConnecting = 2,
      connectMs = 0,
      maxIdleTimeMS = 0,
      checkEveryMs = CHECK_EVERY_MS,
      warm = true,
    },
    host,
  ) {
    this.#host = host;
    this.#maxPoolSize = maxPoolSize;
    this.#minPoolSize = minPoolSize;
    this.#maxConnecting = maxConnecting;
    this.#connectMs = typeof connectMs === 'number' ? [connectMs] : connectMs;
    this.#maxIdleTimeMS = maxIdleTimeMS;
    this.#checkEveryMs = checkEveryMs;
    this.#warm = typeof warm === 'number' ? Math.min(warm, maxPoolSize) : warm ? maxPoolSize : 0;
  }

  start() {
    this.#created = this.#warm;
    for (let connection = this.#warm - 1; connection >= 0; connection--) this.#keepIdle(connection);
    this.check();
  }

  total() {
    this.#closeExpired();
    return this.#total();
  }

  #total() {
    return this.#created - this.#closed.length - this.#failed.size;
  }

  /** @param {Query} query */
  checkOut(query) {
    this.#closeExpired();
    if (this.#waitQueue.size() === 0 && this.#isReady) {
      const connection = this.#takeIdle();
      if (connection !== NONE) {
        this.#host.serve(query, connection);
        return;
      }
    }
    this.#waitQueue.push(query, query.ticket);
    this.#processWaitQueue();
  }

  /** @param {number} connection */
  checkIn(connection) {
    this.#closeExpired();
    if (this.#isClosed) this.#close(connection, 'poolClosed');
    else if (this.isStale(connection)) this.#close(connection, 'stale');
    else this.#keepIdle(connection);
    if (this.#waitQueue.size() > 0) this.#processWaitQueue();
    else this.#planCheck();
  }

  /** @param {number} connection */
  abandon(connection) {
    this.#closeExpired();
    this.#close(connection, 'error');
    this.#processWaitQueue();
  }

  /** @param {number} connection */
  connected(connection) {
    if (this.#forgetFailed(connection)) return;
    this.#closeExpired();
    const query = this.#endOpening(connection);
    if (!this.#isReady) {
      // The driver has no event for that.
      this.#closed.push(connection);
      if (query) this.#host.refuse(query, 'poolCleared');
      return;
    }
    if (query) {
      // The next one is being opened before the caller hears of this one.
      this.#processWaitQueue();
      this.#host.serve(query, connection);
      return;
    }
    // Opened for minPoolSize, or its request gave up: all other idle connections are checked out before it.
    this.#idle.unshift(connection);
    if (this.isStale(connection)) this.#staleFromMs[connection] = this.#host.nowMs();
    this.#noteUse(connection);
    this.#processWaitQueue();
  }

  /** The opening of a connection ends without one. @param {number} connection */
  failOpening(connection) {
    if (this.#forgetFailed(connection)) return;
    this.#closed.push(connection);
    this.#noteFailed(connection);
  }

  /** All openings that are under way fail now. */
  failOpenings() {
    for (const connection of [...this.#pending]) {
      this.#failed.add(connection);
      this.#noteFailed(connection);
    }
  }

  /** @param {number} connection whose opening would end now @returns {boolean} whether it failed before */
  #forgetFailed(connection) {
    const hasFailed = this.#failed.delete(connection);
    if (hasFailed) this.#closed.push(connection);
    return hasFailed;
  }

  /** @param {number} connection */
  #noteFailed(connection) {
    this.#closeExpired();
    const isForMinimum = this.#pendingFor[connection] === undefined;
    const query = this.#endOpening(connection);
    this.#host.closed?.(connection, 'error', this.#host.nowMs());
    if (query) this.#host.refuse(query, 'connectionError');
    // The driver does not look at its queue after one for minPoolSize.
    if (isForMinimum) this.#planCheck();
    else this.#processWaitQueue();
  }

  /**
   * @param {number} connection
   * @returns {Query | undefined} the request that it was opened for, if that still waits
   */
  #endOpening(connection) {
    this.#connecting--;
    this.#pending.delete(connection);
    const query = this.#pendingFor[connection];
    this.#pendingFor[connection] = undefined;
    if (!query && this.#isReady) {
      this.#checkedAtMs = this.#host.nowMs();
      this.#checkAtMs = NEVER;
    }
    return query && query.ticket === this.#pendingTicket[connection] ? query : undefined;
  }

  clear() {
    if (this.#isClosed) return;
    this.#closeExpired();
    this.#generation++;
    for (const connection of this.#idle) this.#staleFromMs[connection] = this.#host.nowMs();
    this.#isReady = false;
    this.#stopChecks();
    this.#processWaitQueue();
  }

  ready() {
    if (this.#isReady || this.#isClosed) return;
    this.#isReady = true;
    this.check();
  }

  close() {
    if (this.#isClosed) return;
    this.#closeExpired();
    this.#isClosed = true;
    this.#isReady = false;
    this.#stopChecks();
    this.#processWaitQueue();
    this.#closeIdle((connection) => {
      this.#close(connection, 'poolClosed');
      return true;
    });
    this.failOpenings();
  }

  /** Whether the pool was cleared since the connection was opened. @param {number} connection */
  isStale(connection) {
    return this.#generation > 0 && !this.#isClosed && this.#generationOf[connection] !== this.#generation;
  }

  /** No check before that time opens a connection. */
  nextCheckMs() {
    return this.#checkAtMs;
  }

  /** What the driver does every 100 ms. */
  check() {
    this.#closeExpired();
    this.#checkedAtMs = this.#host.nowMs();
    this.#checkAtMs = NEVER;
    this.#closeIdle((connection) => this.#closeIfPerished(connection));
    if (this.#total() < this.#minPoolSize && this.#connecting < this.#maxConnecting) {
      this.#checkedAtMs = NaN;
      this.#connect();
    } else this.#planCheck();
  }

  #stopChecks() {
    this.#checkAtMs = NEVER;
    this.#checkedAtMs = NaN;
  }

  #planCheck() {
    if (this.#minPoolSize === 0 || Number.isNaN(this.#checkedAtMs)) return;
    if (this.#total() < this.#minPoolSize) {
      this.#checkAtMs = Math.min(this.#checkAtMs, this.#firstCheckFrom(this.#host.nowMs(), false));
    } else if (this.#mayPerish() && (this.#checkAtMs === NEVER || this.#generation > 0)) {
      const firstMs = this.#idle.reduce((least, connection) => Math.min(least, this.#perishesAtMs(connection)), NEVER);
      this.#checkAtMs = Math.min(this.#checkAtMs, this.#firstCheckFrom(firstMs, true));
    }
  }

  /**
   * The time of the first check that is still to come.
   * @param {number} ms @param {boolean} isIncluded whether it may be at that time
   */
  #firstCheckFrom(ms, isIncluded) {
    const checks = (ms - this.#checkedAtMs) / this.#checkEveryMs;
    return (
      this.#checkedAtMs + this.#checkEveryMs * Math.max(1, isIncluded ? Math.ceil(checks) : Math.floor(checks) + 1)
    );
  }

  /** Closes what the checks until now would have closed. */
  #closeExpired() {
    if (!this.#mayPerish() || !(this.#host.nowMs() - this.#checkedAtMs >= this.#checkEveryMs)) return;
    this.#closeIdle((connection) => {
      const closedAtMs = this.#firstCheckFrom(this.#perishesAtMs(connection), true);
      return closedAtMs <= this.#host.nowMs() && this.#closeIfPerished(connection, closedAtMs);
    });
  }

  /**
   * Goes through them as the driver does, from the one that was used last.
   * @param {(connection: number) => boolean} closes whether it closes that one
   */
  #closeIdle(closes) {
    const idle = this.#idle;
    for (let place = idle.length - 1; place >= 0; place--) if (closes(idle[place])) idle.splice(place, 1);
  }

  #mayPerish() {
    return this.#idle.length > 0 && (this.#maxIdleTimeMS > 0 || this.#generation > 0);
  }

  /** @param {number} connection an idle one @returns {number} when the next check would close it */
  #perishesAtMs(connection) {
    if (this.isStale(connection)) return this.#staleFromMs[connection];
    return this.#maxIdleTimeMS > 0 ? this.#lastUseMs[connection] + this.#maxIdleTimeMS + 1 : NEVER;
  }

  /**
   * @param {number} connection an idle one
   * @param {number} [atMs] of the check
   * @returns {boolean} whether it is closed now
   */
  #closeIfPerished(connection, atMs = this.#host.nowMs()) {
    const isPerished = this.#perishesAtMs(connection) <= atMs;
    if (isPerished) this.#close(connection, this.isStale(connection) ? 'stale' : 'idle', atMs);
    return isPerished;
  }

  /** @param {number} connection @param {CloseReason} reason @param {number} [atMs] */
  #close(connection, reason, atMs = this.#host.nowMs()) {
    this.#closed.push(connection);
    this.#host.closed?.(connection, reason, atMs);
  }

  /** @param {Query} [query] */
  #connect(query) {
    const connection = this.#closed.pop() ?? this.#created++;
    this.#connecting++;
    this.#pending.add(connection);
    this.#generationOf[connection] = this.#generation;
    this.#pendingFor[connection] = query;
    this.#pendingTicket[connection] = query ? query.ticket : 0;
    this.#host.connectAfter(this.#connectMs[this.#opened++ % this.#connectMs.length], connection);
  }

  /** @param {number} connection */
  #keepIdle(connection) {
    this.#idle.push(connection);
    this.#noteUse(connection);
  }

  /** @param {number} connection */
  #noteUse(connection) {
    if (this.#maxIdleTimeMS > 0) this.#lastUseMs[connection] = Math.floor(this.#host.nowMs());
  }

  #processWaitQueue() {
    const queue = this.#waitQueue;
    while (queue.size() > 0) {
      const query = queue.first();
      if (query.ticket !== queue.firstTicket()) queue.shift();
      else if (!this.#isReady) {
        queue.shift();
        this.#host.refuse(query, this.#isClosed ? 'poolClosed' : 'poolCleared');
      } else {
        const connection = this.#takeIdle();
        if (connection === NONE && (this.#connecting >= this.#maxConnecting || this.#total() >= this.#maxPoolSize))
          break;
        queue.shift();
        if (connection === NONE) this.#connect(query);
        else if (queue.size() > 0) this.#granted.push({ query, connection });
        else {
          this.#serveGranted();
          this.#host.serve(query, connection);
        }
      }
    }
    this.#serveGranted();
    this.#planCheck();
  }

  /** Serves after what is opened for others: a caller hears of its connection when the driver has done all this. */
  #serveGranted() {
    const granted = this.#granted;
    if (granted.length === 0) return;
    this.#granted = [];
    for (const { query, connection } of granted) this.#host.serve(query, connection);
  }

  /** @returns {number} the connection that was used last, or NONE */
  #takeIdle() {
    const idle = this.#idle;
    if (this.#maxIdleTimeMS === 0 && this.#generation === 0) return idle.pop() ?? NONE;
    while (idle.length > 0) {
      const connection = /** @type {number} */ (idle.pop());
      if (!this.#closeIfPerished(connection)) return connection;
    }
    return NONE;
  }
}

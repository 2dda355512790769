import { createFifo } from './fifo.js';

/** @import { Fifo } from './fifo.js' */
/** @import { Pool, PoolHost } from './create-pool.js' */
/** @import { Query } from './query.js' */

// How often the driver checks minPoolSize (its minPoolSizeCheckFrequencyMS).
const MIN_POOL_CHECK_MS = 100;

/**
 * @typedef {object} DriverPoolOptions
 * @property {'driver'} [kind]
 * @property {number} maxPoolSize at least 1
 * @property {number} [minPoolSize] default 0
 * @property {number} [maxConnecting] how many connections may be pending at once, default 2
 * @property {number | number[]} [connectMs] how long it takes to establish a connection, default 0; several: the first,
 *   the second one and so on, again and again
 * @property {number} [maxIdleTimeMS] a connection that nobody needed for longer is closed; default 0: never. Those of
 *   minPoolSize are kept: the driver opens them again before anybody asks
 * @property {number} [waitQueueTimeoutMS] default 0: no timeout
 * @property {number} [timeoutMS] how long an operation may take, its wait included; it replaces waitQueueTimeoutMS, as
 *   in driver 6.20 and 7.0 (in 6.22 and 7.9 it has no effect); default 0: none
 * @property {number} [requestTimeoutMs] the request deadline: after that long the app aborts the query and answers with
 *   an error; default 0: none
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
  /** @type {number[]} The last one is checked out next. */
  #idle = [];
  /** @type {number[]} By connection, where it matters. */
  #idleSinceMs = [];
  /** @type {Fifo<Query>} */
  #waitQueue = createFifo();
  /** @type {(Query | undefined)[]} By connection: the request it is opened for. */
  #pendingFor = [];
  /** @type {number[]} */
  #pendingTicket = [];
  /** Numbers of closed connections, to be used again. @type {number[]} */
  #closed = [];
  #created = 0;
  #isFilling = false;
  #connecting = 0;
  #warm;

  /** @param {DriverPoolOptions} options @param {PoolHost} host */
  constructor(
    { maxPoolSize, minPoolSize = 0, maxConnecting = 2, connectMs = 0, maxIdleTimeMS = 0, warm = true },
    host,
  ) {
    this.#host = host;
    this.#maxPoolSize = maxPoolSize;
    this.#minPoolSize = minPoolSize;
    this.#maxConnecting = maxConnecting;
    this.#connectMs = typeof connectMs === 'number' ? [connectMs] : connectMs;
    this.#maxIdleTimeMS = maxIdleTimeMS;
    this.#warm = typeof warm === 'number' ? Math.min(warm, maxPoolSize) : warm ? maxPoolSize : 0;
  }

  start() {
    this.#created = this.#warm;
    for (let connection = this.#warm - 1; connection >= 0; connection--) this.#keepIdle(connection);
    if (this.total() < this.#minPoolSize) this.check();
  }

  total() {
    return this.#created - this.#closed.length;
  }

  /** @param {Query} query */
  checkOut(query) {
    if (this.#maxIdleTimeMS > 0) this.#closeIdle();
    this.#waitQueue.push(query, query.ticket);
    this.#processWaitQueue();
  }

  /** @param {number} connection */
  checkIn(connection) {
    this.#keepIdle(connection);
    this.#processWaitQueue();
  }

  /** @param {number} connection */
  abandon(connection) {
    this.#closed.push(connection);
    this.#processWaitQueue();
    if (this.#isFilling || this.total() >= this.#minPoolSize) return;
    this.#isFilling = true;
    this.#host.checkAfter(MIN_POOL_CHECK_MS);
  }

  /** @param {number} connection */
  connected(connection) {
    this.#connecting--;
    const query = this.#pendingFor[connection];
    this.#pendingFor[connection] = undefined;
    if (query && query.ticket === this.#pendingTicket[connection]) {
      this.#host.serve(query, connection);
    } else {
      // Opened for minPoolSize, or its request gave up: all other idle connections are checked out before it.
      this.#idle.unshift(connection);
      this.#idleSinceMs[connection] = this.#host.nowMs();
    }
    this.#processWaitQueue();
    if (!query) this.#host.checkAfter(MIN_POOL_CHECK_MS);
  }

  /** The driver checks forever. Here checks stop while the pool has its minimum, so that the simulation can end. */
  check() {
    this.#isFilling = this.total() < this.#minPoolSize;
    if (!this.#isFilling) return;
    if (this.#connecting < this.#maxConnecting) this.#connect();
    else this.#host.checkAfter(MIN_POOL_CHECK_MS);
  }

  /** @param {Query} [query] */
  #connect(query) {
    const connection = this.#closed.pop() ?? this.#created++;
    this.#connecting++;
    this.#pendingFor[connection] = query;
    this.#pendingTicket[connection] = query ? query.ticket : 0;
    this.#host.connectAfter(this.#connectMs[this.#opened++ % this.#connectMs.length], connection);
  }

  /** @param {number} connection */
  #keepIdle(connection) {
    this.#idle.push(connection);
    if (this.#maxIdleTimeMS > 0) this.#idleSinceMs[connection] = this.#host.nowMs();
  }

  /** Closes what has been idle for too long. The driver does it every 100 ms, and when it looks for a connection. */
  #closeIdle() {
    const beforeMs = this.#host.nowMs() - this.#maxIdleTimeMS;
    const mayClose = this.total() - this.#minPoolSize;
    let expired = 0;
    while (expired < Math.min(this.#idle.length, mayClose) && this.#idleSinceMs[this.#idle[expired]] < beforeMs)
      expired++;
    if (expired > 0) this.#closed.push(...this.#idle.splice(0, expired));
  }

  #processWaitQueue() {
    const queue = this.#waitQueue;
    const idle = this.#idle;
    while (queue.size() > 0) {
      const query = queue.first();
      const isCurrent = query.ticket === queue.firstTicket();
      const canConnect = this.#connecting < this.#maxConnecting && this.total() < this.#maxPoolSize;
      if (isCurrent && idle.length === 0 && !canConnect) return;
      queue.shift();
      if (!isCurrent) continue;
      if (idle.length > 0) this.#host.serve(query, /** @type {number} */ (idle.pop()));
      else this.#connect(query);
    }
  }
}

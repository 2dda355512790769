import { DriverPool } from './driver-pool.js';
import { createFifo } from './fifo.js';

/** @import { Fifo } from './fifo.js' */
/** @import { Pool, PoolHost } from './create-pool.js' */
/** @import { User } from './users.js' */

/**
 * Slow routes are kept from using all connections. All connections are open from the start.
 * - split: slow routes have a separate pool with `slowSize` of the connections;
 * - limited: all routes share the pool, but at most `slowSize` requests of slow routes use it or wait for it at once. The
 *   next ones wait in the app.
 *
 * @typedef {object} Division
 * @property {number} maxPoolSize all connections together
 * @property {string[]} slowRoutes
 * @property {number} slowSize at least 1; less than maxPoolSize when split
 */

/** @typedef {({ kind: 'split' } & Division) | ({ kind: 'limited' } & Division)} DividedPoolOptions */

/** Two pools of today's driver, side by side. @param {Division} options @param {PoolHost} host @returns {Pool} */
export function createSplitPool({ maxPoolSize, slowRoutes, slowSize }, host) {
  // Connections of the pool for slow routes have odd numbers, the others even ones.
  const [common, slow] = [maxPoolSize - slowSize, slowSize].map((size, odd) => (
    new DriverPool({ maxPoolSize: size }, {
      ...host,
      serve: (user, connection) => host.serve(user, connection * 2 + odd),
      connectAfter: (delayMs, connection) => host.connectAfter(delayMs, connection * 2 + odd),
    })));
  const poolOf = (/** @type {number} */ connection) => (connection % 2 === 1 ? slow : common);
  return {
    start() {
      common.start();
      slow.start();
    },
    checkOut: (user) => (slowRoutes.includes(user.route.name) ? slow : common).checkOut(user),
    checkIn: (connection) => poolOf(connection).checkIn(connection >> 1),
    abandon: (connection) => poolOf(connection).abandon(connection >> 1),
    connected: (connection) => poolOf(connection).connected(connection >> 1),
    check() {},
    total: () => common.total() + slow.total(),
  };
}

/**
 * A pool of today's driver, with a concurrency limit for slow routes before it.
 *
 * @implements {Pool}
 */
export class LimitedPool {
  #slowRoutes;
  #limit;
  #pool;
  /** Requests of slow routes that the limit keeps from the pool. @type {Fifo<User>} */
  #queue = createFifo();
  /** @type {boolean[]} By connection: whether it serves a slow route. */
  #servesSlow = [];
  /** Admitted requests of slow routes that wait for a connection. @type {Set<User>} */
  #waiting = new Set();
  #admitted = 0;

  /** @param {Division} options @param {PoolHost} host */
  constructor({ maxPoolSize, slowRoutes, slowSize }, host) {
    this.#slowRoutes = slowRoutes;
    this.#limit = slowSize;
    this.#pool = new DriverPool({ maxPoolSize }, {
      ...host,
      serve: (user, connection) => {
        this.#servesSlow[connection] = slowRoutes.includes(user.route.name);
        this.#waiting.delete(user);
        host.serve(user, connection);
      },
    });
  }

  start() {
    this.#pool.start();
  }

  total() {
    return this.#pool.total();
  }

  /** @param {number} connection */
  connected(connection) {
    this.#pool.connected(connection);
  }

  check() {}

  /** @param {User} user */
  checkOut(user) {
    if (!this.#slowRoutes.includes(user.route.name)) this.#pool.checkOut(user);
    else if (this.#admitted < this.#limit) this.#admit(user);
    else this.#queue.push(user, user.ticket);
  }

  /** @param {number} connection */
  checkIn(connection) {
    const wasSlow = this.#servesSlow[connection];
    this.#pool.checkIn(connection);
    if (wasSlow) this.#admitNext();
  }

  /** @param {number} connection */
  abandon(connection) {
    const wasSlow = this.#servesSlow[connection];
    this.#pool.abandon(connection);
    if (wasSlow) this.#admitNext();
  }

  /** @param {User} user */
  abortCheckOut(user) {
    if (this.#waiting.delete(user)) this.#admitNext();
  }

  /** @param {User} user */
  #admit(user) {
    this.#admitted++;
    this.#waiting.add(user);
    this.#pool.checkOut(user);
  }

  #admitNext() {
    this.#admitted--;
    while (this.#admitted < this.#limit && this.#queue.size() > 0) {
      const user = this.#queue.first();
      const isCurrent = user.ticket === this.#queue.firstTicket();
      this.#queue.shift();
      if (isCurrent) this.#admit(user);
    }
  }
}

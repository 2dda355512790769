// The driver's own connection pool in virtual time: what models of it are compared with.
import { createRequire } from 'node:module';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import timers from 'node:timers';

/**
 * What happens to a pool. Times are multiples of 1/1024 ms, so that their sums are exact.
 *
 * @typedef {object} Schedule
 * @property {number} seed
 * @property {{ maxPoolSize: number, minPoolSize: number, maxConnecting: number, maxIdleTimeMS: number,
 *   waitQueueTimeoutMS: number }} options of the pool
 * @property {number[]} connectMs how long the first opening takes, the second, and so on, again and again
 * @property {PlannedCheckout[]} checkouts
 * @property {number} untilMs
 *
 * @typedef {{ atMs: number, useMs: number, abortAtMs: number }} PlannedCheckout abortAtMs: Infinity for never; a use
 *   that is aborted closes its connection
 *
 * @typedef {object} Followed
 * @property {(EndedWait | null)[]} waits of the checkouts; null: it still waited at the end
 * @property {{ total: number, idle: number, pending: number }} end the pool's connections at the end
 *
 * @typedef {{ outcome: 'checkedOut' | 'timeout' | 'aborted', atMs: number, connection: number }} EndedWait connection:
 *   its number, which counts from 1; 0 for none
 */

const require = createRequire(import.meta.url);

/** Timers that fire in the order of their times, and of two at the same time, the one set first. */
export class VirtualTime {
  nowMs = 0;
  #count = 0;
  /** @type {{ atMs: number, order: number, fire: () => void }[]} */
  #timers = [];

  /** @param {() => void} fire @param {number} atMs */
  at(atMs, fire) {
    const timer = { atMs, order: this.#count++, fire };
    let place = this.#timers.length;
    while (place > 0 && this.#timers[place - 1].atMs <= atMs) place--;
    this.#timers.splice(place, 0, timer);
    return timer;
  }

  /** @param {unknown} timer */
  clear(timer) {
    const place = this.#timers.indexOf(/** @type {any} */ (timer));
    if (place >= 0) this.#timers.splice(place, 1);
  }

  /** The time of the next timer; Infinity if there is none. */
  get nextMs() {
    return this.#timers[this.#timers.length - 1]?.atMs ?? Infinity;
  }

  /** Goes to the next timer. */
  next() {
    const timer = this.#timers.pop();
    if (!timer) return;
    this.nowMs = timer.atMs;
    timer.fire();
  }
}

/** Lets everything that is due now happen: promises, microtasks and process.nextTick. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

/**
 * Loads the driver's pool, which is private. Call it once in a process of its own: it replaces the clock, the timers of
 * node:timers and the driver's connect.
 *
 * @param {string} [folder] of the driver's package, default: the installed one
 * @returns {(schedule: Schedule) => Promise<Followed>}
 * @throws {Error} if this version has no such pool
 */
export function loadDriverPool(folder = path.dirname(require.resolve('mongodb/package.json'))) {
  const lib = path.join(folder, 'lib');
  const { ConnectionPool } = require(path.join(lib, 'cmap/connection_pool.js'));
  const { Connection } = require(path.join(lib, 'cmap/connection.js'));
  const { TimeoutContext } = require(path.join(lib, 'timeout.js'));
  const { HostAddress } = require(path.join(lib, 'utils.js'));
  const connector = require(path.join(lib, 'cmap/connect.js'));
  let time = new VirtualTime();
  /** @type {number[]} */
  let connectMs = [];
  let opened = 0;
  performance.now = () => time.nowMs;
  Object.assign(process, {
    hrtime: () => [Math.floor(time.nowMs / 1000), Math.round((time.nowMs % 1000) * 1e6)],
  });
  Object.assign(timers, {
    setTimeout: (/** @type {() => void} */ fire, /** @type {number} */ ms) => time.at(time.nowMs + ms, fire),
    clearTimeout: (/** @type {unknown} */ timer) => time.clear(timer),
  });
  connector.connect = (/** @type {object} */ options) =>
    new Promise((resolve) => {
      const ms = connectMs[opened++ % connectMs.length];
      time.at(time.nowMs + ms, () => resolve(new Connection(new PassThrough(), options)));
    });

  return async ({ options, checkouts, untilMs, ...schedule }) => {
    time = new VirtualTime();
    ({ connectMs } = schedule);
    opened = 0;
    const { waitQueueTimeoutMS } = options;
    const client = { options: { metadata: {} }, s: { authProviders: {} } };
    const server = { topology: { client }, description: { error: null }, handleError() {} };
    const pool = new ConnectionPool(server, { ...options, hostAddress: new HostAddress('db:27017') });
    /** @type {Followed['waits']} */
    const waits = checkouts.map(() => null);
    checkouts.forEach(({ atMs, useMs, abortAtMs }, index) => {
      const abort = new AbortController();
      /** @type {any} */
      let used;
      time.at(atMs, () => {
        if (abortAtMs < Infinity)
          time.at(abortAtMs, () => {
            abort.abort(new Error('aborted'));
            if (!used) return;
            used.onError(new Error('aborted'));
            pool.checkIn(used);
            used = null;
          });
        const timeoutContext = TimeoutContext.create({ serverSelectionTimeoutMS: 0, waitQueueTimeoutMS });
        pool.checkOut({ timeoutContext, signal: abort.signal }).then(
          (/** @type {any} */ connection) => {
            used = connection;
            waits[index] = { outcome: 'checkedOut', atMs: time.nowMs, connection: connection.id };
            time.at(time.nowMs + useMs, () => {
              if (used) pool.checkIn(used);
              used = null;
            });
          },
          (/** @type {Error} */ error) => {
            const outcome = error.message === 'aborted' ? 'aborted' : 'timeout';
            waits[index] = { outcome, atMs: time.nowMs, connection: 0 };
          },
        );
      });
    });
    pool.ready();
    await settle();
    while (time.nextMs <= untilMs) {
      time.next();
      await settle();
    }
    const end = {
      total: pool.totalConnectionCount,
      idle: pool.availableConnectionCount,
      pending: pool.pendingConnectionCount,
    };
    const followed = { waits: waits.slice(), end };
    pool.close();
    await settle();
    return followed;
  };
}

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
 * @property {PlannedOpening[]} openings the first one, the second, and so on, again and again
 * @property {boolean} failureClears whether an opening that fails also clears the pool, as it does in a client
 * @property {PlannedCheckout[]} checkouts
 * @property {{ atMs: number, verb: PoolVerb }[]} verbs what a client does with its pool, which begins ready
 * @property {number} untilMs
 *
 * @typedef {{ ms: number, fails: boolean }} PlannedOpening
 *
 * @typedef {'clear' | 'interrupt' | 'ready' | 'close'} PoolVerb interrupt: clears, and closes the connections in use
 *
 * @typedef {{ atMs: number, useMs: number, abortAtMs: number }} PlannedCheckout abortAtMs: Infinity for never; a use
 *   that is aborted closes its connection
 *
 * @typedef {object} Followed
 * @property {(EndedWait | null)[]} waits of the checkouts; null: it still waited at the end
 * @property {PoolEvent[]} events all of them
 * @property {{ total: number, idle: number, pending: number }} end the pool's connections at the end
 *
 * @typedef {object} PoolEvent
 * @property {string} type such as ConnectionCheckedOut
 * @property {number} atMs
 * @property {string} address of the server
 * @property {number} [connectionId] counts from 1
 * @property {number} [duration] in whole milliseconds
 * @property {string} [reason]
 * @property {object} [options] of the pool
 * @property {boolean} [interruptInUseConnections]
 *
 * @typedef {{ outcome: WaitOutcome, atMs: number, connection: number }} EndedWait connection: its number, which counts
 *   from 1; 0 for none
 *
 * @typedef {'checkedOut' | 'timeout' | 'aborted' | 'poolCleared' | 'poolClosed' | 'connectionError'} WaitOutcome
 *
 * @typedef {object} Observer
 * @property {(pool: any) => void} [created] before anything happens to the pool
 * @property {() => void} [settled] when all is done that is due at one instant
 */

const require = createRequire(import.meta.url);

/** The address of the server that all pools connect to. */
export const ADDRESS = 'db:27017';
const EVENTS = [
  'connectionPoolCreated',
  'connectionPoolReady',
  'connectionPoolCleared',
  'connectionPoolClosed',
  'connectionCreated',
  'connectionReady',
  'connectionClosed',
  'connectionCheckOutStarted',
  'connectionCheckOutFailed',
  'connectionCheckedOut',
  'connectionCheckedIn',
];

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

/** What an operation ends with that was aborted. */
const ABORTED = new Error('aborted');

/**
 * Loads the driver's pool, which is private, and gives it a virtual time. Call it once in a process of its own: it
 * replaces the clock, the timers of node:timers and the driver's connect.
 *
 * @param {string} [folder] of the driver's package, default: the installed one
 * @throws {Error} if this version has no such pool
 */
export function loadDriver(folder = path.dirname(require.resolve('mongodb/package.json'))) {
  const lib = path.join(folder, 'lib');
  const { ConnectionPool } = require(path.join(lib, 'cmap/connection_pool.js'));
  const { Connection } = require(path.join(lib, 'cmap/connection.js'));
  const { TimeoutContext } = require(path.join(lib, 'timeout.js'));
  const { MongoNetworkError } = require(path.join(lib, 'error.js'));
  const { HostAddress } = require(path.join(lib, 'utils.js'));
  const connector = require(path.join(lib, 'cmap/connect.js'));
  let time = new VirtualTime();
  /** @type {() => PlannedOpening} */
  let nextOpening;
  performance.now = () => time.nowMs;
  Object.assign(process, {
    hrtime: () => [Math.floor(time.nowMs / 1000), Math.round((time.nowMs % 1000) * 1e6)],
  });
  Object.assign(timers, {
    setTimeout: (/** @type {() => void} */ fire, /** @type {number} */ ms) => time.at(time.nowMs + ms, fire),
    clearTimeout: (/** @type {unknown} */ timer) => time.clear(timer),
  });
  connector.connect = (/** @type {any} */ options) =>
    new Promise((resolve, reject) => {
      const { ms, fails } = nextOpening();
      options.cancellationToken.once('cancel', () => reject(new MongoNetworkError('cancelled')));
      time.at(time.nowMs + ms, () => {
        if (fails) reject(new MongoNetworkError('refused'));
        else resolve(new Connection(new PassThrough(), options));
      });
    });

  return {
    /**
     * Begins a new time at 0, with a pool that is paused.
     * @param {Record<string, unknown>} options of the pool
     * @param {() => PlannedOpening} planOpening asked for each connection that is opened
     * @param {() => void} [onFailure] an opening failed
     * @returns {{ time: VirtualTime, pool: any }}
     */
    createPool(options, planOpening, onFailure = () => {}) {
      time = new VirtualTime();
      nextOpening = planOpening;
      const client = { options: { metadata: {} }, s: { authProviders: {} } };
      const server = { topology: { client }, description: { error: null }, handleError: onFailure };
      return { time, pool: new ConnectionPool(server, { ...options, hostAddress: new HostAddress(ADDRESS) }) };
    },

    /**
     * @param {any} pool
     * @param {{ waitQueueTimeoutMS?: number, signal?: AbortSignal }} options
     * @returns {Promise<any>} the connection
     */
    checkOut(pool, { waitQueueTimeoutMS = 0, signal }) {
      const timeoutContext = TimeoutContext.create({ serverSelectionTimeoutMS: 0, waitQueueTimeoutMS });
      return pool.checkOut({ timeoutContext, signal });
    },
  };
}

/**
 * Lists the events of a pool.
 *
 * @param {any} pool of the driver
 * @param {VirtualTime} time
 * @param {(event: PoolEvent) => void} emit
 */
export function onPoolEvents(pool, time, emit) {
  for (const name of EVENTS) {
    const type = name[0].toUpperCase() + name.slice(1);
    pool.on(name, (/** @type {any} */ event) => {
      /** @type {any} */
      const told = { type, atMs: time.nowMs, address: event.address };
      const { connectionId, durationMS: duration, reason, options, interruptInUseConnections } = event;
      const facts = { connectionId, duration, reason, options, interruptInUseConnections };
      for (const [fact, value] of Object.entries(facts)) if (value !== undefined) told[fact] = value;
      emit(told);
    });
  }
}

/** @param {Error} error that a checkout ended with @returns {WaitOutcome} */
function outcomeOf(error) {
  if (error === ABORTED) return 'aborted';
  const outcomes = /** @type {Record<string, WaitOutcome>} */ ({
    MongoWaitQueueTimeoutError: 'timeout',
    MongoPoolClearedError: 'poolCleared',
    MongoPoolClosedError: 'poolClosed',
    MongoNetworkError: 'connectionError',
  });
  if (!(error.name in outcomes)) throw error;
  return outcomes[error.name];
}

/**
 * Follows schedules on the driver's pool, see loadDriver.
 *
 * @param {string} [folder]
 * @returns {(schedule: Schedule, observer?: Observer) => Promise<Followed>}
 */
export function loadDriverPool(folder) {
  const driver = loadDriver(folder);
  return async ({ options, openings, failureClears, checkouts, verbs, untilMs }, { created, settled } = {}) => {
    let opened = 0;
    const { time, pool } = driver.createPool(
      options,
      () => openings[opened++ % openings.length],
      () => failureClears && pool.clear(),
    );
    created?.(pool);
    /** @type {Followed['waits']} */
    const waits = checkouts.map(() => null);
    /** @type {PoolEvent[]} */
    const events = [];
    onPoolEvents(pool, time, (event) => events.push(event));
    checkouts.forEach(({ atMs, useMs, abortAtMs }, index) => {
      time.at(atMs, () => {
        const abort = new AbortController();
        /** @type {any} */
        let used;
        const checkIn = () => {
          if (!used) return;
          used.off('close', fail);
          pool.checkIn(used);
          used = null;
        };
        // Its operation fails.
        const fail = () => queueMicrotask(checkIn);
        if (abortAtMs < Infinity)
          time.at(abortAtMs, () => {
            abort.abort(ABORTED);
            used?.onError(ABORTED);
          });
        driver.checkOut(pool, { ...options, signal: abort.signal }).then(
          (connection) => {
            used = connection;
            waits[index] = { outcome: 'checkedOut', atMs: time.nowMs, connection: connection.id };
            connection.once('close', fail);
            time.at(time.nowMs + useMs, checkIn);
          },
          (error) => (waits[index] = { outcome: outcomeOf(error), atMs: time.nowMs, connection: 0 }),
        );
      });
    });
    for (const { atMs, verb } of verbs)
      time.at(atMs, () => {
        if (verb === 'interrupt') pool.clear({ interruptInUseConnections: true });
        else pool[verb]();
      });
    // The driver tells of its creation later than it is created.
    await settle();
    pool.ready();
    await settle();
    settled?.();
    while (time.nextMs <= untilMs) {
      time.next();
      await settle();
      settled?.();
    }
    const end = {
      total: pool.totalConnectionCount,
      idle: pool.availableConnectionCount,
      pending: pool.pendingConnectionCount,
    };
    const followed = { waits: waits.slice(), events: events.slice(), end };
    pool.close();
    await settle();
    return followed;
  };
}

/** @import { Connection } from './connections.js' */

/**
 * One use of a connection. Times are milliseconds of `performance.now()`, NaN until they are known.
 * @typedef {object} Checkout
 * @property {string} server host:port
 * @property {number} checkOutStartedAtMs
 * @property {number} checkedOutAtMs
 * @property {number} checkedInAtMs
 * @property {Connection | null} connection
 * @property {boolean} hasFailed whether its operation failed, as far as the driver or the caller reports it
 * @property {unknown} caller for subscribers to store what they know about the caller; the monitor only carries it
 */

/**
 * Events carry the driver's names. `checkOutAborted` is ours: the caller left the wait queue. So is `operationFailed`,
 * which comes before `checkedIn` or right after it. `durationMs` is the wait for checkedOut and checkOutFailed, the use
 * for checkedIn, the connect time for connectionReady, else NaN. `reason` comes with checkOutFailed and connectionClosed.
 * @typedef {'checkOutStarted' | 'checkedOut' | 'checkOutFailed' | 'checkOutAborted' | 'checkedIn' | 'operationFailed' |
 *   'connectionReady' | 'connectionClosed'} PoolEventType
 * @typedef {{ type: PoolEventType, atMs: number, server: string, checkout: Checkout | null,
 *   connection: Connection | null, reason: string | null, durationMs: number }} PoolEvent
 * @typedef {(event: PoolEvent) => void} PoolListener
 */

/** Sends the events of one pool to the listeners. */
export class PoolEvents {
  #server;
  #now;
  #listeners;

  /** @param {string} server host:port @param {() => number} now @param {Set<PoolListener>} listeners */
  constructor(server, now, listeners) {
    this.#server = server;
    this.#now = now;
    this.#listeners = listeners;
  }

  /** @param {PoolEventType} type @param {Partial<PoolEvent>} fields */
  emit(type, { checkout = null, connection = null, reason = null, durationMs = NaN }) {
    if (this.#listeners.size === 0) return;
    const event = { type, atMs: this.#now(), server: this.#server, checkout, connection, reason, durationMs };
    for (const listener of this.#listeners) listener(event);
  }
}

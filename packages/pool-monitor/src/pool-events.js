/** @import { Checkout } from './checkout.js' */
/** @import { Connection } from './connections.js' */
/** @import { Entry } from './event-batch.js' */

/**
 * Events carry the driver's names. `checkOutAborted` is ours: the caller left the wait queue. So is `operationFailed`,
 * which comes before `checkedIn` or right after it. `durationMs` is the wait for checkedOut and checkOutFailed, the use
 * for checkedIn, the connect time for connectionReady, else NaN. `reason` comes with checkOutFailed and connectionClosed.
 * @typedef {'checkOutStarted' | 'checkedOut' | 'checkOutFailed' | 'checkOutAborted' | 'checkedIn'} CheckoutEventType
 * @typedef {CheckoutEventType | 'operationFailed' | 'connectionReady' | 'connectionClosed'} PoolEventType
 * @typedef {{ type: PoolEventType, atMs: number, server: string, checkout: Checkout | null,
 *   connection: Connection | null, reason: string | null, durationMs: number }} PoolEvent
 * @typedef {(event: PoolEvent) => void} PoolListener
 *
 * @typedef {object} Follower knows the callers, and learns of each checkout before the listeners do
 * @property {(start: Entry) => boolean} noteStart called while the code of the caller runs; whether the rest may come later
 * @property {(checkout: Checkout, start: Entry) => void} onCheckOutStarted
 * @property {(end: Entry) => void} noteEnd called while the code of the caller runs
 * @property {(supposed: Checkout, end: Entry) => Checkout} identify the checkout whose caller's code ran, where that is
 *   known. It is the one that ended
 * @property {(checkout: Checkout) => void} onCheckedIn
 * @property {(checkout: Checkout, reason: string, atMs: number) => void} onCheckOutFailed
 * @property {(checkout: Checkout, atMs: number) => void} onCheckOutAborted
 * @property {(checkout: Checkout) => void} onOperationFailed
 *
 * @typedef {{ listeners: Set<PoolListener>, follower: Follower | null }} Watchers
 */

/** Sends the events of one pool to the listeners. */
export class PoolEvents {
  #server;
  #watchers;

  /** @param {string} server host:port @param {Watchers} watchers */
  constructor(server, watchers) {
    this.#server = server;
    this.#watchers = watchers;
  }

  get follower() {
    return this.#watchers.follower;
  }

  /**
   * @param {PoolEventType} type
   * @param {number} atMs
   * @param {Checkout | null} checkout
   * @param {Connection | null} [connection]
   * @param {string | null} [reason]
   * @param {number} [durationMs]
   */
  emit(type, atMs, checkout, connection = null, reason = null, durationMs = NaN) {
    const { listeners } = this.#watchers;
    if (listeners.size === 0) return;
    const event = { type, atMs, server: this.#server, checkout, connection, reason, durationMs };
    for (const listener of listeners) listener(event);
  }
}

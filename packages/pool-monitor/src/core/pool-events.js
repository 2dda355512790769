/** @import { Checkout } from './checkout.js' */
/** @import { Connection } from './connections.js' */
/** @import { BatchedEvent } from './event-batch.js' */

/**
 * Events carry the driver's names. Two are ours: `checkOutAborted` means that the caller left the wait queue, and
 * `operationFailed` comes before `checkedIn` or right after it. `durationMs` is the wait for checkedOut and
 * checkOutFailed, the use for checkedIn, the connect time for connectionReady, for connectionClosed the time since its
 * opening began, else NaN. `reason` comes with checkOutFailed, connectionClosed and poolCleared.
 * @typedef {'checkOutStarted' | 'checkedOut' | 'checkOutFailed' | 'checkOutAborted' | 'checkedIn'} CheckoutEventType
 * @typedef {CheckoutEventType | 'operationFailed' | RareEventType} PoolEventType
 * @typedef {'connectionReady' | 'connectionClosed' | 'poolCleared'} RareEventType
 * @typedef {{ type: PoolEventType, atMs: number, server: string, checkout: Checkout | null,
 *   connection: Connection | null, reason: string | null, durationMs: number }} PoolEvent
 * @typedef {(event: PoolEvent) => void} PoolListener
 *
 * @typedef {object} CallerTracker knows the callers, and learns of each checkout before the listeners do
 * @property {(start: BatchedEvent) => boolean} noteStart called while the caller's code is running; returns whether the
 *   rest may come later
 * @property {(checkout: Checkout, start: BatchedEvent) => void} onCheckOutStarted
 * @property {(checkout: Checkout) => void} onLeftWaiting another one that started in the same tick got the last free
 *   connection
 * @property {(end: BatchedEvent, connection?: Connection) => void} noteEnd called while the caller's code is running;
 *   connection: the one that it returns
 * @property {(inferred: Checkout, end: BatchedEvent) => Checkout} identify returns the checkout that ended: the one
 *   whose caller's code ran, if that is known
 * @property {(end: BatchedEvent) => Checkout | null} callerOf returns the checkout in whose caller's code it came
 * @property {(checkout: Checkout, isCounted: boolean) => void} onCheckedIn isCounted: what noteEnd set
 * @property {(checkout: Checkout, reason: string, atMs: number) => void} onCheckOutFailed
 * @property {(checkout: Checkout, atMs: number) => void} onCheckOutAborted
 * @property {(checkout: Checkout) => void} onOperationFailed
 * @property {(type: RareEventType, atMs: number, pool: PoolIdentity, connectionId: number, reason: string | null,
 *   durationMs: number) => void} onRareEvent connectionId: 0 for none
 *
 * @typedef {{ pool: string | null, server: string }} PoolIdentity the name of its client, and host:port
 *
 * @typedef {{ listeners: Set<PoolListener>, tracker: CallerTracker | null, capture: (() => unknown) | null }}
 *   Subscribers
 */

/** Sends the events of one pool to the listeners. */
export class PoolEvents {
  #pool;
  #subscribers;

  /** @param {PoolIdentity} pool @param {Subscribers} subscribers */
  constructor(pool, subscribers) {
    this.#pool = pool;
    this.#subscribers = subscribers;
  }

  get tracker() {
    return this.#subscribers.tracker;
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
    const { listeners } = this.#subscribers;
    if (listeners.size === 0) return;
    const event = { type, atMs, server: this.#pool.server, checkout, connection, reason, durationMs };
    for (const listener of listeners) listener(event);
  }

  /**
   * What happens to the pool or a connection, apart from checkouts. It is recorded.
   *
   * @param {RareEventType} type
   * @param {number} atMs
   * @param {Connection | null} connection
   * @param {string | null} reason
   * @param {number} [durationMs]
   */
  emitRare(type, atMs, connection, reason, durationMs = NaN) {
    this.tracker?.onRareEvent(type, atMs, this.#pool, connection?.id ?? 0, reason, durationMs);
    this.emit(type, atMs, null, connection, reason, durationMs);
  }
}

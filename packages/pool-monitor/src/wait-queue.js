/** @import { Checkout } from './pool-events.js' */
/** @import { Connection } from './connections.js' */

/**
 * The milliseconds in which a wait can have begun, both ends included.
 * @typedef {{ fromMs: number, toMs: number }} Span
 * @typedef {{ checkout: Checkout, started: Span, sinceMs: number }} Waiter sinceMs: the earliest possible start. The
 *   driver may have paused between reading its clock and emitting its event, and the event's time does not show that
 * @typedef {{ checkout: Checkout | null, connection: Connection | null }} Removed
 */

/** @type {Removed} */
const NONE = { checkout: null, connection: null };

/**
 * The wait queue, reconstructed from the driver's events. The events do not identify their caller. But the queue is
 * first in, first out, and an event that ends a wait says how long the wait was, hence when it began.
 *
 * A waiter is either queued, or assigned to a connection that is being opened for it. Later waiters can overtake an
 * assigned one. An aborted waiter leaves without an event; we notice when a caller that started a millisecond later is
 * served.
 */
export class WaitQueue {
  /** Oldest first. @type {Waiter[]} */
  queued = [];
  /** @type {Map<Connection, Waiter>} */
  assigned = new Map();

  /** @param {number} sinceMs no waiter started before */
  constructor(sinceMs) {
    this.lastStartedMs = Math.floor(sinceMs);
  }

  /** @param {Checkout} checkout @param {Span} started */
  push(checkout, started) {
    // The driver read its clock for this one after it had emitted the event of the one before.
    this.queued.push({ checkout, started, sinceMs: this.lastStartedMs });
    this.lastStartedMs = started.toMs;
  }

  /** The driver opens a connection for the first in the queue, if there is one. @param {Connection} connection */
  assign(connection) {
    const first = this.queued.shift();
    if (first) this.assigned.set(connection, first);
  }

  /**
   * The connection is open, or opening it failed. The next event says what became of its waiter. Until then the waiter
   * is first in the queue again.
   * @param {Connection} connection
   */
  unassign(connection) {
    const waiter = this.assigned.get(connection);
    if (!waiter) return;
    this.assigned.delete(connection);
    this.queued.unshift(waiter);
  }

  /**
   * The driver served or refused the next waiter. Waiters that should have come before it must have been aborted.
   * @param {Span} started
   * @returns {Removed & { aborted: Checkout[] }} checkout is null if we did not see it start; connection is the one that
   *   was being opened for it
   */
  takeNext(started) {
    const aborted = this.removeBefore(started);
    const removed = this.#takeInOrder(started, isLikely) ?? this.#takeInOrder(started, isPossible) ?? NONE;
    return { ...removed, aborted };
  }

  /** Removes all queued waiters that started before that time. @param {Span} time */
  removeBefore({ fromMs }) {
    const later = this.queued.findIndex((waiter) => waiter.started.toMs >= fromMs);
    const removed = this.queued.splice(0, later < 0 ? this.queued.length : later);
    return removed.map(({ checkout }) => checkout);
  }

  /**
   * A waiter timed out; earlier ones may still wait. If several started in the same millisecond, it is the first.
   * Assigned waiters started before queued ones.
   * @param {Span} started
   */
  takeTimedOut(started) {
    return this.#takeAnywhere(started, isLikely) ?? this.#takeAnywhere(started, isPossible) ?? NONE;
  }

  /** @param {Checkout} checkout queued or assigned @returns {boolean} whether it was waiting */
  remove(checkout) {
    const index = this.queued.findIndex((waiter) => waiter.checkout === checkout);
    if (index >= 0) this.#takeQueued(index);
    const [connection] = [...this.assigned].find(([, waiter]) => waiter.checkout === checkout) ?? [];
    return index >= 0 || Boolean(connection && this.assigned.delete(connection));
  }

  /** @param {number} index @returns {Removed} */
  #takeQueued(index) {
    return { checkout: this.queued.splice(index, 1)[0].checkout, connection: null };
  }

  /** @param {Span} started @param {typeof isLikely} matches */
  #takeInOrder(started, matches) {
    const first = this.queued.at(0);
    return first && matches(first, started) ? this.#takeQueued(0) : this.#takeAssigned(started, matches);
  }

  /** @param {Span} started @param {typeof isLikely} matches */
  #takeAnywhere(started, matches) {
    const index = this.queued.findIndex((waiter) => matches(waiter, started));
    return this.#takeAssigned(started, matches) ?? (index >= 0 ? this.#takeQueued(index) : null);
  }

  /** @param {Span} started @param {typeof isLikely} matches @returns {Removed | null} */
  #takeAssigned(started, matches) {
    for (const [connection, waiter] of this.assigned) {
      if (!matches(waiter, started)) continue;
      this.assigned.delete(connection);
      return { checkout: waiter.checkout, connection };
    }
    return null;
  }
}

/** Whether the waiter started then, according to its event's time. @param {Waiter} waiter @param {Span} then */
function isLikely({ started }, then) {
  return started.fromMs <= then.toMs && then.fromMs <= started.toMs;
}

/** Whether it can have started then. @param {Waiter} waiter @param {Span} then */
function isPossible({ started, sinceMs }, then) {
  return sinceMs <= then.toMs && then.fromMs <= started.toMs;
}

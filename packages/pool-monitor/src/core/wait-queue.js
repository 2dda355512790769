/** @import { Checkout } from './checkout.js' */
/** @import { Connection } from './connections.js' */

/**
 * The milliseconds in which a wait may have begun, both ends included.
 * @typedef {{ fromMs: number, toMs: number }} StartInterval
 */

/** @type {readonly Checkout[]} */
const NONE = [];

/**
 * The wait queue, reconstructed from the driver's events. The events do not identify their caller. But the queue is
 * first in, first out, and an event that ends a wait says how long the wait was, hence when it began.
 *
 * A waiter is either queued, or assigned to a connection that is being opened for it. Later waiters can overtake an
 * assigned one.
 */
export class WaitQueue {
  /** Oldest first. @type {Checkout[]} */
  queued = [];
  /** @type {Map<Connection, Checkout>} */
  assigned = new Map();

  /** @param {number} sinceMs no waiter started before this */
  constructor(sinceMs) {
    this.lastStartedMs = Math.floor(sinceMs);
  }

  /** @param {Checkout} checkout */
  push(checkout) {
    // The driver read its clock for this one after it had emitted the event of the one before.
    checkout.sinceMs = this.lastStartedMs;
    this.lastStartedMs = checkout.toMs;
    this.queued.push(checkout);
  }

  /**
   * Assigns the first in the queue, if there is one, to the connection that the driver opens for it.
   * @param {Connection} connection
   */
  assign(connection) {
    const first = this.queued.shift();
    if (!first) return;
    first.opening = connection;
    this.assigned.set(connection, first);
  }

  /**
   * Puts the waiter of a connection first in the queue again. The connection is open, or opening it failed, and the
   * next event says what became of its waiter.
   * @param {Connection} connection
   * @returns {Checkout | null} that waiter
   */
  unassign(connection) {
    const waiter = this.assigned.get(connection);
    if (!waiter) return null;
    this.#release(waiter, connection);
    this.queued.unshift(waiter);
    return waiter;
  }

  /**
   * Takes the next waiter, which the driver served or refused. Remove those before it first, because they must have
   * been aborted.
   * @param {StartInterval} started
   * @returns {Checkout | null} null if its start was not seen. If it has `opening`, that connection is now opened for
   *   nobody
   */
  takeNext(started) {
    return this.#takeInOrder(started, isLikely) ?? this.#takeInOrder(started, isPossible);
  }

  /**
   * Takes a waiter that the driver refused, if a connection was being opened for it.
   * @param {StartInterval} started
   * @param {Checkout | null} caller
   */
  takeOpening(started, caller) {
    if (this.queued.length > 0) return null;
    if (!caller?.opening || !isExact(caller, started)) return this.#takeAssigned(started, isExact);
    this.assigned.delete(caller.opening);
    return caller;
  }

  /** Removes all queued waiters that started before that time. @param {StartInterval} time */
  removeBefore({ fromMs }) {
    const { queued } = this;
    let count = 0;
    while (count < queued.length && queued[count].toMs < fromMs) count += 1;
    return count === 0 ? NONE : queued.splice(0, count);
  }

  /**
   * Takes a waiter that timed out. Earlier ones may still be waiting. If several started in the same millisecond, it is
   * the first. Assigned waiters started before queued ones.
   * @param {StartInterval} started
   * @returns {Checkout | null} as for takeNext
   */
  takeTimedOut(started) {
    return this.#takeAnywhere(started, isLikely) ?? this.#takeAnywhere(started, isPossible);
  }

  /** @param {Checkout} checkout queued or assigned @returns {boolean} whether it was waiting */
  remove(checkout) {
    if (checkout.opening) return this.#release(checkout, checkout.opening);
    const index = this.queued.indexOf(checkout);
    if (index >= 0) this.#takeQueued(index);
    return index >= 0;
  }

  /** Lists the connections that are being opened for waiters that may have started then. @param {StartInterval} then */
  listOpening(then) {
    return [...this.assigned].flatMap(([connection, waiter]) => (isPossible(waiter, then) ? connection : []));
  }

  /** Gives the place of a waiting checkout to another one. @param {Checkout} checkout @param {Checkout} other */
  replace(checkout, other) {
    const { fromMs, toMs, sinceMs, opening } = checkout;
    Object.assign(other, { fromMs, toMs, sinceMs });
    if (opening) {
      this.#release(checkout, opening);
      other.opening = opening;
      this.assigned.set(opening, other);
    } else {
      const index = this.queued.indexOf(checkout);
      if (index >= 0) this.queued[index] = other;
    }
  }

  /** @param {Checkout} waiter @param {Connection} connection */
  #release(waiter, connection) {
    waiter.opening = null;
    return this.assigned.delete(connection);
  }

  /** @param {number} index */
  #takeQueued(index) {
    return (index === 0 ? this.queued.shift() : this.queued.splice(index, 1)[0]) ?? null;
  }

  /** @param {StartInterval} started @param {typeof isLikely} matches */
  #takeInOrder(started, matches) {
    const { queued } = this;
    return queued.length > 0 && matches(queued[0], started)
      ? this.#takeQueued(0)
      : this.#takeAssigned(started, matches);
  }

  /** @param {StartInterval} started @param {typeof isLikely} matches */
  #takeAnywhere(started, matches) {
    const assigned = this.#takeAssigned(started, matches);
    if (assigned) return assigned;
    const index = this.queued.findIndex((waiter) => matches(waiter, started));
    return index >= 0 ? this.#takeQueued(index) : null;
  }

  /** @param {StartInterval} started @param {typeof isLikely} matches */
  #takeAssigned(started, matches) {
    if (this.assigned.size === 0) return null;
    for (const [connection, waiter] of this.assigned) {
      if (!matches(waiter, started)) continue;
      this.assigned.delete(connection);
      return waiter;
    }
    return null;
  }
}

/**
 * Whether the waiter started then, according to its event's time.
 * @param {Checkout} waiter
 * @param {StartInterval} then
 */
function isLikely({ fromMs, toMs }, then) {
  return fromMs <= then.toMs && then.fromMs <= toMs;
}

/** Whether it started then, if its event was not late. @param {Checkout} waiter @param {StartInterval} then */
function isExact(waiter, then) {
  return waiter.toMs === then.toMs;
}

/** Whether it can have started then. @param {Checkout} waiter @param {StartInterval} then */
function isPossible({ sinceMs, toMs }, then) {
  return sinceMs <= then.toMs && then.fromMs <= toMs;
}

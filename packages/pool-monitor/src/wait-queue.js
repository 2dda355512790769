/**
 * @typedef {import('./server-pool.js').Checkout} Checkout
 * @typedef {import('./connections.js').Connection} Connection
 */

/**
 * The whole milliseconds in which a wait can have begun, both ends included.
 * @typedef {{ fromMs: number, toMs: number }} Span
 * @typedef {{ checkout: Checkout, asked: Span, sinceMs: number }} Waiter sinceMs: no earlier did it ask, even if the
 *   driver paused between its reading of the clock and its event, which no time tells
 * @typedef {{ checkout: Checkout | null, connection: Connection | null }} Left
 */

/** @type {Left} */
const NOBODY = { checkout: null, connection: null };

/**
 * Who waits for a connection, told from the driver's events. They carry no identity, but the queue is first come,
 * first served, and the events that end a wait say how long it was, hence when it began.
 *
 * A waiter stands in the queue, or is bound to the connection that is being opened for it and can then be
 * overtaken. One that was aborted leaves without an event: it is found out when one that asked a millisecond later
 * is served.
 */
export class WaitQueue {
  /** Oldest first. @type {Waiter[]} */
  standing = [];
  /** @type {Map<Connection, Waiter>} */
  bound = new Map();

  /** @param {number} sinceMs nobody in the queue asked before */
  constructor(sinceMs) {
    this.lastStartedMs = Math.floor(sinceMs);
  }

  /** @param {Checkout} checkout @param {Span} asked */
  push(checkout, asked) {
    // The driver read its clock for this one after it had told of the one before.
    this.standing.push({ checkout, asked, sinceMs: this.lastStartedMs });
    this.lastStartedMs = asked.toMs;
  }

  /**
   * The driver opens a connection, for the first in the queue if there is one.
   * @param {Connection} connection
   */
  bind(connection) {
    const first = this.standing.shift();
    if (first) this.bound.set(connection, first);
  }

  /**
   * That connection is open, or could not be opened. The next event says what became of its waiter; until then it
   * is the first in the queue again.
   * @param {Connection} connection
   */
  unbind(connection) {
    const waiter = this.bound.get(connection);
    if (!waiter) return;
    this.bound.delete(connection);
    this.standing.unshift(waiter);
  }

  /**
   * The driver served or refused a waiter in its turn: those before it in the queue must have gone.
   * @param {Span} asked
   * @returns {Left & { gone: Checkout[] }} checkout is null if it was not seen to ask; connection is the one being
   *   opened for it, if it was bound
   */
  call(asked) {
    const gone = this.leaveBefore(asked);
    const left = this.#leaveInTurn(asked, isLikely) ?? this.#leaveInTurn(asked, isPossible) ?? NOBODY;
    return { ...left, gone };
  }

  /**
   * All who stand in the queue and asked before that time leave it.
   * @param {Span} time
   */
  leaveBefore({ fromMs }) {
    const later = this.standing.findIndex((waiter) => waiter.asked.toMs >= fromMs);
    const left = this.standing.splice(0, later < 0 ? this.standing.length : later);
    return left.map(({ checkout }) => checkout);
  }

  /**
   * A waiter gave up; those before it may wait on. Of several that asked in the same millisecond it is the first,
   * and those bound to a connection asked before those who stand in the queue.
   * @param {Span} asked
   */
  giveUp(asked) {
    return this.#leaveAnywhere(asked, isLikely) ?? this.#leaveAnywhere(asked, isPossible) ?? NOBODY;
  }

  /**
   * This one leaves, whether it stands in the queue or is bound.
   * @param {Checkout} checkout
   * @returns {boolean} whether it was there
   */
  leave(checkout) {
    const place = this.standing.findIndex((waiter) => waiter.checkout === checkout);
    if (place >= 0) this.#leave(place);
    const [connection] = [...this.bound].find(([, waiter]) => waiter.checkout === checkout) ?? [];
    return place >= 0 || Boolean(connection && this.bound.delete(connection));
  }

  /** @param {number} place @returns {Left} */
  #leave(place) {
    return { checkout: this.standing.splice(place, 1)[0].checkout, connection: null };
  }

  /** @param {Span} asked @param {typeof isLikely} isIt */
  #leaveInTurn(asked, isIt) {
    const first = this.standing.at(0);
    return first && isIt(first, asked) ? this.#leave(0) : this.#leaveBound(asked, isIt);
  }

  /** @param {Span} asked @param {typeof isLikely} isIt */
  #leaveAnywhere(asked, isIt) {
    const place = this.standing.findIndex((waiter) => isIt(waiter, asked));
    return this.#leaveBound(asked, isIt) ?? (place >= 0 ? this.#leave(place) : null);
  }

  /** @param {Span} asked @param {typeof isLikely} isIt @returns {Left | null} */
  #leaveBound(asked, isIt) {
    for (const [connection, waiter] of this.bound) {
      if (!isIt(waiter, asked)) continue;
      this.bound.delete(connection);
      return { checkout: waiter.checkout, connection };
    }
    return null;
  }
}

/**
 * Whether the waiter asked then, as its event's time tells.
 * @param {Waiter} waiter
 * @param {Span} then
 */
function isLikely({ asked }, then) {
  return asked.fromMs <= then.toMs && then.fromMs <= asked.toMs;
}

/**
 * Whether it can have asked then.
 * @param {Waiter} waiter
 * @param {Span} then
 */
function isPossible({ asked, sinceMs }, then) {
  return sinceMs <= then.toMs && then.fromMs <= asked.toMs;
}

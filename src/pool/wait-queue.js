/**
 * @typedef {import('./server-pool.js').Checkout} Checkout
 * @typedef {import('./connections.js').Connection} Connection
 */

/**
 * The whole milliseconds in which a wait can have begun, both ends included.
 * @typedef {{ fromMs: number, toMs: number }} Span
 * @typedef {{ checkout: Checkout, asked: Span }} Asker
 * @typedef {Asker & { surely: Span }} Waiter surely: longer than asked if the driver paused between its reading of the
 *   clock and its event, which then no time tells
 */

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
    this.lastAskedMs = Math.floor(sinceMs);
  }

  /** @param {Asker} asker */
  push(asker) {
    const { toMs } = asker.asked;
    // The driver read its clock for this one after it had told of the one before.
    this.standing.push({ ...asker, surely: { fromMs: this.lastAskedMs, toMs } });
    this.lastAskedMs = toMs;
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
   * @returns {{ checkout: Checkout | null, connection: Connection | null, gone: Checkout[] }} checkout is null if
   *   it was not seen to ask; connection is the one being opened for it, if it was bound
   */
  call(asked) {
    const gone = this.leaveBefore(asked);
    const left = find(asked, (isIt) => (this.standing.slice(0, 1).some(isIt) ? this.#leave(0) : this.#leaveBound(isIt)));
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
    return find(asked, (isIt) => {
      const place = this.standing.findIndex(isIt);
      return this.#leaveBound(isIt) ?? (place >= 0 ? this.#leave(place) : null);
    });
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

  /** @param {number} place */
  #leave(place) {
    return { checkout: this.standing.splice(place, 1)[0].checkout, connection: null };
  }

  /** @param {(waiter: Waiter) => boolean} isIt */
  #leaveBound(isIt) {
    for (const [connection, waiter] of this.bound) {
      if (!isIt(waiter)) continue;
      this.bound.delete(connection);
      return { checkout: waiter.checkout, connection };
    }
    return null;
  }
}

/**
 * Looks for the waiter who asked then: one whom its event's time tells, else one who can have.
 * @param {Span} asked
 * @param {(isIt: (waiter: Waiter) => boolean) => { checkout: Checkout, connection: Connection | null } | null} look
 */
function find(asked, look) {
  return look((waiter) => overlap(waiter.asked, asked))
    ?? look((waiter) => overlap(waiter.surely, asked))
    ?? { checkout: null, connection: null };
}

/**
 * @param {Span} one
 * @param {Span} other
 */
const overlap = (one, other) => one.fromMs <= other.toMs && other.fromMs <= one.toMs;

/**
 * @typedef {import('./server-pool.js').Checkout} Checkout
 * @typedef {import('./server-pool.js').Connection} Connection
 */

// The driver floors both ends of durationMS to whole milliseconds, which puts the start it implies up to 1 ms off;
// the other millisecond is for the time between the driver's reading of the clock and ours.
const SAME_CHECKOUT_MS = 2;

/**
 * Who waits for a connection, told from the driver's events. They carry no identity, but the queue is first come,
 * first served, and the events that end a wait say how long it was, hence when it began.
 *
 * A waiter stands in the queue, or is bound to the connection that is being opened for it and can then be
 * overtaken. One that was aborted leaves without an event: it is found out when a later one is served.
 */
export class WaitQueue {
  /** Oldest first. @type {Checkout[]} */
  standing = [];
  /** @type {Map<Connection, Checkout>} */
  bound = new Map();

  /** @param {Checkout} checkout */
  push(checkout) {
    this.standing.push(checkout);
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
    const checkout = this.bound.get(connection);
    if (!checkout) return;
    this.bound.delete(connection);
    this.standing.unshift(checkout);
  }

  /**
   * A waiter was given a connection: those ahead of it in the queue must have gone.
   * @param {number} askedAtMs
   * @returns {{ served: Checkout | null, gone: Checkout[] }} served is null when its question was not seen
   */
  serve(askedAtMs) {
    const later = this.standing.findIndex((waiter) => waiter.askedAtMs >= askedAtMs - SAME_CHECKOUT_MS);
    const gone = this.standing.splice(0, later < 0 ? this.standing.length : later);
    if (this.standing.length > 0 && isSame(this.standing[0], askedAtMs)) {
      return { served: /** @type {Checkout} */ (this.standing.shift()), gone };
    }
    const { checkout, connection } = this.#removeBound(askedAtMs);
    // It was not this waiter's connection then, but that of the next one who stood in the queue at the time.
    const next = this.standing.at(0);
    if (connection && next && next.askedAtMs <= connection.sinceMs) this.bind(connection);
    return { served: checkout, gone };
  }

  /**
   * A waiter gave up or was refused; those ahead of it may wait on.
   * @param {number} askedAtMs
   * @returns {{ checkout: Checkout | null, connection: Connection | null }} the connection it was bound to, if any
   */
  remove(askedAtMs) {
    const place = this.standing.findIndex((waiter) => isSame(waiter, askedAtMs));
    if (place < 0) return this.#removeBound(askedAtMs);
    return { checkout: this.standing.splice(place, 1)[0], connection: null };
  }

  /** @param {number} askedAtMs */
  #removeBound(askedAtMs) {
    for (const [connection, checkout] of this.bound) {
      if (!isSame(checkout, askedAtMs)) continue;
      this.bound.delete(connection);
      return { checkout, connection };
    }
    return { checkout: null, connection: null };
  }
}

/**
 * @param {Checkout} checkout
 * @param {number} askedAtMs
 */
const isSame = (checkout, askedAtMs) => Math.abs(checkout.askedAtMs - askedAtMs) <= SAME_CHECKOUT_MS;

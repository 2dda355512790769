import { RequestName } from './checkout-name.js';
import { nameHolder } from './holders.js';

/** @import { Checkout } from './checkout.js' */
/** @import { CheckoutName } from './checkout-name.js' */
/** @import { Longest } from './longest.js' */
/** @import { ServerPool } from './server-pool.js' */

/**
 * @typedef {object} Request
 * @property {string | (() => string | null)} route a function if it is not known yet. It is read as late as possible: when
 *   a record is listed or written
 * @property {string} [requestId] default is a new number
 * @property {AbortSignal} [signal] aborts the request
 */

/** A request that never ends, such as a stream, must not fill the memory. */
const MAX_BEHIND = 100;

/** A request, with the sums over its checkouts, including concurrent ones. */
export class RequestContext {
  /** How long it waited for connections. */
  waitMs = 0;
  /** How long it had connections checked out. */
  useMs = 0;
  /** Whether it is over: what its code does later, such as in a timer, is work outside requests. */
  isOver = false;
  /** Its last checkout, once checked in. @type {Checkout | null} */
  last = null;
  /** Its checkouts that have not ended. @type {Checkout[]} */
  #open = [];
  /** @type {CheckoutName[]} */
  #behind = [];

  /** @param {Request} request @param {number} number counts up */
  constructor({ route, requestId, signal }, number) {
    this.name = new RequestName(requestId ?? String(number), number, route);
    this.signal = signal;
    // The driver emits nothing when a signal ends a wait.
    signal?.addEventListener('abort', () => {
      for (const checkout of [...this.#open]) checkout.pool.abort(checkout);
    }, { once: true });
  }

  get requestId() {
    return /** @type {string} */ (this.name.requestId);
  }

  get route() {
    return this.name.route;
  }

  /** Who held the connections it waited for. */
  get behind() {
    return this.#behind.map(nameHolder);
  }

  /** @param {Longest<CheckoutName>} holders */
  waitedFor({ items, count }) {
    if (this.#behind.length >= MAX_BEHIND) return;
    for (let index = 0; index < count; index += 1) this.#behind.push(/** @type {CheckoutName} */ (items[index]));
  }

  /** @param {Checkout} checkout */
  begin(checkout) {
    this.last = null;
    this.#open.push(checkout);
  }

  /** @param {Checkout} checkout */
  end(checkout) {
    const open = this.#open;
    const index = open.indexOf(checkout);
    if (index < 0) return;
    open[index] = open[open.length - 1];
    open.pop();
  }

  /** How many connections of a pool it has checked out. @param {ServerPool} pool */
  countHeld(pool) {
    let count = 0;
    for (const checkout of this.#open) if (checkout.pool === pool && checkout.connection) count += 1;
    return count;
  }
}

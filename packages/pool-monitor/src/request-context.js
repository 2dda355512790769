/** @import { Caller, Holder } from './holders.js' */
/** @import { Checkout } from './pool-events.js' */
/** @import { ServerPool } from './server-pool.js' */

/**
 * @typedef {object} Request
 * @property {string | (() => string | null)} route a function if it is not known yet. It is read as late as possible: when
 *   a record is listed or written
 * @property {string} [requestId] default is a new number
 * @property {AbortSignal} [signal] aborts the request
 */

/** Who made a checkout. Records keep this one for minutes, and nothing else of a request. */
export class RequestName {
  #route;

  /** @param {string | null} requestId @param {number | null} request counts up @param {Request['route'] | null} route */
  constructor(requestId, request, route) {
    this.requestId = requestId;
    this.request = request;
    this.#route = route;
  }

  get route() {
    return typeof this.#route === 'function' ? this.#route() : this.#route;
  }

  /** From now on the route is what it is now. */
  settle() {
    this.#route = this.route;
  }
}

/** A request, with the sums over its checkouts, including concurrent ones. */
export class RequestContext {
  /** How long it waited for connections. */
  waitMs = 0;
  /** How long it had connections checked out. */
  useMs = 0;
  /** Who held the connections it waited for. @type {Holder[]} */
  behind = [];
  /** Its checkouts that have not ended. @type {Set<Caller>} */
  open = new Set();
  /** Its last checkout, once checked in. @type {{ checkout: Checkout, pool: ServerPool } | undefined} */
  last;

  /** @param {Request} request @param {number} number counts up */
  constructor({ route, requestId, signal }, number) {
    this.name = new RequestName(requestId ?? String(number), number, route);
    this.signal = signal;
    // The driver emits nothing when a signal ends a wait.
    signal?.addEventListener('abort', () => {
      for (const { checkout, pool } of [...this.open]) pool?.abort(checkout);
    }, { once: true });
  }

  get requestId() {
    return /** @type {string} */ (this.name.requestId);
  }

  get route() {
    return this.name.route;
  }

  /** How many connections of a pool it has checked out. @param {ServerPool | null} pool */
  countHeld(pool) {
    let count = 0;
    for (const caller of this.open) if (caller.pool === pool && caller.checkout.connection) count += 1;
    return count;
  }
}

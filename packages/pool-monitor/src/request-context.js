import { RequestName } from './checkout-name.js';
import { nameHolder } from './holders.js';

/** @import { Checkout } from './checkout.js' */
/** @import { CheckoutName, Route } from './checkout-name.js' */
/** @import { Longest } from './longest.js' */
/** @import { ServerPool } from './server-pool.js' */

/**
 * @typedef {object} Request
 * @property {Route} route a function if it is not known yet. It is read as late as possible: when a record is listed or
 *   written
 * @property {unknown} [from] what such a function gets, so that one function does for all requests
 * @property {string} [requestId] default is `r` and a number
 * @property {AbortSignal} [signal] aborts the request
 *
 * @typedef {object} EndedRequest
 * @property {string} requestId
 * @property {string} method
 * @property {string} route
 * @property {number} status HTTP status; 0 when the client disconnected before the response
 * @property {number} totalMs from arrival to response
 * @property {number} waitMs of it, waiting for connections
 * @property {number} useMs of it, having connections
 * @property {Holder[]} behind who held the connections it waited for
 *
 * @typedef {import('./holders.js').Holder} Holder
 */

/** @type {CheckoutName[]} never written to */
const NOBODY = [];

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
  /** A checkout that its code can only have made itself: it had no other open, and no async scope of its own. @type {Checkout | null} */
  alone = null;
  /** Whether it has begun a checkout that is not handled yet. */
  isBeginning = false;
  /** The first of its checkouts that have not ended; the next is its `nextOpen`. @type {Checkout | null} */
  #open = null;
  /** Who held the connections it waited for. @type {CheckoutName[]} */
  behindNames = NOBODY;

  // Of an HTTP request; all but the first are known when it has ended.
  /** By performance.now(). */
  arrivedAtMs = NaN;
  method = '';
  status = 0;
  totalMs = NaN;

  /** @param {Request} request @param {number} number counts up */
  constructor({ route, from, requestId, signal }, number) {
    this.name = new RequestName(number, route, requestId, from);
    this.signal = signal;
  }

  /** Whether any of its checkouts has not ended. */
  get isOpen() {
    return this.#open !== null || this.isBeginning;
  }

  get requestId() {
    return /** @type {string} */ (this.name.requestId);
  }

  get route() {
    return /** @type {string} */ (this.name.route);
  }

  get behind() {
    return this.behindNames.map(nameHolder);
  }

  /** @param {Longest<CheckoutName>} holders */
  waitedFor({ items, count }) {
    if (count === 0) return;
    if (this.behindNames === NOBODY) this.behindNames = [];
    if (this.behindNames.length >= MAX_BEHIND) return;
    for (let index = 0; index < count; index += 1) this.behindNames.push(/** @type {CheckoutName} */ (items[index]));
  }

  /**
   * @param {Checkout} checkout
   * @returns {boolean} whether it needs an async scope of its own to be told from the others
   */
  begin(checkout) {
    const isAlone = checkout.pool.isCallersFlow && this.#open === null && (this.alone === null || this.alone.isOver);
    this.isBeginning = false;
    this.last = null;
    checkout.nextOpen = this.#open;
    this.#open = checkout;
    if (isAlone) this.alone = checkout;
    return !isAlone;
  }

  /** @param {Checkout} checkout */
  end(checkout) {
    /** @type {Checkout | null} */
    let before = null;
    let open = this.#open;
    while (open && open !== checkout) [before, open] = [open, open.nextOpen];
    if (!open) return;
    if (before) before.nextOpen = open.nextOpen;
    else this.#open = open.nextOpen;
    open.nextOpen = null;
  }

  /** Its signal ended all waits. */
  abort() {
    for (const checkout of this.#listOpen()) checkout.pool.abort(checkout);
  }

  /** How many connections of a pool it has checked out. @param {ServerPool} pool */
  countHeld(pool) {
    let count = 0;
    for (let open = this.#open; open; open = open.nextOpen) if (open.pool === pool && open.connection) count += 1;
    return count;
  }

  /** How long its checkouts that have no connection yet have waited. @param {number} nowMs */
  sumOpenWaits(nowMs) {
    return this.#listOpen().reduce((sum, { connection, checkOutStartedAtMs }) => sum + (connection ? 0 : nowMs - checkOutStartedAtMs), 0);
  }

  #listOpen() {
    const all = [];
    for (let open = this.#open; open; open = open.nextOpen) all.push(open);
    return all;
  }
}

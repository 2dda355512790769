import { RequestName } from './checkout-name.js';
import { nameHolder } from './holders.js';

/** @import { Checkout } from './checkout.js' */
/** @import { Connection } from './connections.js' */
/** @import { BatchedEvent } from './event-batch.js' */
/** @import { Holder } from './holders.js' */
/** @import { CheckoutName, Route } from './checkout-name.js' */
/** @import { ServerPool } from './server-pool.js' */

/**
 * @typedef {object} Request
 * @property {Route} route a function while it is not known. It is read as late as possible, when a record is listed or
 *   written
 * @property {unknown} [from] argument of such a function, so that all requests can share one
 * @property {string} [requestId] by default `r` and a number
 * @property {AbortSignal} [signal] aborts the request
 * @property {boolean} [isOutside] it is work outside of any request, so that its checkouts have a route, but no number
 *
 * @typedef {object} EndedRequest
 * @property {string} requestId
 * @property {number} request the number that its checkouts have
 * @property {string} method
 * @property {string} route
 * @property {number} status HTTP status; 0 when the client disconnected before the response
 * @property {number} socket the same number for all requests of one connection of a client, counts up
 * @property {number} totalMs from arrival to response
 * @property {number} waitMs the part of it in which it waited for at least one connection
 * @property {number} useMs how long it had connections, all together, also those at the same time
 * @property {Holder[]} behind the holders of the connections it waited for
 */

/** @type {CheckoutName[]} never written to */
const NOBODY = [];

/** A request that never ends, such as a stream, must not fill the memory. */
const MAX_BEHIND = 100;

/** @type {[fromMs: number, toMs: number][]} never written to */
const NO_WAITS = [];

/** A request, and what its checkouts took. */
export class RequestContext {
  /** How long it waited for at least one connection: waits at the same time count once. */
  waitMs = 0;
  /** How long it had connections checked out. */
  useMs = 0;
  /** Whether it is over. What its code does later, such as in a timer, is work outside requests. */
  isOver = false;
  /** Its last checkout, once checked in. @type {Checkout | null} */
  last = null;
  /**
   * A checkout that only its own code can have made, because it had no other open, and no async scope of its own.
   * @type {Checkout | null}
   */
  alone = null;
  /** Whether it has begun a checkout that is not handled yet. */
  isBeginning = false;
  /** When the only checkout that it has open began; NaN if there is none, or another one. */
  #startedAtMs = NaN;
  /** Whether the sums may lack a checkout that has ended, until the batch is flushed. */
  isBehind = false;
  /** The counted waits that may overlap another checkout, which is still open. They don't overlap each other. */
  #waits = NO_WAITS;
  /** The first of its open checkouts; each refers to the next with `nextOpen`. @type {Checkout | null} */
  #open = null;
  /** The holders of the connections it waited for. @type {CheckoutName[]} */
  behindNames = NOBODY;

  // For HTTP requests only. All but the first two are known once it has ended.
  /** Time of its arrival by performance.now(). */
  arrivedAtMs = NaN;
  socket = 0;
  method = '';
  status = 0;
  totalMs = NaN;

  /** @param {Request} request @param {number | null} number counts up; null for work outside of any request */
  constructor({ route, from, requestId, signal }, number) {
    this.name = new RequestName(number, route, requestId, from);
    this.signal = signal;
  }

  /** Whether any of its checkouts may not have ended. */
  get mayBeOpen() {
    return this.#open !== null || this.isBeginning || (this.alone !== null && !this.alone.isOver);
  }

  get requestId() {
    return /** @type {string} */ (this.name.requestId);
  }

  get request() {
    return /** @type {number} */ (this.name.request);
  }

  get route() {
    return /** @type {string} */ (this.name.route);
  }

  get behind() {
    return this.behindNames.map(nameHolder);
  }

  /** @param {readonly (CheckoutName | undefined)[]} holders what comes after an undefined is undefined, too */
  waitedFor(holders) {
    if (holders[0] === undefined) return;
    if (this.behindNames === NOBODY) this.behindNames = [];
    if (this.behindNames.length >= MAX_BEHIND) return;
    for (const holder of holders) if (holder) this.behindNames.push(holder);
  }

  /** @param {number} atMs @param {boolean} isAlone whether it has no other checkout open */
  noteStart(atMs, isAlone) {
    this.isBeginning = isAlone;
    this.#startedAtMs = isAlone ? atMs : NaN;
  }

  /**
   * Counts a checkout that was alone at once, so that the header Server-Timing need not flush the batch.
   * @param {BatchedEvent} end
   * @param {Connection} [connection] that it returns
   */
  noteEnd(end, connection) {
    const startedAtMs = this.#startedAtMs;
    this.isBeginning = false;
    this.#startedAtMs = NaN;
    if (connection && connection.checkedOutAtMs >= startedAtMs) {
      this.waitMs += connection.checkedOutAtMs - startedAtMs;
      this.useMs += end.atMs - connection.checkedOutAtMs;
      end.isCounted = true;
    } else this.isBehind = true;
  }

  /** @param {number} startedAtMs @param {number} checkedOutAtMs @param {number} checkedInAtMs */
  count(startedAtMs, checkedOutAtMs, checkedInAtMs) {
    this.#countWait(startedAtMs, checkedOutAtMs);
    this.useMs += checkedInAtMs - checkedOutAtMs;
  }

  /** Counts what no other wait covers. @param {number} fromMs @param {number} toMs */
  #countWait(fromMs, toMs) {
    this.waitMs += toMs - fromMs;
    // Most have no other.
    if (this.#waits === NO_WAITS && !this.#open?.nextOpen) return;
    let [firstMs, lastMs] = [fromMs, toMs];
    const others = this.#waits.filter(([otherFromMs, otherToMs]) => {
      if (otherToMs < fromMs || otherFromMs > toMs) return true;
      this.waitMs -= Math.min(toMs, otherToMs) - Math.max(fromMs, otherFromMs);
      firstMs = Math.min(firstMs, otherFromMs);
      lastMs = Math.max(lastMs, otherToMs);
      return false;
    });
    this.#waits = [...others, [firstMs, lastMs]];
  }

  /**
   * Counts a wait without a connection.
   * @param {Checkout} checkout
   * @param {number} atMs when it ended; NaN for never
   */
  addWait(checkout, atMs) {
    if (Number.isNaN(atMs)) return;
    checkout.gaveUpAtMs = atMs;
    this.#countWait(checkout.checkOutStartedAtMs, atMs);
  }

  /** Takes back such a wait, which was another caller's. @param {Checkout} checkout @returns {number} when it ended */
  takeBackWait(checkout) {
    const { gaveUpAtMs, checkOutStartedAtMs } = checkout;
    if (gaveUpAtMs >= checkOutStartedAtMs) this.waitMs = Math.max(0, this.waitMs - (gaveUpAtMs - checkOutStartedAtMs));
    checkout.gaveUpAtMs = NaN;
    return gaveUpAtMs;
  }

  /**
   * @param {Checkout} checkout
   * @param {boolean} isNested whether it begins in the scope of another one that may not have ended
   * @returns {boolean} whether it needs an async scope of its own to be distinguished from the others
   */
  begin(checkout, isNested) {
    this.isBeginning = false;
    const isAlone = !isNested && checkout.pool.isCallersFlow && !this.mayBeOpen;
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
    if (this.#open === null) this.#waits = NO_WAITS;
  }

  /** Aborts all its waits, because its signal did. */
  abort() {
    for (const checkout of this.#listOpen()) checkout.pool.abort(checkout);
  }

  /** Counts the connections of a pool that it has checked out. @param {ServerPool} pool */
  countHeld(pool) {
    let count = 0;
    for (let open = this.#open; open; open = open.nextOpen) if (open.pool === pool && open.connection) count += 1;
    return count;
  }

  /** Counts the waits so far of its checkouts that have no connection yet. @param {number} nowMs */
  countOpenWaits(nowMs) {
    for (const { connection, checkOutStartedAtMs } of this.#listOpen())
      if (!connection) this.#countWait(checkOutStartedAtMs, nowMs);
  }

  #listOpen() {
    const all = [];
    for (let open = this.#open; open; open = open.nextOpen) all.push(open);
    return all;
  }
}

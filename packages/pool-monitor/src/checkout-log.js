import { UNKNOWN } from './checkout-name.js';
import { listHolders } from './holders.js';
import { MAX_HOLDERS } from './longest.js';
import { Ring } from './ring.js';

/** @import { Checkout, CheckoutKind } from './checkout.js' */
/** @import { CheckoutName } from './checkout-name.js' */
/** @import { Holder } from './holders.js' */
/** @import { Longest } from './longest.js' */

const KEPT_MS = 5 * 60_000;
const MAX_KEPT = 10_000;

/**
 * @typedef {object} CheckoutRecord times are ms since the epoch, null if that did not happen
 * @property {number} id counts up
 * @property {string | null} pool the name of its client's monitor
 * @property {string | null} route null for a checkout outside of any request, unless Checkouts has a name for those
 * @property {string | null} requestId
 * @property {number | null} request the same number for all checkouts of a request
 * @property {string | null} operation such as `find users`, where known
 * @property {CheckoutKind | null} kind what can keep its connection for as long as it likes
 * @property {number} holds how many connections of the pool its request had checked out when this wait began
 * @property {number | null} connectionId the driver's; counts from 1 in each pool
 * @property {number} checkOutStartedAtMs
 * @property {number | null} checkedOutAtMs
 * @property {number | null} checkedInAtMs
 * @property {Holder[]} behind who held the connection while this one waited, the longest first; if it got none, who
 *   held the pool's connections longest when it failed
 * @property {'checkedIn' | 'operationFailed' | 'checkOutFailed' | 'checkOutAborted'} outcome operationFailed: checked in,
 *   but its operation failed, so its use is no service time; checkOutAborted: its caller stopped waiting
 * @property {string | null} reason the driver's, for checkOutFailed
 */

/** What becomes a record when somebody asks. */
class Entry {
  id = 0;
  /** @type {string | null} */
  pool = null;
  /** @type {CheckoutName} */
  name = UNKNOWN;
  holds = 0;
  checkOutStartedAtMs = NaN;
  checkedOutAtMs = NaN;
  checkedInAtMs = NaN;
  connectionId = 0;
  /** Always as many places, because an array that grows and shrinks costs time. @type {(CheckoutName | undefined)[]} */
  behind = Array.from({ length: MAX_HOLDERS });
  /** Null if it turned out that there was no such checkout. @type {CheckoutRecord['outcome'] | null} */
  outcome = null;
  /** @type {string | null} */
  reason = null;

  /** @param {Checkout} checkout who made it */
  describe({ pool, name, holds, checkOutStartedAtMs }) {
    this.pool = pool.clientName;
    this.name = name;
    this.holds = holds;
    this.checkOutStartedAtMs = checkOutStartedAtMs;
  }

  /** @returns {CheckoutRecord} */
  toRecord() {
    const { id, pool, name: { route, requestId, request, operation, kind }, holds, connectionId, reason } = this;
    return {
      id, pool, route, requestId, request, operation, kind, holds, connectionId: connectionId || null,
      checkOutStartedAtMs: toEpoch(this.checkOutStartedAtMs), checkedOutAtMs: orNull(this.checkedOutAtMs),
      checkedInAtMs: orNull(this.checkedInAtMs), behind: listHolders(this.behind),
      outcome: /** @type {CheckoutRecord['outcome']} */ (this.outcome), reason,
    };
  }
}

/** A record of each checkout of the last minutes. */
export class CheckoutLog {
  #ring;
  #keptMs;
  #now;

  /** @param {{ keptMs?: number, maxKept?: number, now?: () => number }} options see Checkouts */
  constructor({ keptMs = KEPT_MS, maxKept = MAX_KEPT, now = () => performance.now() }) {
    this.#keptMs = keptMs;
    this.#ring = new Ring(maxKept, () => new Entry());
    this.#now = now;
  }

  /** The id of the last checkout that ended, however long ago; 0 if there was none. */
  get lastId() {
    return this.#ring.lastId;
  }

  /**
   * @param {Checkout} checkout
   * @param {CheckoutRecord['outcome']} outcome
   * @param {Longest<CheckoutName> | null} behind
   * @param {string | null} reason
   */
  add(checkout, outcome, behind, reason) {
    const entry = this.#ring.next();
    entry.describe(checkout);
    entry.connectionId = checkout.connection?.id ?? 0;
    entry.checkedOutAtMs = checkout.checkedOutAtMs;
    entry.checkedInAtMs = checkout.checkedInAtMs;
    for (let place = 0; place < MAX_HOLDERS; place += 1) entry.behind[place] = behind?.items[place];
    entry.outcome = outcome;
    entry.reason = reason;
    checkout.recordId = entry.id;
  }

  /** @param {Checkout} checkout */
  markOperationFailed(checkout) {
    const entry = this.#find(checkout);
    if (entry) entry.outcome = 'operationFailed';
  }

  /**
   * A checkout that had ended without a connection was another caller's.
   * @param {Checkout} checkout
   * @param {Checkout} other whose it was
   */
  correct(checkout, other) {
    const entry = this.#find(checkout);
    [other.recordId, checkout.recordId] = [checkout.recordId, 0];
    if (!entry) return;
    entry.describe(other);
    if (!other.wasSeen && entry.outcome === 'checkOutAborted') entry.outcome = null;
  }

  /**
   * @param {{ after?: number, isOutside?: boolean }} [from] only those with a higher id; only those outside of any request
   * @returns {CheckoutRecord[]} in the order in which they ended
   */
  list({ after = 0, isOutside = false } = {}) {
    const sinceMs = this.#now() - this.#keptMs;
    return this.#listKept(after)
      .filter(({ checkOutStartedAtMs, name }) => checkOutStartedAtMs >= sinceMs && !(isOutside && name.request !== null))
      .map((entry) => entry.toRecord());
  }

  /** How many checkouts after an id are no longer listed. Ids can have other gaps. @param {number} after */
  countForgotten(after) {
    const sinceMs = this.#now() - this.#keptMs;
    const old = this.#listKept(after).filter((entry) => entry.checkOutStartedAtMs < sinceMs);
    return Math.max(0, this.#ring.forgottenId - after) + old.length;
  }

  /** @param {number} after */
  #listKept(after) {
    return this.#ring.after(after).filter(({ outcome }) => outcome !== null);
  }

  /** @param {Checkout} checkout */
  #find({ recordId }) {
    return this.#ring.find(recordId);
  }
}

/** @param {number} ms of performance.now() */
function toEpoch(ms) {
  return performance.timeOrigin + ms;
}

/** @param {number} ms */
function orNull(ms) {
  return Number.isNaN(ms) ? null : toEpoch(ms);
}

import { describeCheckout } from './describe-checkout.js';
import { listHolders, MAX_HOLDERS } from './holders.js';
import { MAX_KEPT, Ring } from './ring.js';

/** @import { Checkout, CheckoutKind, CheckoutPurpose } from './checkout.js' */
/** @import { CheckoutName, RequestName } from './checkout-name.js' */
/** @import { Holder, HolderGroup } from './holders.js' */
/** @import { PoolIdentity } from './pool-events.js' */

const KEPT_MS = 5 * 60_000;
/**
 * @typedef {object} CheckoutRecord times are ms since the epoch, null if that did not happen
 * @property {number} id counts up
 * @property {string | null} pool the name of its client's monitor
 * @property {string} server host:port
 * @property {string | null} route null for a checkout outside of any request, unless Checkouts has a name for those
 * @property {string | null} requestId
 * @property {number | null} request the same number for all checkouts of a request
 * @property {string | null} operation such as `find users`, where known
 * @property {CheckoutKind | null} kind of an operation that can keep its connection for as long as it likes
 * @property {number} [transaction] the same number for the checkouts of a transaction of this pool
 * @property {number} holds how many connections of the pool its request had checked out when this wait began
 * @property {number | null} connectionId the driver's; counts from 1 in each pool
 * @property {boolean} isFresh nobody had used that connection before
 * @property {number} openingMs how much of the wait was the opening of that connection
 * @property {number} checkOutStartedAtMs
 * @property {number | null} checkedOutAtMs
 * @property {number | null} checkedInAtMs
 * @property {number} endedAtMs when it was checked in, or got no connection
 * @property {HolderGroup[]} heldBy who had the pool's connections when the wait began, if none was free
 * @property {Holder[]} behind the holders of the connection while this one waited, the longest first; if it got none,
 *   the longest holders of the pool's connections when it failed
 * @property {'checkedIn' | 'operationFailed' | 'checkOutFailed' | 'checkOutAborted'} outcome operationFailed: checked
 *   in, but its operation failed, so its use is no service time; checkOutAborted: its caller stopped waiting
 * @property {string | null} reason the driver's, for checkOutFailed; WriteConflict for an operation that failed because
 *   another transaction had changed the same document
 */

/**
 * @typedef {Omit<CheckoutRecord, 'id' | 'outcome' | 'behind'> & { outcome: 'waiting' | 'checkedOut' }} OpenCheckout one
 *   that has not ended; endedAtMs is now. waiting: for a connection; checkedOut: it has one
 */

/** A record of each checkout of the last minutes. */
export class CheckoutLog extends Ring {
  #keptMs;
  #now;
  /** @type {PoolIdentity[]} */
  #pools = [];
  /** @type {RequestName[]} */
  #names = [];
  /** @type {(CheckoutPurpose | null)[]} */
  #purposes = [];
  #holds;
  #connectionIds;
  #isFresh;
  #openingMs;
  #checkOutStartedAtMs;
  #checkedOutAtMs;
  #checkedInAtMs;
  #endedAtMs;
  /** @type {(readonly CheckoutName[])[]} */
  #heldBy = [];
  /** MAX_HOLDERS places for each. @type {(CheckoutName | undefined)[]} */
  #behind = [];
  /** Null for a checkout that turned out not to exist. @type {(CheckoutRecord['outcome'] | null)[]} */
  #outcomes = [];
  /** @type {(string | null)[]} */
  #reasons = [];
  /** Lets `list` return at once for most apps: they have no work outside requests, but the page asks each second. */
  #lastOutsideId = 0;

  /** @param {{ keptMs?: number, maxKept?: number, now?: () => number }} options see Checkouts */
  constructor({ keptMs = KEPT_MS, maxKept = MAX_KEPT, now = () => performance.now() }) {
    super(maxKept);
    this.#keptMs = keptMs;
    this.#now = now;
    this.#holds = new Uint32Array(maxKept);
    this.#connectionIds = new Uint32Array(maxKept);
    this.#isFresh = new Uint8Array(maxKept);
    this.#openingMs = new Float64Array(maxKept);
    this.#checkOutStartedAtMs = new Float64Array(maxKept);
    this.#checkedOutAtMs = new Float64Array(maxKept);
    this.#checkedInAtMs = new Float64Array(maxKept);
    this.#endedAtMs = new Float64Array(maxKept);
  }

  /**
   * @param {Checkout} checkout
   * @param {CheckoutRecord['outcome']} outcome
   * @param {readonly (CheckoutName | undefined)[]} behind
   * @param {string | null} reason
   * @param {number} atMs
   */
  add(checkout, outcome, behind, reason, atMs) {
    const row = this.next();
    this.#describe(this.lastId, checkout);
    this.#connectionIds[row] = checkout.connection?.id ?? 0;
    this.#checkedOutAtMs[row] = checkout.checkedOutAtMs;
    this.#checkedInAtMs[row] = checkout.checkedInAtMs;
    this.#endedAtMs[row] = atMs;
    this.#isFresh[row] = checkout.isFresh ? 1 : 0;
    this.#openingMs[row] = checkout.openingMs;
    for (let place = 0; place < MAX_HOLDERS; place += 1) this.#behind[row * MAX_HOLDERS + place] = behind[place];
    this.#outcomes[row] = outcome;
    this.#reasons[row] = reason;
    checkout.recordId = this.lastId;
  }

  /** @param {Checkout} checkout */
  markOperationFailed({ recordId }) {
    if (recordId > this.forgottenId) this.#outcomes[this.rowOf(recordId)] = 'operationFailed';
  }

  /**
   * Corrects the record of a checkout that ended without a connection, but was another caller's.
   * @param {Checkout} checkout
   * @param {Checkout} other the one that really ended
   */
  correct(checkout, other) {
    const { recordId } = checkout;
    [other.recordId, checkout.recordId] = [recordId, 0];
    if (recordId <= this.forgottenId) return;
    this.#describe(recordId, other);
    const row = this.rowOf(recordId);
    if (!other.wasSeen && this.#outcomes[row] === 'checkOutAborted') this.#outcomes[row] = null;
  }

  /**
   * @param {{ after?: number, isOutside?: boolean }} [from] after: only those with a higher id; isOutside: only those
   *   outside of any request
   * @returns {CheckoutRecord[]} in the order in which they ended
   */
  list({ after = 0, isOutside = false } = {}) {
    if (isOutside && this.#lastOutsideId <= after) return [];
    const sinceMs = this.#now() - this.#keptMs;
    /** @type {CheckoutRecord[]} */
    const records = [];
    for (const id of this.idsAfter(after)) {
      if (this.#isOld(id, sinceMs) || (isOutside && this.#names[this.rowOf(id)].request !== null)) continue;
      records.push(this.#toRecord(id));
    }
    return records;
  }

  /** @param {number} after an id */
  countForgotten(after) {
    const sinceMs = this.#now() - this.#keptMs;
    let count = super.countForgotten(after);
    for (const id of this.idsAfter(after)) if (this.#isOld(id, sinceMs)) count += 1;
    return count;
  }

  /** @param {number} after @yields {number} */
  *idsAfter(after) {
    for (const id of super.idsAfter(after)) if (this.#outcomes[this.rowOf(id)] !== null) yield id;
  }

  /** @param {number} id @param {number} sinceMs */
  #isOld(id, sinceMs) {
    return this.#checkOutStartedAtMs[this.rowOf(id)] < sinceMs;
  }

  /** Writes who made a checkout. @param {number} id @param {Checkout} checkout */
  #describe(id, { pool, requestName, purpose, holds, heldBy, checkOutStartedAtMs }) {
    if (requestName.request === null) this.#lastOutsideId = Math.max(this.#lastOutsideId, id);
    const row = this.rowOf(id);
    this.#pools[row] = pool.identity;
    this.#names[row] = requestName;
    this.#purposes[row] = purpose;
    this.#holds[row] = holds;
    this.#heldBy[row] = heldBy;
    this.#checkOutStartedAtMs[row] = checkOutStartedAtMs;
  }

  /** @param {number} id @returns {CheckoutRecord} */
  #toRecord(id) {
    const row = this.rowOf(id);
    const checkout = {
      pool: { identity: this.#pools[row] },
      requestName: this.#names[row],
      purpose: this.#purposes[row],
      holds: this.#holds[row],
      connection: this.#connectionIds[row] > 0 ? { id: this.#connectionIds[row] } : null,
      isFresh: this.#isFresh[row] === 1,
      openingMs: this.#openingMs[row],
      checkOutStartedAtMs: this.#checkOutStartedAtMs[row],
      checkedOutAtMs: this.#checkedOutAtMs[row],
      checkedInAtMs: this.#checkedInAtMs[row],
      heldBy: this.#heldBy[row],
    };
    const behind = listHolders(this.#behind.slice(row * MAX_HOLDERS, (row + 1) * MAX_HOLDERS));
    const outcome = /** @type {CheckoutRecord['outcome']} */ (this.#outcomes[row]);
    return { id, ...describeCheckout(checkout, this.#endedAtMs[row], { behind, outcome, reason: this.#reasons[row] }) };
  }
}

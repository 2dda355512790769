import { callerOf } from './holders.js';

/** @import { Caller, CheckoutKind, Holder } from './holders.js' */
/** @import { Checkout } from './pool-events.js' */
/** @import { RequestName } from './request-context.js' */

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
 *
 * @typedef {{ pool: string | null, behind?: Holder[], outcome: CheckoutRecord['outcome'], reason?: string | null }} Ending
 *
 * @typedef {Omit<CheckoutRecord, 'route' | 'requestId' | 'request'> & { name: RequestName }} Entry a record to be
 */

/** A record of each checkout of the last minutes. */
export class CheckoutLog {
  /** @type {Entry[]} */
  #records = [];
  #lastId = 0;
  /** The newest id among the records that were thrown away. */
  #droppedId = 0;
  /** @type {WeakMap<Checkout, Entry>} */
  #recordOf = new WeakMap();
  #keptMs;
  #maxKept;
  #now;

  /** @param {{ keptMs?: number, maxKept?: number, now?: () => number }} options see Checkouts */
  constructor({ keptMs = KEPT_MS, maxKept = MAX_KEPT, now = () => performance.now() }) {
    this.#keptMs = keptMs;
    this.#maxKept = maxKept;
    this.#now = now;
  }

  /** The id of the last checkout that ended, however long ago; 0 if there was none. */
  get lastId() {
    return this.#lastId;
  }

  /** @param {Checkout} checkout @param {Ending} ending */
  add(checkout, { pool, behind = [], outcome, reason = null }) {
    const caller = callerOf(checkout);
    const record = {
      id: ++this.#lastId,
      pool,
      ...describe(caller),
      connectionId: checkout.connection?.id ?? null,
      checkedOutAtMs: orNull(checkout.checkedOutAtMs),
      checkedInAtMs: orNull(checkout.checkedInAtMs),
      behind,
      outcome,
      reason,
    };
    this.#records.push(record);
    this.#recordOf.set(checkout, record);
    // Rarely, and many at once: then adding a record costs almost nothing.
    if (this.#records.length >= 2 * this.#maxKept) {
      this.#droppedId = this.#records[this.#records.length - this.#maxKept - 1].id;
      this.#records = this.#records.slice(-this.#maxKept);
    }
  }

  /** @param {Checkout} checkout */
  markOperationFailed(checkout) {
    const record = this.#recordOf.get(checkout);
    if (record) record.outcome = 'operationFailed';
  }

  /**
   * An aborted checkout turned out to be another caller's.
   * @param {Checkout} checkout
   * @param {Caller} caller whose it is
   * @returns {boolean} whether it was aborted
   */
  correctAborted(checkout, caller) {
    const record = this.#recordOf.get(checkout);
    if (record?.outcome !== 'checkOutAborted') return false;
    if (caller.wasSeen) {
      Object.assign(record, describe(caller));
    } else {
      this.#records = this.#records.filter((each) => each !== record);
    }
    return true;
  }

  /**
   * @param {{ after?: number }} [from] only those with a higher id
   * @returns {CheckoutRecord[]} in the order in which they ended
   */
  list({ after = 0 } = {}) {
    const sinceMs = toEpoch(this.#now()) - this.#keptMs;
    return this.#records.slice(-this.#maxKept)
      .filter(({ id, checkOutStartedAtMs }) => id > after && checkOutStartedAtMs >= sinceMs)
      .map(({ id, pool, name: { route, requestId, request }, ...rest }) => ({ id, pool, route, requestId, request, ...rest }));
  }

  /** How many checkouts after an id are no longer listed. Ids can have other gaps. @param {number} after */
  countForgotten(after) {
    const kept = this.#records.filter(({ id }) => id > after).length;
    return Math.max(0, this.#droppedId - after) + kept - this.list({ after }).length;
  }
}

/** @param {Caller} caller */
function describe({ name, operation, kind, holds, checkOutStartedAtMs }) {
  return { name, operation, kind, holds, checkOutStartedAtMs: toEpoch(checkOutStartedAtMs) };
}

/** @param {number} ms of performance.now() */
function toEpoch(ms) {
  return performance.timeOrigin + ms;
}

/** @param {number} ms */
function orNull(ms) {
  return Number.isNaN(ms) ? null : toEpoch(ms);
}

import { listHolders } from './holders.js';
import { Ring } from './ring.js';

/** @import { CheckoutName, RequestName } from './checkout-name.js' */
/** @import { EndedRequest, RequestContext } from './request-context.js' */

const MAX_KEPT = 10_000;

/** @typedef {EndedRequest & { id: number, endedAtMs: number }} RequestRecord id counts up; endedAtMs: since the epoch */

/** What becomes a record when somebody asks. */
class Entry {
  id = 0;
  /** @type {RequestName | null} */
  name = null;
  method = '';
  status = 0;
  endedAtMs = NaN;
  totalMs = NaN;
  waitMs = NaN;
  useMs = NaN;
  /** @type {CheckoutName[]} */
  behind = [];

  /** @param {RequestContext} context */
  write({ name, method, status, arrivedAtMs, totalMs, waitMs, useMs, behindNames }) {
    this.name = name;
    this.method = method;
    this.status = status;
    this.endedAtMs = arrivedAtMs + totalMs;
    this.totalMs = totalMs;
    this.waitMs = waitMs;
    this.useMs = useMs;
    this.behind = behindNames;
  }

  /** @returns {RequestRecord} */
  toRecord() {
    const { id, method, status, endedAtMs, totalMs, waitMs, useMs, behind } = this;
    const { requestId, route } = /** @type {RequestName} */ (this.name);
    return {
      id, endedAtMs: performance.timeOrigin + endedAtMs, requestId: String(requestId), method, route: String(route), status,
      totalMs, waitMs, useMs, behind: listHolders(behind),
    };
  }
}

/** The last requests that ended. */
export class RequestLog {
  #ring = new Ring(MAX_KEPT, () => new Entry());

  /** The id of the last request that ended; 0 if there was none. */
  get lastId() {
    return this.#ring.lastId;
  }

  /** @param {RequestContext} context */
  add(context) {
    this.#ring.next().write(context);
  }

  /** @param {{ after?: number }} [from] only those with a higher id @returns {RequestRecord[]} in the order of their ends */
  list({ after = 0 } = {}) {
    return this.#ring.after(after).map((entry) => entry.toRecord());
  }

  /** How many requests after an id are no longer listed. @param {number} after */
  countForgotten(after) {
    return Math.max(0, this.#ring.forgottenId - after);
  }
}

import { listHolders } from './holders.js';
import { Ring } from './ring.js';

/** @import { CheckoutName, RequestName } from './checkout-name.js' */
/** @import { EndedRequest, RequestContext } from './request-context.js' */

const MAX_KEPT = 10_000;

/**
 * @typedef {EndedRequest & { id: number, endedAtMs: number }} RequestRecord id counts up; endedAtMs is since the epoch
 */

/** The last requests that ended. */
export class RequestLog {
  #ring = new Ring(MAX_KEPT);
  /** @type {RequestName[]} */
  #names = [];
  /** @type {string[]} */
  #methods = [];
  #statuses = new Uint16Array(MAX_KEPT);
  #sockets = new Uint32Array(MAX_KEPT);
  #endedAtMs = new Float64Array(MAX_KEPT);
  #totalMs = new Float64Array(MAX_KEPT);
  #waitMs = new Float64Array(MAX_KEPT);
  #useMs = new Float64Array(MAX_KEPT);
  /** @type {CheckoutName[][]} */
  #behind = [];

  /** The id of the last request that ended; 0 if there was none. */
  get lastId() {
    return this.#ring.lastId;
  }

  /** @param {RequestContext} context */
  add({ name, method, status, socket, arrivedAtMs, totalMs, waitMs, useMs, behindNames }) {
    const row = this.#ring.next();
    this.#names[row] = name;
    this.#methods[row] = method;
    this.#statuses[row] = status;
    this.#sockets[row] = socket;
    this.#endedAtMs[row] = arrivedAtMs + totalMs;
    this.#totalMs[row] = totalMs;
    this.#waitMs[row] = waitMs;
    this.#useMs[row] = useMs;
    this.#behind[row] = behindNames;
  }

  /**
   * @param {{ after?: number }} [from] only those with a higher id
   * @returns {RequestRecord[]} in the order in which they ended
   */
  list({ after = 0 } = {}) {
    return Array.from(this.#ring.idsAfter(after), (id) => this.#toRecord(id));
  }

  /** Counts the requests after an id that are no longer listed. @param {number} after */
  countForgotten(after) {
    return Math.max(0, this.#ring.forgottenId - after);
  }

  /** @param {number} id @returns {RequestRecord} */
  #toRecord(id) {
    const row = this.#ring.rowOf(id);
    const { requestId, request, route } = this.#names[row];
    return {
      id,
      endedAtMs: performance.timeOrigin + this.#endedAtMs[row],
      requestId: String(requestId),
      request: Number(request),
      method: this.#methods[row],
      route: String(route),
      status: this.#statuses[row],
      socket: this.#sockets[row],
      totalMs: this.#totalMs[row],
      waitMs: this.#waitMs[row],
      useMs: this.#useMs[row],
      behind: listHolders(this.#behind[row]),
    };
  }
}

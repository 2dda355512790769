import { listHolders } from './holders.js';
import { MAX_KEPT, Ring } from './ring.js';

/** @import { CheckoutName, RequestName } from './checkout-name.js' */
/** @import { EndedRequest, RequestContext } from './request-context.js' */

/**
 * @typedef {EndedRequest & { id: number, endedAtMs: number }} RequestRecord id counts up; endedAtMs is since the epoch
 */

/** The last requests that ended. */
export class RequestLog extends Ring {
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

  /** @param {RequestContext} context */
  add({ name, method, status, socket, arrivedAtMs, totalMs, waitMs, useMs, behindNames }) {
    const row = this.next();
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
    return Array.from(this.idsAfter(after), (id) => this.#toRecord(id));
  }

  /** @param {number} id @returns {RequestRecord} */
  #toRecord(id) {
    const row = this.rowOf(id);
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

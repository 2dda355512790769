/** @import { EndedRequest } from './requests.js' */

const MAX_KEPT = 10_000;

/** @typedef {EndedRequest & { id: number, endedAtMs: number }} RequestRecord id counts up; endedAtMs: since the epoch */

/** The last requests that ended. */
export class RequestLog {
  /** @type {RequestRecord[]} */
  #records = [];
  /** The id of the last request that ended; 0 if there was none. */
  lastId = 0;

  /** @param {EndedRequest} request */
  add(request) {
    this.#records.push({ id: ++this.lastId, endedAtMs: performance.timeOrigin + performance.now(), ...request });
    // Rarely, and many at once: then adding a record costs almost nothing.
    if (this.#records.length >= 2 * MAX_KEPT) this.#records = this.#records.slice(-MAX_KEPT);
  }

  /** @param {{ after?: number }} [from] only those with a higher id @returns {RequestRecord[]} in the order of their ends */
  list({ after = 0 } = {}) {
    const count = Math.min(MAX_KEPT, this.#records.length, Math.max(0, this.lastId - after));
    return this.#records.slice(this.#records.length - count);
  }

  /** How many requests after an id are no longer listed. @param {number} after */
  countForgotten(after) {
    return Math.max(0, this.lastId - after - MAX_KEPT);
  }
}

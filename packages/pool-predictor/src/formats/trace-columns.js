/** @import { Trace } from './trace.js' */

/** A clock may count from any moment, as long as milliseconds stay exact. */
export const MAX_START_MS = Number.MAX_SAFE_INTEGER;

/** Stands in for a missing route. */
const UNNAMED_ROUTE = 'checkout';

/**
 * @typedef {object} TracedCheckout
 * @property {number} startedMs of any clock
 * @property {number | null} waitMs
 * @property {number | null} useMs null if it got no connection
 * @property {string} [route]
 * @property {string | number | null} [request] the same for all checkouts of a request
 * @property {boolean} [failed] whether its operation failed
 */

/** Collects checkouts and turns them into a trace. */
export class TraceColumns {
  #file;
  /** @type {Record<'started' | 'wait' | 'use' | 'route' | 'request', number[]>} */
  #columns = { started: [], wait: [], use: [], route: [], request: [] };
  /** @type {Map<string, number>} */
  #routes = new Map();
  /** @type {Map<string | number, number>} */
  #requests = new Map();
  #unserved = 0;
  #failed = 0;

  /** @param {string} file for errors */
  constructor(file) {
    this.#file = file;
  }

  /** @param {TracedCheckout} checkout */
  add({ startedMs, waitMs, useMs, route = UNNAMED_ROUTE, request = null, failed = false }) {
    if (useMs === null) {
      this.#unserved++;
    } else if (failed) {
      this.#failed++;
    } else {
      this.#columns.started.push(startedMs);
      this.#columns.wait.push(Number(waitMs));
      this.#columns.use.push(useMs);
      this.#columns.route.push(indexIn(this.#routes, route));
      this.#columns.request.push(request === null ? -1 : indexIn(this.#requests, request));
    }
  }

  /**
   * @param {Record<string, unknown>} header
   * @param {object} [facts]
   * @param {string[]} [facts.warnings]
   * @param {boolean} [facts.lacksWaits]
   * @param {Trace['server']} [facts.server]
   * @returns {Trace}
   * @throws {Error} if no checkout is left
   */
  toTrace(header, { warnings = [], lacksWaits = false, server } = {}) {
    const { started, wait, use, route, request } = this.#columns;
    if (started.length === 0) {
      const left = [
        ...(this.#unserved ? [`${this.#unserved} that got no connection`] : []),
        ...(this.#failed ? [`${this.#failed} that failed`] : []),
      ];
      throw new Error(`${this.#file} has no checkouts${left.length > 0 ? ` but ${left.join(' and ')}` : ''}`);
    }
    const order = Uint32Array.from(started.keys()).sort((a, b) => started[a] - started[b]);
    const firstMs = started[order[0]];
    return {
      header,
      routes: [...this.#routes.keys()],
      checkOutStartedMs: Float64Array.from(order, (index) => started[index] - firstMs),
      waitMs: Float64Array.from(order, (index) => wait[index]),
      useMs: Float64Array.from(order, (index) => use[index]),
      routeOf: Uint32Array.from(order, (index) => route[index]),
      ...(this.#requests.size > 0 && { requestOf: Int32Array.from(order, (index) => request[index]) }),
      ...(lacksWaits && { lacksWaits }),
      ...(server && { server }),
      warnings: [
        ...warnings,
        ...this.#describeLeftOut(this.#unserved, 'got no connection'),
        ...this.#describeLeftOut(this.#failed, 'had a failed operation'),
      ],
    };
  }

  /** @param {number} count @param {string} why */
  #describeLeftOut(count, why) {
    if (count === 0) return [];
    return [count === 1 ? `1 checkout ${why} and is left out: its service time is unknown`
      : `${count} checkouts ${why} and are left out: their service times are unknown`];
  }
}

/** @param {unknown} value @returns {value is number} */
export function isStartMs(value) {
  return typeof value === 'number' && Math.abs(value) <= MAX_START_MS;
}

/** @template K @param {Map<K, number>} indices @param {K} key */
function indexIn(indices, key) {
  let index = indices.get(key);
  if (index === undefined) indices.set(key, index = indices.size);
  return index;
}

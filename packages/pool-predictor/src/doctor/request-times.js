import { groupBy } from '../base/group-by.js';
import { Intervals } from '../base/intervals.js';

/** @import { RecordedTrace } from '../reading/recorded-trace.js' */

/**
 * What a request did, in ms.
 *
 * @typedef {object} RequestTimes of those whose own line is in the trace
 * @property {number} row
 * @property {number} route
 * @property {number} startedMs
 * @property {number} durationMs
 * @property {number} waitMs some checkout waited
 * @property {number} useMs none waited, and some had a connection
 * @property {number} beforeMs before its first checkout
 * @property {number} outsideMs without any checkout, with the time before the first one
 */

/** The checkouts of each request, in the order of their starts. */
export class RequestCheckouts {
  /** Rows of all checkouts of requests, those of each request together. */
  #rows;
  /** By request: its first one in `#rows`; one more for the end. */
  #from;

  /** @param {Pick<RecordedTrace, 'checkouts' | 'requests'>} trace */
  constructor({ checkouts: { requestOf }, requests }) {
    this.#from = new Uint32Array(requests.length + 1);
    for (const request of requestOf) if (request >= 0) this.#from[request + 1]++;
    for (let request = 0; request < requests.length; request++) this.#from[request + 1] += this.#from[request];
    this.#rows = new Uint32Array(this.#from[requests.length]);
    const next = this.#from.slice();
    requestOf.forEach((request, row) => {
      if (request >= 0) this.#rows[next[request]++] = row;
    });
  }

  /** @param {number} request row @returns {number[]} rows of checkouts */
  of(request) {
    return Array.from(this.#rows.subarray(this.#from[request], this.#from[request + 1]));
  }
}

/**
 * How many checkouts of its pool a request had open at a time.
 * @param {RecordedTrace} trace
 * @param {number[]} rows
 * @param {number} pool
 * @param {number} atMs
 */
export function countOpen({ checkouts: { startedMs, waitMs, useMs, poolOf } }, rows, pool, atMs) {
  let count = 0;
  for (const row of rows) {
    if (startedMs[row] > atMs) break;
    if (poolOf[row] === pool && startedMs[row] + waitMs[row] + (useMs[row] || 0) >= atMs) count++;
  }
  return count;
}

/**
 * The checkouts of each pool that belong to no request, such as those of a job, while requests use the app. Streams,
 * which keep a connection for good, are not among them.
 *
 * @param {RecordedTrace} trace
 * @returns {Map<number, Intervals>[]} by pool, and by route, the name of a job: from their starts to their ends
 */
export function listBackground({ checkouts, ...trace }) {
  const { startedMs, waitMs, useMs, requestOf, poolOf, routeOf, operationOf } = checkouts;
  const hasRequests = trace.requests.length > 0;
  const rows = [...requestOf.keys()].filter(
    (row) => hasRequests && requestOf[row] < 0 && !trace.operations[operationOf[row]]?.kind,
  );
  return trace.pools.map((_, pool) => {
    const byRoute = groupBy(
      rows.filter((row) => poolOf[row] === pool),
      (row) => routeOf[row],
    );
    return new Map(
      Array.from(byRoute, ([route, own]) => [
        route,
        new Intervals(
          own.map((row) => startedMs[row]),
          own.map((row) => startedMs[row] + waitMs[row] + (useMs[row] || 0)),
        ),
      ]),
    );
  });
}

/**
 * How much each checkout adds to the wait of its request: the time in which at least one of its checkouts waits, until
 * its answer. Waits at the same time count once, for the one that began first, so that no request waits longer than it
 * lasts. It may have connections for other queries meanwhile: what it waits for is what it could have had with more.
 *
 * @param {RecordedTrace} trace
 * @param {RequestCheckouts} byRequest
 * @returns {Float64Array} in ms, by checkout; that of one outside of any request is its own wait
 */
export function splitWaits({ checkouts: { startedMs, waitMs, requestOf }, requests }, byRequest) {
  const ownMs = Float64Array.from(waitMs, (ms, row) => (requestOf[row] < 0 ? ms : 0));
  for (let request = 0; request < requests.length; request++) {
    const { startedMs: fromMs, durationMs } = requests;
    const isKnown = !Number.isNaN(fromMs[request]);
    let waitEndMs = isKnown ? fromMs[request] : -Infinity;
    const untilMs = isKnown ? fromMs[request] + durationMs[request] : Infinity;
    for (const row of byRequest.of(request)) {
      const outMs = Math.min(untilMs, startedMs[row] + waitMs[row]);
      ownMs[row] = Math.max(0, outMs - Math.max(waitEndMs, startedMs[row]));
      waitEndMs = Math.max(waitEndMs, outMs);
    }
  }
  return ownMs;
}

/**
 * @param {RecordedTrace} trace
 * @param {{ byRequest: RequestCheckouts, waitedMs: Float64Array }} known waitedMs: see splitWaits
 * @returns {RequestTimes[]}
 */
export function splitRequests(trace, { byRequest, waitedMs }) {
  const { requests } = trace;
  const times = new TimesColumns(requests);
  const known = [...requests.startedMs.keys()].filter((row) => !Number.isNaN(requests.startedMs[row]));
  return known.map((row) => {
    times.split(trace.checkouts, row, byRequest.of(row), waitedMs);
    return new SplitRequest(times, row);
  });
}

/** The parts of the times of all requests, by row. */
class TimesColumns {
  /** @param {RecordedTrace['requests']} requests */
  constructor(requests) {
    this.requests = requests;
    this.waitMs = new Float64Array(requests.length);
    this.useMs = new Float64Array(requests.length);
    this.beforeMs = new Float64Array(requests.length);
    this.outsideMs = new Float64Array(requests.length);
  }

  /**
   * @param {RecordedTrace['checkouts']} checkouts
   * @param {number} row of a request
   * @param {number[]} rows of its checkouts
   * @param {Float64Array} waitsMs
   */
  split({ startedMs, waitMs, useMs }, row, rows, waitsMs) {
    const [fromMs, durationMs] = [this.requests.startedMs[row], this.requests.durationMs[row]];
    const untilMs = fromMs + durationMs;
    let [waitedMs, coveredMs, endMs] = [0, 0, fromMs];
    for (const each of rows) {
      const inMs = Math.min(untilMs, startedMs[each] + waitMs[each] + (useMs[each] || 0));
      waitedMs += waitsMs[each];
      coveredMs += Math.max(0, inMs - Math.max(endMs, startedMs[each]));
      endMs = Math.max(endMs, inMs);
    }
    const firstMs = rows.length === 0 ? fromMs : Math.min(untilMs, Math.max(fromMs, startedMs[rows[0]]));
    this.waitMs[row] = waitedMs;
    this.useMs[row] = Math.max(0, coveredMs - waitedMs);
    this.beforeMs[row] = firstMs - fromMs;
    this.outsideMs[row] = Math.max(0, durationMs - coveredMs);
  }
}

/** RequestTimes that are read from columns: there may be a million. @implements {RequestTimes} */
class SplitRequest {
  #times;

  /** @param {TimesColumns} times @param {number} row */
  constructor(times, row) {
    this.#times = times;
    this.row = row;
  }

  get route() {
    return this.#times.requests.routeOf[this.row];
  }

  get startedMs() {
    return this.#times.requests.startedMs[this.row];
  }

  get durationMs() {
    return this.#times.requests.durationMs[this.row];
  }

  get waitMs() {
    return this.#times.waitMs[this.row];
  }

  get useMs() {
    return this.#times.useMs[this.row];
  }

  get beforeMs() {
    return this.#times.beforeMs[this.row];
  }

  get outsideMs() {
    return this.#times.outsideMs[this.row];
  }
}

/** @import { RecordedTrace } from '../trace/recorded-trace.js' */

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
  #from;
  #rows;

  /** @param {RecordedTrace} trace */
  constructor({ checkouts: { length, requestOf }, requests }) {
    const from = new Int32Array(requests.length + 1);
    for (let row = 0; row < length; row++) if (requestOf[row] >= 0) from[requestOf[row] + 1]++;
    for (let request = 0; request < requests.length; request++) from[request + 1] += from[request];
    const next = from.slice();
    this.#rows = new Int32Array(from[requests.length]);
    for (let row = 0; row < length; row++) if (requestOf[row] >= 0) this.#rows[next[requestOf[row]]++] = row;
    this.#from = from;
  }

  /** @param {number} request row @returns {Int32Array} rows of checkouts */
  of(request) {
    return this.#rows.subarray(this.#from[request], this.#from[request + 1]);
  }
}

/**
 * How many checkouts of its pool a request had open at a time.
 * @param {RecordedTrace} trace
 * @param {Int32Array} rows
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

/** @param {RecordedTrace} trace @param {RequestCheckouts} byRequest @returns {RequestTimes[]} */
export function splitRequests(trace, byRequest) {
  const { requests } = trace;
  const times = [];
  for (let row = 0; row < requests.length; row++) {
    if (Number.isNaN(requests.startedMs[row])) continue;
    times.push(splitRequest(trace, row, byRequest.of(row)));
  }
  return times;
}

/** @param {RecordedTrace} trace @param {number} row @param {Int32Array} rows @returns {RequestTimes} */
function splitRequest({ checkouts: { startedMs, waitMs, useMs }, requests }, row, rows) {
  const [fromMs, durationMs] = [requests.startedMs[row], requests.durationMs[row]];
  const untilMs = fromMs + durationMs;
  let [waitedMs, coveredMs, waitEndMs, endMs] = [0, 0, fromMs, fromMs];
  for (const each of rows) {
    const outMs = Math.min(untilMs, startedMs[each] + waitMs[each]);
    const inMs = Math.min(untilMs, outMs + (useMs[each] || 0));
    waitedMs += Math.max(0, outMs - Math.max(waitEndMs, startedMs[each]));
    coveredMs += Math.max(0, inMs - Math.max(endMs, startedMs[each]));
    waitEndMs = Math.max(waitEndMs, outMs);
    endMs = Math.max(endMs, inMs);
  }
  const firstMs = rows.length === 0 ? untilMs : Math.min(untilMs, Math.max(fromMs, startedMs[rows[0]]));
  return {
    row,
    route: requests.routeOf[row],
    startedMs: fromMs,
    durationMs,
    waitMs: waitedMs,
    useMs: Math.max(0, coveredMs - waitedMs),
    beforeMs: rows.length === 0 ? 0 : firstMs - fromMs,
    outsideMs: Math.max(0, durationMs - coveredMs),
  };
}

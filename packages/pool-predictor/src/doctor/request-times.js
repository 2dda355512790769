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
  #rows;

  /** @param {Pick<RecordedTrace, 'checkouts'>} trace */
  constructor({ checkouts: { requestOf } }) {
    this.#rows = groupBy(requestOf.keys(), (row) => requestOf[row]);
  }

  /** @param {number} request row @returns {number[]} rows of checkouts */
  of(request) {
    return this.#rows.get(request) ?? [];
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
 * @returns {Intervals[]} by pool, from their starts to their ends
 */
export function listBackground({ checkouts: { startedMs, waitMs, useMs, requestOf, poolOf, operationOf }, ...trace }) {
  const hasRequests = trace.requests.length > 0;
  const rows = [...requestOf.keys()].filter(
    (row) => hasRequests && requestOf[row] < 0 && !trace.operations[operationOf[row]]?.kind,
  );
  return trace.pools.map((_, pool) => {
    const own = rows.filter((row) => poolOf[row] === pool);
    return new Intervals(
      own.map((row) => startedMs[row]),
      own.map((row) => startedMs[row] + waitMs[row] + (useMs[row] || 0)),
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
  const known = [...requests.startedMs.keys()].filter((row) => !Number.isNaN(requests.startedMs[row]));
  return known.map((row) => splitRequest(trace, row, byRequest.of(row), waitedMs));
}

/**
 * @param {RecordedTrace} trace
 * @param {number} row
 * @param {number[]} rows of its checkouts
 * @param {Float64Array} waitsMs
 * @returns {RequestTimes}
 */
function splitRequest({ checkouts: { startedMs, waitMs, useMs }, requests }, row, rows, waitsMs) {
  const [fromMs, durationMs] = [requests.startedMs[row], requests.durationMs[row]];
  const untilMs = fromMs + durationMs;
  let [waitedMs, coveredMs, endMs] = [0, 0, fromMs];
  for (const each of rows) {
    const inMs = Math.min(untilMs, startedMs[each] + waitMs[each] + (useMs[each] || 0));
    waitedMs += waitsMs[each];
    coveredMs += Math.max(0, inMs - Math.max(endMs, startedMs[each]));
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

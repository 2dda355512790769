import { COMMON } from '../assumptions/common-assumptions.js';
import { TRACE } from '../assumptions/trace-assumptions.js';
import { Intervals } from '../base/intervals.js';
import { planRecorded } from '../simulator/request-plan.js';
import { levelRounding, sameMsOf } from '../reading/resolution.js';

/** @import { CallerRequest } from '../simulator/arrivals.js' */
/** @import { KnownRequest } from '../simulator/request-plan.js' */
/** @import { Trace } from './trace.js' */

/**
 * The requests of a trace, each with its checkouts, in the order of their first ones. A checkout that no request is
 * known for, or that started after the answer of its request, is one of its own.
 *
 * @typedef {object} TracedRequests
 * @property {number} length
 * @property {Uint32Array} rows the checkouts, those of each request together and in order
 * @property {Uint32Array} from by request: its first one in `rows`; one more for the end
 * @property {Float64Array} checkedInMs by request: when its last checkout ended
 * @property {Float64Array} startedMs by request: when it arrived, or else its first checkout started
 * @property {Float64Array} endedMs by request: its answer, or else its last check-in
 * @property {Uint8Array} isMeasured by request: 1: its start and its answer are known
 */

/** @param {Trace} trace @returns {TracedRequests} */
export function joinRequests({ checkOutStartedMs, waitMs, useMs, requestOf, requestStartedMs, requestEndedMs }) {
  const { length } = checkOutStartedMs;
  const ofRow = new Uint32Array(length);
  /** Request of each number in the file. @type {Map<number, number>} */
  const known = new Map();
  /** @type {number[]} */
  const firsts = [];
  /** @type {number[]} */
  const counts = [];
  for (let row = 0; row < length; row++) {
    const number = requestOf?.[row] ?? -1;
    const isLate = checkOutStartedMs[row] > Number(requestEndedMs?.[row]);
    let request = number < 0 || isLate ? undefined : known.get(number);
    if (request === undefined) {
      request = firsts.push(row) - 1;
      counts.push(0);
      if (number >= 0 && !isLate) known.set(number, request);
    }
    ofRow[row] = request;
    counts[request]++;
  }
  const from = new Uint32Array(firsts.length + 1);
  counts.forEach((count, request) => (from[request + 1] = from[request] + count));
  const next = from.slice();
  const rows = new Uint32Array(length);
  const checkedInMs = new Float64Array(firsts.length).fill(-Infinity);
  for (let row = 0; row < length; row++) {
    const request = ofRow[row];
    rows[next[request]++] = row;
    checkedInMs[request] = Math.max(checkedInMs[request], checkOutStartedMs[row] + waitMs[row] + useMs[row]);
  }
  const isMeasured = Uint8Array.from(firsts, (row) => {
    const isKnown = Number(requestStartedMs?.[row]) <= checkOutStartedMs[row] + TRACE.sameMomentMs;
    return isKnown && checkOutStartedMs[row] <= Number(requestEndedMs?.[row]) ? 1 : 0;
  });
  return {
    length: firsts.length,
    rows,
    from,
    checkedInMs,
    startedMs: Float64Array.from(firsts, (row, request) =>
      isMeasured[request] ? Math.min(Number(requestStartedMs?.[row]), checkOutStartedMs[row]) : checkOutStartedMs[row],
    ),
    endedMs: Float64Array.from(firsts, (row, request) =>
      isMeasured[request] ? Number(requestEndedMs?.[row]) : checkedInMs[request],
    ),
    isMeasured,
  };
}

/**
 * The waits that a pool explains: for one of its connections while all were in use, or while one was being opened. The
 * others are 0.
 * @param {Trace} trace
 */
export function listPoolWaits({ checkOutStartedMs, waitMs, isBehind, openings }) {
  if (!isBehind) return Array.from(waitMs);
  const { fromMs = [], durationsMs = [] } = openings ?? {};
  const opening = new Intervals(
    fromMs,
    Array.from(fromMs, (ms, index) => ms + durationsMs[index]),
  );
  return Array.from(waitMs, (ms, row) => {
    const startedMs = checkOutStartedMs[row];
    return isBehind[row] || opening.coveredMs(startedMs, startedMs + ms) > 0 ? ms : 0;
  });
}

/** Gaps of a request with one query, which waits for no other one. */
const AT_ONCE = [0];

/**
 * Makes the requests of a trace ready to be sent again. What a pool does not explain of a wait, such as a busy process,
 * comes before the query at every size.
 *
 * @param {Trace} trace
 * @param {TracedRequests} requests
 * @param {{ servicesMs: ArrayLike<number>, handoversMs: ArrayLike<number> }} times by checkout
 * @returns {CallerRequest[]} without think times
 */
export function planRequests(
  trace,
  { length, rows, from, startedMs, endedMs, isMeasured },
  { servicesMs, handoversMs },
) {
  const { checkOutStartedMs, waitMs, useMs, routes, routeOf } = trace;
  const sameMs = sameMsOf(trace.resolutionMs);
  const poolWaitsMs = listPoolWaits(trace);
  /** @type {KnownRequest[]} */
  const several = [];
  /** @type {{ gapsMs: number[], ownRows: Uint32Array }[]} */
  const delayed = [];
  const otherMsOf = (/** @type {number} */ row) => waitMs[row] - poolWaitsMs[row];
  const planned = Array.from({ length }, (_, request) => {
    const ownRows = rows.subarray(from[request], from[request + 1]);
    const [first] = ownRows;
    const route = routes[routeOf[first]];
    const single = { route, serviceMs: servicesMs[first], handoverMs: handoversMs[first], thinkMs: 0 };
    const isAtOnce = ownRows.every((row) => otherMsOf(row) <= COMMON.waitedMs);
    if (ownRows.length === 1 && !isMeasured[request] && isAtOnce) return single;
    const startsMs = Array.from(ownRows, (row) => checkOutStartedMs[row]);
    const { startsAfter, gapsMs, endsAfter, restMs } = planRecorded({
      startsMs,
      endsMs: Array.from(ownRows, (row) => checkOutStartedMs[row] + waitMs[row] + useMs[row]),
      endMs: endedMs[request],
      sameMs,
    });
    const isAlone = ownRows.length === 1;
    const known = {
      // Simulations read them again and again, and most are alike.
      startsAfter: isAlone ? AT_ONCE : startsAfter,
      gapsMs: isAlone && isAtOnce ? AT_ONCE : gapsMs,
      endsAfter,
      restMs,
      servicesMs: Array.from(ownRows, (row) => servicesMs[row]),
      handoversMs: ownRows.some((row) => handoversMs[row] > 0) ? Array.from(ownRows, (row) => handoversMs[row]) : null,
      leadMs: startsMs[0] - startedMs[request],
      isMeasured: isMeasured[request] === 1,
    };
    if (!isAlone) several.push(known);
    if (!isAtOnce) delayed.push({ gapsMs, ownRows });
    return { ...single, known };
  });
  const levelMs = levelRounding(
    several.flatMap(({ gapsMs, startsAfter }) => gapsMs.filter((_, query) => startsAfter[query] > 0)),
    sameMs,
  );
  let next = 0;
  for (const { gapsMs, startsAfter } of several)
    startsAfter.forEach((ends, query) => {
      if (ends > 0) gapsMs[query] = levelMs[next++];
    });
  for (const { gapsMs, ownRows } of delayed)
    ownRows.forEach((row, query) => {
      if (otherMsOf(row) > COMMON.waitedMs) gapsMs[query] += otherMsOf(row);
    });
  return planned;
}

import { COMMON } from '../assumptions/common-assumptions.js';
import { Intervals } from '../base/intervals.js';
import { planRecorded } from '../simulator/request-plan.js';
import { levelRounding, sameMsOf } from '../reading/resolution.js';

/** @import { CallerRequest } from '../simulator/arrivals.js' */
/** @import { KnownRequest } from '../simulator/request-plan.js' */
/** @import { QuerylessRequest, Trace } from './trace.js' */

/**
 * The requests of a trace, each with its checkouts, in the order in which they came to the pool. A checkout that no
 * request is known for, or that started after the answer of its request, is one of its own. Those without a query come
 * to no pool, and are in the order of their arrivals.
 *
 * @typedef {object} TracedRequests
 * @property {number} length
 * @property {Uint32Array} rows the checkouts, those of each request together and in order
 * @property {Uint32Array} from by request: its first one in `rows`; one more for the end
 * @property {Int32Array} numberOf by request: its number, as in requestOf of the trace; -1 where unknown
 * @property {Uint32Array} routeOf by request
 * @property {Int32Array} socketOf by request, -1 where unknown
 * @property {Uint8Array} socketUseOf by request: row in SOCKET_USES
 * @property {Float64Array} cameMs by request: when its first checkout started, or it began to wait for a place before
 * @property {Float64Array} checkedInMs by request: when its last checkout ended, or its answer without one
 * @property {Float64Array} startedMs by request: when it arrived, or else its first checkout started
 * @property {Float64Array} endedMs by request: its answer, or else its last check-in
 * @property {Uint8Array} isMeasured by request: 1: its start and its answer are known
 * @property {Uint8Array} isOutside by request: 1: a checkout that belongs to no request, where others do, such as one
 *   of a timer
 */

/** @param {Trace} trace @returns {TracedRequests} */
export function joinRequests(trace) {
  const { checkOutStartedMs, waitMs, useMs, limitedMs, queryless = [] } = trace;
  const { firsts, counts, ofRow } = groupCheckouts(trace);
  const cameMs = firsts.map((row) => checkOutStartedMs[row] - (limitedMs?.[row] ?? 0));
  for (const { startedMs } of queryless) cameMs.push(startedMs);
  const order = Uint32Array.from(cameMs.keys());
  if (limitedMs || queryless.length > 0) order.sort((a, b) => cameMs[a] - cameMs[b] || a - b);
  const { length } = order;
  const placeOf = new Uint32Array(length);
  const from = new Uint32Array(length + 1);
  order.forEach((request, place) => {
    placeOf[request] = place;
    from[place + 1] = from[place] + (counts[request] ?? 0);
  });
  const next = from.slice();
  const rows = new Uint32Array(ofRow.length);
  const checkedInMs = new Float64Array(length).fill(-Infinity);
  ofRow.forEach((request, row) => {
    const place = placeOf[request];
    rows[next[place]++] = row;
    checkedInMs[place] = Math.max(checkedInMs[place], checkOutStartedMs[row] + waitMs[row] + useMs[row]);
  });
  const requests = {
    ...{ length, rows, from, checkedInMs },
    cameMs: Float64Array.from(order, (request) => cameMs[request]),
    numberOf: new Int32Array(length),
    routeOf: new Uint32Array(length),
    socketOf: new Int32Array(length),
    socketUseOf: new Uint8Array(length),
    startedMs: new Float64Array(length),
    endedMs: new Float64Array(length),
    isMeasured: new Uint8Array(length),
    isOutside: new Uint8Array(length),
  };
  const hasNumbers = Array.from(trace.requestOf ?? []).some((number) => number >= 0);
  order.forEach((request, place) => {
    const facts =
      request < firsts.length
        ? describeRequest(trace, firsts[request], checkedInMs[place])
        : describeQueryless(queryless[request - firsts.length]);
    requests.numberOf[place] = facts.number;
    requests.routeOf[place] = facts.route;
    requests.socketOf[place] = facts.socket;
    requests.socketUseOf[place] = facts.socketUse;
    requests.startedMs[place] = facts.startedMs;
    requests.endedMs[place] = facts.endedMs;
    requests.isMeasured[place] = facts.isMeasured ? 1 : 0;
    requests.isOutside[place] = hasNumbers && facts.number < 0 && request < firsts.length ? 1 : 0;
    checkedInMs[place] = Math.max(checkedInMs[place], facts.lastMs);
  });
  return requests;
}

/** @param {Trace} trace @param {number} row of its first checkout @param {number} lastMs when its last one ended */
function describeRequest(trace, row, lastMs) {
  const firstMs = trace.checkOutStartedMs[row];
  const startedMs = Number(trace.requestStartedMs?.[row]);
  const endedMs = Number(trace.requestEndedMs?.[row]);
  const isMeasured = startedMs <= firstMs + COMMON.waitedMs && firstMs <= endedMs;
  return {
    number: trace.requestOf?.[row] ?? -1,
    route: trace.routeOf[row],
    socket: trace.socketOf?.[row] ?? -1,
    socketUse: trace.socketUseOf?.[row] ?? 0,
    startedMs: isMeasured ? Math.min(startedMs, firstMs) : firstMs,
    endedMs: isMeasured ? endedMs : lastMs,
    ...{ isMeasured, lastMs },
  };
}

/** @param {QuerylessRequest} request */
function describeQueryless({ durationMs, ...request }) {
  const endedMs = request.startedMs + durationMs;
  return { ...request, number: -1, endedMs, isMeasured: true, lastMs: endedMs };
}

/** @param {Trace} trace @returns {{ firsts: number[], counts: number[], ofRow: Uint32Array }} by request, and by row */
function groupCheckouts({ checkOutStartedMs, requestOf, requestEndedMs }) {
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
  return { firsts, counts, ofRow };
}

/**
 * The waits that a pool explains: for one of its connections while all were in use, or while one was being opened. The
 * others are 0.
 * @param {Trace} trace
 */
function listPoolWaits({ checkOutStartedMs, waitMs, isBehind, openings }) {
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

/** @type {Omit<KnownRequest, 'restMs'>} */
const WITHOUT_QUERY = {
  ...{ startsAfter: [], gapsMs: [], endsAfter: 0, servicesMs: [], handoversMs: null, breaks: null },
  ...{ leadMs: 0, isMeasured: true },
};

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
  { length, rows, from, routeOf, cameMs, startedMs, endedMs, isMeasured },
  { servicesMs, handoversMs },
) {
  const { checkOutStartedMs, waitMs, useMs, breaks, routes } = trace;
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
    const route = routes[routeOf[request]];
    if (first === undefined) {
      const known = { ...WITHOUT_QUERY, restMs: endedMs[request] - startedMs[request] };
      return { route, serviceMs: 0, known, thinkMs: 0 };
    }
    const single = { route, serviceMs: servicesMs[first], handoverMs: handoversMs[first], thinkMs: 0 };
    const isAtOnce = ownRows.every((row) => otherMsOf(row) <= COMMON.waitedMs);
    const isBroken = breaks !== undefined && ownRows.some((row) => breaks[row] === 1);
    const isSent = !Number.isNaN(servicesMs[first]);
    if (ownRows.length === 1 && !isMeasured[request] && isAtOnce && !isBroken && isSent) return single;
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
      breaks: isBroken ? Array.from(ownRows, (row) => breaks[row] === 1) : null,
      leadMs: cameMs[request] - startedMs[request],
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

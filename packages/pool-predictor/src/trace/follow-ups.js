import { weighEvidence } from './arrivals-evidence.js';
import { SAME_MS } from './lag-kernel.js';
import { matchStarts } from './match-starts.js';
import { sameMsOf } from './resolution.js';
import { followSockets, takeTurns } from './socket-chains.js';
import { SOCKET_USES } from './socket-users.js';
import { joinRequests } from './traced-requests.js';

/** @import { Trace } from './trace.js' */
/** @import { RequestStarts } from './arrivals-evidence.js' */
/** @import { TracedRequests } from './traced-requests.js' */

/** The routes with the most requests are groups of their own, and all others are one. */
const MAX_GROUPS = 4;

/** Fewer requests without a known socket decide nothing. */
const MIN_UNKNOWN = 20;

/**
 * Which request follows which.
 *
 * @typedef {object} FollowUps
 * @property {TracedRequests} requests
 * @property {Int32Array} likely by request: the one after whose end it started; -1 if it followed nothing
 * @property {Int32Array | null} possible the same, with the follow-ups that are unclear; null if there are none
 * @property {Doubt | null} doubt why there are some
 *
 * @typedef {'noSockets' | 'sharedSockets' | 'lateLoop' | 'alike'} Doubt the trace has no sockets; or clients may have
 *   shared them; or a busy app blurred who did; or starts seem to follow answers that are evenly spaced, too
 */

/**
 * Whether requests follow others is shown by their sockets, see judgeSockets. Without that it is inferred, see
 * weighEvidence and matchStarts, and what can't be inferred is unclear.
 *
 * @param {Trace} trace
 * @returns {FollowUps}
 */
export function findFollowUps(trace) {
  const requests = joinRequests(trace);
  const starts = listStarts(trace, requests);
  const sockets = followSockets(trace, requests, starts);
  const groups = Math.min(trace.routes.length, MAX_GROUPS);
  // Requests that sockets decide are in one more group.
  sockets.isDecided.forEach((isDecided, index) => {
    if (isDecided) starts.groupOf[index] = groups;
  });
  const unknown = countUnknown(trace, requests, starts, groups);
  const evidence = weighEvidence(starts, groups);
  const rest = Array.from({ length: requests.length }, (_, index) => index).filter(
    (index) => !sockets.isDecided[index],
  );
  const undecided = pickRequests(starts, rest);
  const matched = matchStarts(
    undecided,
    evidence.map((each) => (each === 'unclear' ? 'arrive' : each)),
  );
  const isAlike = matched.otherwise !== null || evidence.includes('unclear');
  const otherwise = evidence.includes('unclear')
    ? matchStarts(undecided, evidence).previous
    : (matched.otherwise ?? matched.previous.slice());
  const isUnknown = evidence.map((each, group) => each === 'arrive' && unknown[group] >= MIN_UNKNOWN);
  takeTurns(undecided, (index) => isUnknown[undecided.groupOf[index]]).forEach((before, index) => {
    if (before >= 0) otherwise[index] = before;
  });
  /** @param {Int32Array} ofSockets @param {Int32Array} ofRest */
  const link = (ofSockets, ofRest) => {
    const previous = ofSockets.slice();
    ofRest.forEach((before, index) => {
      if (before >= 0) previous[rest[index]] = rest[before];
    });
    return previous;
  };
  const likely = link(sockets.likely, matched.previous);
  const possible = link(sockets.possible, otherwise);
  const ofSockets = trace.loop?.isLate ? 'lateLoop' : 'sharedSockets';
  const isClear = possible.every((before, index) => before === likely[index]);
  return {
    requests,
    likely,
    possible: isClear ? null : possible,
    doubt: isClear ? null : isAlike ? 'alike' : isUnknown.includes(true) ? 'noSockets' : ofSockets,
  };
}

/**
 * @param {Trace} trace @param {TracedRequests} requests @param {RequestStarts} starts @param {number} groups
 * @returns {number[]} requests without a socket, by group
 */
function countUnknown({ socketUseOf }, { rows, from }, { groupOf }, groups) {
  const counts = Array.from({ length: groups + 1 }, () => 0);
  groupOf.forEach((group, index) => {
    if (SOCKET_USES[socketUseOf?.[rows[from[index]]] ?? 0] === 'unknown') counts[group]++;
  });
  return counts;
}

/** @param {RequestStarts} requests @param {number[]} rows @returns {RequestStarts} */
function pickRequests({ startsMs, endsMs, useMs, groupOf, poolSize }, rows) {
  return {
    startsMs: Float64Array.from(rows, (row) => startsMs[row]),
    endsMs: Float64Array.from(rows, (row) => endsMs[row]),
    useMs: Float64Array.from(rows, (row) => useMs[row]),
    groupOf: Uint32Array.from(rows, (row) => groupOf[row]),
    poolSize,
  };
}

/** @param {Trace} trace @param {TracedRequests} requests @returns {RequestStarts} */
function listStarts({ checkOutStartedMs, waitMs, useMs, routes, routeOf, header, resolutionMs }, requests) {
  const { length, rows, from, checkedInMs } = requests;
  const sameMs = sameMsOf(resolutionMs);
  // Rounding may put an end after the start that follows it, in nine of ten cases by less than half of that. It makes
  // all lags longer by the same time.
  const earlierMs = (sameMs - SAME_MS) / 2;
  const firsts = Array.from({ length }, (_, request) => rows[from[request]]);
  const used = new Float64Array(length);
  for (let request = 0; request < length; request++)
    for (let place = from[request]; place < from[request + 1]; place++) used[request] += useMs[rows[place]];
  const counts = routes.map(() => 0);
  for (const row of firsts) counts[routeOf[row]]++;
  const ranks = routes.map(
    (_, route) =>
      counts.filter((count, other) => count > counts[route] || (count === counts[route] && other < route)).length,
  );
  const endMs = Float64Array.from(checkOutStartedMs, (ms, row) => ms + waitMs[row] + useMs[row]);
  return {
    startsMs: Float64Array.from(firsts, (row) => checkOutStartedMs[row]),
    endsMs: checkedInMs.map((ms) => ms - earlierMs),
    useMs: used,
    groupOf: Uint32Array.from(firsts, (row) => Math.min(ranks[routeOf[row]], MAX_GROUPS - 1)),
    poolSize: Number(header.maxPoolSize) || findPeak(checkOutStartedMs, waitMs, endMs, sameMs),
  };
}

/**
 * The most connections in use at once.
 * @param {ArrayLike<number>} startedMs
 * @param {ArrayLike<number>} waitMs
 * @param {Float64Array} endMs
 * @param {number} sameMs
 */
function findPeak(startedMs, waitMs, endMs, sameMs) {
  const fromMs = Float64Array.from(startedMs, (ms, index) => ms + waitMs[index]).sort();
  const toMs = endMs.toSorted();
  let peak = 1;
  let ended = 0;
  fromMs.forEach((ms, index) => {
    while (ended < index && toMs[ended] <= ms + sameMs) ended++;
    peak = Math.max(peak, index + 1 - ended);
  });
  return peak;
}

import { weighEvidence } from './arrivals-evidence.js';
import { SAME_MS } from './lag-kernel.js';
import { matchStarts } from './match-starts.js';
import { sameMsOf } from './resolution.js';
import { followSockets, takeTurns } from './socket-chains.js';
import { SOCKET_USES } from './socket-users.js';

/** @import { Trace } from './trace.js' */
/** @import { TracedRequests } from './arrivals-evidence.js' */

/** The routes with the most requests are groups of their own, and all others are one. */
const MAX_GROUPS = 4;

/** Fewer requests without a known socket decide nothing. */
const MIN_UNKNOWN = 20;

/**
 * Which checkout follows which.
 *
 * @typedef {object} FollowUps
 * @property {Int32Array} likely by checkout: the one after whose check-in it started; -1 if it followed nothing
 * @property {Int32Array | null} possible the same, with the follow-ups that are unclear; null if there are none
 * @property {Doubt | null} doubt why there are some
 * @property {boolean[]} isSameRequest by checkout: it certainly follows one of the same request
 *
 * @typedef {'noSockets' | 'sharedSockets' | 'alike'} Doubt the trace has no sockets; or clients may have shared them; or
 *   starts seem to follow answers that are evenly spaced, too
 */

/**
 * Within a request whose number was recorded, checkouts that don't overlap certainly follow each other. Whether
 * requests follow others is shown by their sockets, see judgeSockets. Without that it is inferred, see weighEvidence and
 * matchStarts, and what can't be inferred is unclear.
 *
 * @param {Trace} trace
 * @returns {FollowUps}
 */
export function findFollowUps(trace) {
  const joined = joinRequests(trace);
  const { requests, firsts, lasts, certain } = joined;
  const sockets = followSockets(trace, joined);
  const groups = Math.min(trace.routes.length, MAX_GROUPS);
  // Requests that sockets decide are in one more group.
  sockets.isDecided.forEach((isDecided, index) => {
    if (isDecided) requests.groupOf[index] = groups;
  });
  const unknown = countUnknown(trace, joined, groups);
  const evidence = weighEvidence(requests, groups);
  const rest = Array.from(firsts.keys()).filter((index) => !sockets.isDecided[index]);
  const undecided = pickRequests(requests, rest);
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
    const previous = certain.slice();
    ofSockets.forEach((before, index) => {
      if (before >= 0) previous[firsts[index]] = lasts[before];
    });
    ofRest.forEach((before, index) => {
      if (before >= 0) previous[firsts[rest[index]]] = lasts[rest[before]];
    });
    return previous;
  };
  const likely = link(sockets.likely, matched.previous);
  const possible = link(sockets.possible, otherwise);
  const isClear = possible.every((before, index) => before === likely[index]);
  return {
    likely,
    possible: isClear ? null : possible,
    doubt: isClear ? null : isAlike ? 'alike' : isUnknown.includes(true) ? 'noSockets' : 'sharedSockets',
    isSameRequest: Array.from(certain, (before) => before >= 0),
  };
}

/** @param {Trace} trace @param {JoinedRequests} joined @param {number} groups @returns {number[]} requests without a socket */
function countUnknown({ socketUseOf }, { requests: { groupOf }, firsts }, groups) {
  const counts = Array.from({ length: groups + 1 }, () => 0);
  firsts.forEach((checkout, index) => {
    if (SOCKET_USES[socketUseOf?.[checkout] ?? 0] === 'unknown') counts[groupOf[index]]++;
  });
  return counts;
}

/** @param {TracedRequests} requests @param {number[]} rows @returns {TracedRequests} */
function pickRequests({ startsMs, endsMs, useMs, groupOf, poolSize }, rows) {
  return {
    startsMs: Float64Array.from(rows, (row) => startsMs[row]),
    endsMs: Float64Array.from(rows, (row) => endsMs[row]),
    useMs: Float64Array.from(rows, (row) => useMs[row]),
    groupOf: Uint32Array.from(rows, (row) => groupOf[row]),
    poolSize,
  };
}

/**
 * Joins the checkouts of each request.
 *
 * @typedef {{ requests: TracedRequests, firsts: number[], lasts: number[], certain: Int32Array }} JoinedRequests
 *   `certain`: see FollowUps; `firsts` and `lasts`: the checkouts of each request
 *
 * @param {Trace} trace
 * @returns {JoinedRequests}
 */
function joinRequests({ checkOutStartedMs, waitMs, useMs, routes, routeOf, requestOf, header, resolutionMs }) {
  const { length } = checkOutStartedMs;
  const sameMs = sameMsOf(resolutionMs);
  // Rounding may put an end after the start that follows it, in nine of ten cases by less than half of that. It makes all
  // lags longer by the same time.
  const earlierMs = (sameMs - SAME_MS) / 2;
  const certain = new Int32Array(length).fill(-1);
  /** @type {Map<number, number>} The last request with a number, as an index into `firsts`. */
  const open = new Map();
  /** @type {number[]} */
  const firsts = [];
  /** @type {number[]} */
  const lasts = [];
  /** @type {number[]} */
  const used = [];
  const endMs = Float64Array.from({ length }, (_, index) => checkOutStartedMs[index] + waitMs[index] + useMs[index]);
  for (let index = 0; index < length; index++) {
    const number = requestOf?.[index] ?? -1;
    const request = number < 0 ? undefined : open.get(number);
    if (request !== undefined && endMs[lasts[request]] <= checkOutStartedMs[index] + sameMs) {
      certain[index] = lasts[request];
      lasts[request] = index;
      used[request] += useMs[index];
      continue;
    }
    if (number >= 0) open.set(number, firsts.length);
    firsts.push(index);
    lasts.push(index);
    used.push(useMs[index]);
  }
  const counts = routes.map(() => 0);
  for (const index of firsts) counts[routeOf[index]]++;
  const ranks = routes.map(
    (_, route) =>
      counts.filter((count, other) => count > counts[route] || (count === counts[route] && other < route)).length,
  );
  const requests = {
    startsMs: Float64Array.from(firsts, (index) => checkOutStartedMs[index]),
    endsMs: Float64Array.from(lasts, (index) => endMs[index] - earlierMs),
    useMs: Float64Array.from(used),
    groupOf: Uint32Array.from(firsts, (index) => Math.min(ranks[routeOf[index]], MAX_GROUPS - 1)),
    poolSize: Number(header.maxPoolSize) || findPeak(checkOutStartedMs, waitMs, endMs, sameMs),
  };
  return { requests, firsts, lasts, certain };
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

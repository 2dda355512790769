import { COMMON } from '../assumptions/common-assumptions.js';
import { TRACE } from '../assumptions/trace-assumptions.js';
import { sameMsOf } from '../reading/resolution.js';
import { followSockets, takeTurns } from './socket-chains.js';
import { SOCKET_USES } from './socket-users.js';
import { joinRequests } from './traced-requests.js';

/** @import { Trace } from './trace.js' */
/** @import { TracedRequests } from './traced-requests.js' */

/**
 * Which request follows which.
 *
 * @typedef {object} FollowUps
 * @property {TracedRequests} requests
 * @property {Int32Array} likely by request: the one after whose end it started; -1 if it followed nothing
 * @property {Int32Array | null} possible the same, with the follow-ups that are unclear; null if there are none
 * @property {Doubt | null} doubt why there are some
 *
 * @typedef {'noSockets' | 'sharedSockets' | 'lateLoop'} Doubt the trace has no sockets, or clients may have shared
 *   them, or a busy app blurred who did
 *
 * @typedef {object} RequestStarts of a trace, in order of their starts
 * @property {Float64Array} startsMs
 * @property {Float64Array} endsMs check-in of the last query
 */

/**
 * Whether requests follow others is shown by their sockets, see judgeSockets. Where these don't show it, it is unclear,
 * unless the user said how many callers there were.
 *
 * @param {Trace} trace
 * @returns {FollowUps}
 * @throws {Error} if so many callers can't have sent the requests
 */
export function findFollowUps(trace) {
  const requests = joinRequests(trace);
  const starts = listStarts(trace, requests);
  if (trace.callers !== undefined)
    return { requests, likely: followCallers(starts, trace.callers), possible: null, doubt: null };
  const useOf = (/** @type {number} */ request) =>
    SOCKET_USES[trace.socketUseOf?.[requests.rows[requests.from[request]]] ?? 0];
  const { likely, possible } = followSockets(trace, requests, starts, useOf);
  const isUnknown = likely.map((_, request) => Number(useOf(request) === 'unknown'));
  const isWithout = isUnknown.filter(Boolean).length >= COMMON.minRequests;
  if (isWithout)
    takeTurns(starts, { isTaken: (request) => isUnknown[request] === 1 }).previous.forEach((before, request) => {
      if (before >= 0) possible[request] = before;
    });
  const isClear = possible.every((before, request) => before === likely[request]);
  if (isClear) return { requests, likely, possible: null, doubt: null };
  const ofSockets = trace.loop?.isLate ? 'lateLoop' : 'sharedSockets';
  return { requests, likely, possible, doubt: isWithout ? 'noSockets' : ofSockets };
}

/**
 * @param {RequestStarts} starts
 * @param {number} callers who sent all requests; 0: they arrived on their own
 * @returns {Int32Array} by request: the one that it follows, or -1
 */
function followCallers(starts, callers) {
  if (callers === 0) return new Int32Array(starts.startsMs.length).fill(-1);
  const { previous, begun } = takeTurns(starts, { atLeast: callers });
  if (begun > callers)
    throw new Error(
      `${callers === 1 ? 'one caller' : `${callers} callers`} can't have sent these requests, ` +
        `each after the answer to its last: ${begun} were in progress at once. ` +
        `Use --callers ${begun} or more, or 0 if they arrived on their own`,
    );
  return previous;
}

/** @param {Trace} trace @param {TracedRequests} requests @returns {RequestStarts} */
function listStarts({ checkOutStartedMs, resolutionMs }, { length, rows, from, checkedInMs }) {
  // Rounding may put an end after the start that follows it, in nine of ten cases by less than half of that. It makes
  // all lags longer by the same time.
  const earlierMs = (sameMsOf(resolutionMs) - TRACE.sameMs) / 2;
  return {
    startsMs: Float64Array.from({ length }, (_, request) => checkOutStartedMs[rows[from[request]]]),
    endsMs: checkedInMs.map((ms) => ms - earlierMs),
  };
}

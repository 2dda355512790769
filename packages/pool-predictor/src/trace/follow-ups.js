import { sameMsOf } from '../reading/resolution.js';
import { followSockets, takeTurns } from './socket-chains.js';
import { joinRequests } from './traced-requests.js';

/** @import { Trace } from './trace.js' */
/** @import { TracedRequests } from './traced-requests.js' */

/**
 * Which request follows which. Where nobody said how many callers there were, there are two readings.
 *
 * @typedef {object} FollowUps
 * @property {TracedRequests} requests
 * @property {Int32Array} likely by request: the one after whose answer its caller sent it; -1 if it followed nothing
 * @property {Int32Array | null} fewest the same if as few callers as possible sent all requests, and work outside of
 *   requests follows itself; null if that is the same, or is known to be wrong
 * @property {number | null} fewestCallers how many these are; null if only the work outside of requests differs
 *
 * @typedef {object} RequestStarts of a trace, in order of their starts
 * @property {Float64Array} startsMs
 * @property {Float64Array} endsMs check-in of the last query
 */

/**
 * Whether requests follow others is shown by their sockets, see judgeSockets, unless the user said how many callers
 * there were. But sockets belong to clients, and what a gateway sends on one of them may come from many callers. So
 * their verdict is only the likely one.
 *
 * Work outside of requests, such as that of a timer, waits for no caller, and no caller for it.
 *
 * @param {Trace} trace
 * @returns {FollowUps}
 * @throws {Error} if so many callers can't have sent the requests
 */
export function findFollowUps(trace) {
  const requests = joinRequests(trace);
  const starts = listStarts(trace, requests);
  const rows = Uint32Array.from(requests.isOutside.keys());
  const [sent, outside] = [0, 1].map((is) => rows.filter((row) => requests.isOutside[row] === is));
  if (trace.callers !== undefined)
    return { requests, likely: followCallers(starts, sent, trace.callers), fewest: null, fewestCallers: null };
  const likely = followSockets(requests, starts);
  const { previous: fewest, begun } = takeTurns(starts, sent);
  const { previous: ofOutside } = takeTurns(starts, outside);
  for (const row of outside) fewest[row] = ofOutside[row];
  const isOther = (/** @type {number} */ row) => fewest[row] !== likely[row];
  return {
    ...{ requests, likely },
    fewest: rows.some(isOther) ? fewest : null,
    fewestCallers: sent.some(isOther) ? begun : null,
  };
}

/**
 * @param {RequestStarts} starts
 * @param {Uint32Array} sent the requests
 * @param {number} callers who sent all of them; 0: they arrived on their own
 * @returns {Int32Array} by request: the one that it follows, or -1
 */
function followCallers(starts, sent, callers) {
  if (callers === 0) return new Int32Array(starts.startsMs.length).fill(-1);
  const { previous, begun } = takeTurns(starts, sent, callers);
  if (begun > callers)
    throw new Error(
      `${callers === 1 ? 'one caller' : `${callers} callers`} can't have sent these requests, ` +
        `each after the answer to its last: ${begun} were in progress at once. ` +
        `Use --callers ${begun} or more, or 0 if they arrived on their own`,
    );
  return previous;
}

/** @param {Trace} trace @param {TracedRequests} requests @returns {RequestStarts} */
function listStarts({ resolutionMs }, { cameMs, checkedInMs }) {
  // Rounding may put an end after the start that follows it, in nine of ten cases by less than half of that. It makes
  // all lags longer by the same time.
  const earlierMs = (sameMsOf(resolutionMs) - sameMsOf()) / 2;
  return {
    startsMs: cameMs,
    endsMs: checkedInMs.map((ms) => ms - earlierMs),
  };
}

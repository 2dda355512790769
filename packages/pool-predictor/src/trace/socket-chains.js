import { sameMsOf } from '../reading/resolution.js';
import { SOCKET_USES } from './socket-users.js';

/** @import { RequestStarts } from './follow-ups.js' */
/** @import { TracedRequests } from './traced-requests.js' */

/**
 * Lets each request of a user who waits for answers follow the one before it on its socket.
 *
 * @param {TracedRequests} requests
 * @param {RequestStarts} starts
 * @returns {Int32Array} by request: the one before, or -1
 */
export function followSockets({ length, socketOf, socketUseOf }, { startsMs, endsMs }) {
  const previous = new Int32Array(length).fill(-1);
  /** Request of each socket that ended last. @type {Map<number, number>} */
  const last = new Map();
  for (let request = 0; request < length; request++) {
    if (SOCKET_USES[socketUseOf[request]] !== 'waiting') continue;
    const socket = socketOf[request];
    const before = last.get(socket);
    if (before === undefined) last.set(socket, request);
    else {
      if (endsMs[before] <= startsMs[request] + sameMsOf()) previous[request] = before;
      if (endsMs[before] < endsMs[request]) last.set(socket, request);
    }
  }
  return previous;
}

/**
 * Assumes the fewest callers that could have sent all requests, who take turns: a start follows the answer that is the
 * oldest.
 *
 * @param {RequestStarts} requests
 * @param {Uint32Array} rows the requests that take turns, ascending
 * @param {number} [atLeast] callers that there were, default as few as possible
 * @returns {{ previous: Int32Array, begun: number }} previous: by request, the one it follows, or -1; begun: callers
 */
export function takeTurns({ startsMs, endsMs }, rows, atLeast = 0) {
  const previous = new Int32Array(startsMs.length).fill(-1);
  const byEnd = rows.toSorted((a, b) => endsMs[a] - endsMs[b]);
  let [next, begun] = [0, 0];
  for (const request of rows) {
    const isAnswered = endsMs[byEnd[next]] <= startsMs[request] + sameMsOf() && byEnd[next] < request;
    if (isAnswered && begun >= atLeast) previous[request] = byEnd[next++];
    else begun++;
  }
  return { previous, begun };
}

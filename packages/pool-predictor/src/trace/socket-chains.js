import { TRACE } from '../assumptions/trace-assumptions.js';

/** @import { RequestStarts } from './follow-ups.js' */
/** @import { SocketUse } from './socket-users.js' */
/** @import { TracedRequests } from './traced-requests.js' */
/** @import { Trace } from './trace.js' */

/**
 * Lets each request of a user follow the one before it on its socket.
 *
 * @param {Trace} trace
 * @param {TracedRequests} requests
 * @param {RequestStarts} starts
 * @param {(request: number) => SocketUse} useOf who uses the socket of a request
 * @returns {{ likely: Int32Array, possible: Int32Array }} by request: the one before, or -1
 */
export function followSockets({ socketOf }, { length, rows, from }, { startsMs, endsMs }, useOf) {
  const [likely, possible] = [0, 1].map(() => new Int32Array(length).fill(-1));
  /** Request of each socket that ended last. @type {Map<number, number>} */
  const last = new Map();
  for (let request = 0; request < length; request++) {
    const use = useOf(request);
    if (use === 'unknown' || use === 'alone') continue;
    const socket = Number(socketOf?.[rows[from[request]]]);
    const before = last.get(socket);
    if (before === undefined || endsMs[before] <= startsMs[request] + TRACE.sameMs) {
      if (use !== 'arriving') possible[request] = before ?? -1;
      if (use === 'waiting') likely[request] = before ?? -1;
    }
    if (before === undefined || endsMs[before] < endsMs[request]) last.set(socket, request);
  }
  return { likely, possible };
}

/**
 * Assumes the fewest callers that could have sent all requests, who take turns: a start follows the answer that is the
 * oldest.
 *
 * @param {RequestStarts} requests
 * @param {{ isTaken?: (request: number) => boolean, atLeast?: number }} [options] isTaken: whether a request is one of
 *   theirs, default all; atLeast: callers that there were, default as few as possible
 * @returns {{ previous: Int32Array, begun: number }} previous: by request, the one it follows, or -1; begun: callers
 */
export function takeTurns({ startsMs, endsMs }, { isTaken = () => true, atLeast = 0 } = {}) {
  const previous = new Int32Array(startsMs.length).fill(-1);
  const taken = Uint32Array.from(startsMs.keys()).filter(isTaken);
  const byEnd = taken.toSorted((a, b) => endsMs[a] - endsMs[b]);
  let [next, begun] = [0, 0];
  for (const request of taken) {
    const isAnswered = endsMs[byEnd[next]] <= startsMs[request] + TRACE.sameMs && byEnd[next] < request;
    if (isAnswered && begun >= atLeast) previous[request] = byEnd[next++];
    else begun++;
  }
  return { previous, begun };
}

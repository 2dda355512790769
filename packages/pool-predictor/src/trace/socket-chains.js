import { SAME_MS } from './lag-kernel.js';
import { SOCKET_USES } from './socket-users.js';

/** @import { RequestStarts } from './arrivals-evidence.js' */
/** @import { TracedRequests } from './traced-requests.js' */
/** @import { Trace } from './trace.js' */

/**
 * Lets each request of a user follow the one before it on its socket.
 *
 * @param {Trace} trace
 * @param {TracedRequests} requests
 * @param {RequestStarts} starts
 * @returns {{ isDecided: boolean[], likely: Int32Array, possible: Int32Array }} by request; the latter are the requests
 *   before, or -1
 */
export function followSockets({ socketOf, socketUseOf }, { length, rows, from }, { startsMs, endsMs }) {
  const useOf = (/** @type {number} */ index) => SOCKET_USES[socketUseOf?.[rows[from[index]]] ?? 0];
  const [likely, possible] = [0, 1].map(() => new Int32Array(length).fill(-1));
  /** By socket: the request that ended last. @type {Map<number, number>} */
  const last = new Map();
  const isDecided = Array.from({ length }, (_, index) => {
    const use = useOf(index);
    if (use === 'unknown' || use === 'alone') return false;
    const socket = Number(socketOf?.[rows[from[index]]]);
    const before = last.get(socket);
    if (before === undefined || endsMs[before] <= startsMs[index] + SAME_MS) {
      if (use !== 'arriving') possible[index] = before ?? -1;
      if (use === 'waiting') likely[index] = before ?? -1;
    }
    if (before === undefined || endsMs[before] < endsMs[index]) last.set(socket, index);
    return true;
  });
  return { isDecided, likely, possible };
}

/**
 * Assumes the fewest callers that could have sent all requests, who take turns: a start follows the answer that is the
 * oldest.
 *
 * @param {RequestStarts} requests
 * @param {(index: number) => boolean} isTaken whether a request is one of theirs
 * @returns {Int32Array} by request: the one it follows, or -1
 */
export function takeTurns({ startsMs, endsMs }, isTaken) {
  const previous = new Int32Array(startsMs.length).fill(-1);
  const taken = Uint32Array.from(startsMs.keys()).filter(isTaken);
  const byEnd = taken.toSorted((a, b) => endsMs[a] - endsMs[b]);
  let next = 0;
  for (const index of taken)
    if (endsMs[byEnd[next]] <= startsMs[index] + SAME_MS && byEnd[next] < index) previous[index] = byEnd[next++];
  return previous;
}

import { weighEvidence } from './arrivals-evidence.js';
import { SAME_MS } from './lag-kernel.js';
import { matchStarts } from './match-starts.js';

/** @import { Trace } from '../formats/trace.js' */
/** @import { Requests } from './arrivals-evidence.js' */

/** Routes with the most requests; all others count as one. */
const MAX_GROUPS = 4;
/**
 * Which checkout follows which.
 *
 * @typedef {object} FollowUps
 * @property {Int32Array} likely by checkout: the one after whose check-in it started; -1 if it arrived on its own
 * @property {Int32Array | null} possible the same, where the trace can't tell; null if it can
 * @property {boolean[]} isSameRequest by checkout: it follows one of the same request, for certain
 */

/**
 * Within a request whose number was recorded, checkouts that don't overlap follow each other for certain. Whether requests
 * follow others is inferred, see weighEvidence and matchStarts.
 *
 * @param {Trace} trace
 * @returns {FollowUps}
 */
export function findFollowUps(trace) {
  const { requests, firsts, lasts, certain } = joinRequests(trace);
  const evidence = weighEvidence(requests, Math.min(trace.routes.length, MAX_GROUPS));
  /** @param {Int32Array} matches */
  const link = (matches) => {
    const previous = certain.slice();
    matches.forEach((before, index) => {
      if (before >= 0) previous[firsts[index]] = lasts[before];
    });
    return previous;
  };
  const { previous, otherwise } = matchStarts(requests, evidence.map((each) => (each === 'unclear' ? 'arrive' : each)));
  const possible = evidence.includes('unclear') ? matchStarts(requests, evidence).previous : otherwise;
  // Without waits, a start right after a check-in may also be the end of a wait in the queue.
  const [likely, alternative] = trace.lacksWaits ? [certain, possible ?? previous] : [link(previous), possible];
  return {
    likely,
    possible: alternative && link(alternative),
    isSameRequest: Array.from(certain, (before) => before >= 0),
  };
}

/**
 * Joins the checkouts of each request.
 *
 * @param {Trace} trace
 * @returns {{ requests: Requests, firsts: number[], lasts: number[], certain: Int32Array }} `certain`: see FollowUps; `firsts`
 *   and `lasts`: the checkouts of each request
 */
function joinRequests({ checkOutStartedMs, waitMs, useMs, routes, routeOf, requestOf, header }) {
  const { length } = checkOutStartedMs;
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
    if (request !== undefined && endMs[lasts[request]] <= checkOutStartedMs[index] + SAME_MS) {
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
  const ranks = routes.map((_, route) => counts.filter((count, other) => count > counts[route] || (count === counts[route] && other < route)).length);
  const requests = {
    startsMs: Float64Array.from(firsts, (index) => checkOutStartedMs[index]),
    endsMs: Float64Array.from(lasts, (index) => endMs[index]),
    useMs: Float64Array.from(used),
    groupOf: Uint32Array.from(firsts, (index) => Math.min(ranks[routeOf[index]], MAX_GROUPS - 1)),
    poolSize: Number(header.maxPoolSize) || findPeak(checkOutStartedMs, waitMs, endMs),
  };
  return { requests, firsts, lasts, certain };
}

/** The most connections in use at once. @param {ArrayLike<number>} startedMs @param {ArrayLike<number>} waitMs @param {Float64Array} endMs */
function findPeak(startedMs, waitMs, endMs) {
  const fromMs = Float64Array.from(startedMs, (ms, index) => ms + waitMs[index]).sort();
  const toMs = endMs.toSorted();
  let peak = 1;
  let ended = 0;
  fromMs.forEach((ms, index) => {
    while (ended < index && toMs[ended] <= ms) ended++;
    peak = Math.max(peak, index + 1 - ended);
  });
  return peak;
}


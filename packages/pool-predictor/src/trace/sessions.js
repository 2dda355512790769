import { quantile } from '../quantile.js';

/** @import { Arrival, CallerRequest } from '../simulator/arrivals.js' */
/** @import { Random } from '../simulator/random.js' */
/** @import { Trace } from '../formats/trace.js' */

/** A caller is there for at least this share of the trace; everyone else visits. */
const CALLER_SHARE = 0.5;
/** How many times its longest think time a caller may be away at the end, and still come back after it. */
const PATIENCE = 3;
/** Requests in a row that a block takes from what a caller did: enough to keep slow and fast spells together. */
const BLOCK_REQUESTS = 10;

/**
 * Requests that follow each other.
 *
 * @typedef {object} Session
 * @property {number} atMs
 * @property {number} lastMs when its last request started
 * @property {number} endMs when that was checked in
 * @property {CallerRequest[]} requests
 *
 * @typedef {object} CallerFacts
 * @property {number} callers who are there for at least half of the trace and wait for their answers
 * @property {number} callersShare of all checkouts: theirs
 * @property {number} visits others with several checkouts, each after the one before
 * @property {number} visitsShare of all checkouts: theirs
 * @property {number} aloneShare of all checkouts: they follow nothing, and nothing follows them
 * @property {number} thinkMs median time from a check-in to the start that follows; NaN if none does
 * @property {boolean} isUnclear the trace can't tell for some requests whether they follow others
 */

/**
 * @param {Trace} trace
 * @param {ArrayLike<number>} handoversMs
 * @param {Int32Array} previous see FollowUps
 * @param {boolean[]} isSameRequest
 * @param {ArrayLike<number>} [servicesMs] of the queries, default: their uses
 * @returns {Session[]} in order of time
 */
export function listSessions(trace, handoversMs, previous, isSameRequest, servicesMs = trace.useMs) {
  const { checkOutStartedMs, waitMs, useMs, routes, routeOf } = trace;
  /** @type {Session[]} */
  const sessions = [];
  const sessionOf = new Uint32Array(previous.length);
  for (let index = 0; index < previous.length; index++) {
    const atMs = checkOutStartedMs[index];
    const before = previous[index];
    if (before < 0) {
      sessionOf[index] = sessions.length;
      sessions.push({ atMs, lastMs: atMs, endMs: atMs, requests: [] });
    } else {
      sessionOf[index] = sessionOf[before];
    }
    const session = sessions[sessionOf[index]];
    session.requests.push({
      route: routes[routeOf[index]], serviceMs: servicesMs[index], handoverMs: handoversMs[index],
      thinkMs: before < 0 ? 0 : Math.max(0, atMs - session.endMs), isMore: isSameRequest[index],
    });
    session.lastMs = atMs;
    session.endMs = atMs + waitMs[index] + useMs[index];
  }
  return sessions;
}

/** @param {Session} session @param {number} traceEndMs */
export function isCaller({ atMs, lastMs, endMs, requests }, traceEndMs) {
  return requests.length > BLOCK_REQUESTS && lastMs - atMs >= CALLER_SHARE * traceEndMs && endMs > atMs;
}

/**
 * Callers go on until the trace ended, however fast they are answered.
 *
 * @param {Session[]} callers in order of time
 * @param {object} options
 * @param {number} options.endMs of the trace
 * @param {number} options.factor how many times as many callers
 * @param {Random} options.random
 * @param {boolean} options.isRecorded they do what they did, except for those that the factor adds
 * @returns {Arrival[]} in order of time
 */
export function playCallers(callers, { endMs, factor, random, isRecorded }) {
  return Array.from({ length: Math.round(callers.length * factor) }, (_, index) => {
    const caller = callers[index % callers.length];
    const thinksMs = caller.requests.slice(1).filter(({ isMore }) => !isMore).map(({ thinkMs }) => thinkMs);
    const thinkMs = quantile(thinksMs.length > 0 ? thinksMs : [0], 0.5);
    const isBack = endMs - caller.endMs <= PATIENCE * Math.max(thinkMs, ...thinksMs);
    const isDrawn = !isRecorded || index >= callers.length;
    const requests = [{ ...caller.requests[0], thinkMs }, ...caller.requests.slice(1)];
    return {
      // The added ones spread over the time that a request takes.
      atMs: caller.atMs + (index < callers.length ? 0 : random.uniform() * ((caller.endMs - caller.atMs) / requests.length)),
      requests: isDrawn ? drawRequests(requests, random) : requests,
      untilMs: isBack ? endMs : caller.lastMs,
    };
  }).sort((a, b) => a.atMs - b.atMs);
}

/**
 * Random blocks of what a caller did: requests in a row, with their service and think times.
 *
 * @param {CallerRequest[]} requests
 * @param {Random} random
 */
function drawRequests(requests, random) {
  const { length } = requests;
  return Array.from({ length: Math.ceil(length / BLOCK_REQUESTS) }, () => {
    const from = Math.floor(random.uniform() * length);
    return Array.from({ length: BLOCK_REQUESTS }, (_, index) => requests[(from + index) % length]);
  }).flat();
}

/** @param {{ callers: Session[], visits: Session[], isUnclear: boolean }} sessions @returns {CallerFacts} */
export function describeCallers({ callers, visits, isUnclear }) {
  const countOf = (/** @type {Session[]} */ sessions) => sessions.reduce((sum, { requests }) => sum + requests.length, 0);
  const chains = visits.filter(({ requests }) => requests.length > 1);
  const all = countOf(callers) + countOf(visits);
  const thinksMs = [...callers, ...chains].flatMap(({ requests }) => requests.slice(1).map(({ thinkMs }) => thinkMs));
  return {
    callers: callers.length,
    callersShare: countOf(callers) / all,
    visits: chains.length,
    visitsShare: countOf(chains) / all,
    aloneShare: (visits.length - chains.length) / all,
    thinkMs: thinksMs.length > 0 ? quantile(thinksMs, 0.5) : NaN,
    isUnclear,
  };
}

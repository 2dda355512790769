import { COMMON } from '../assumptions/common-assumptions.js';
import { TRACE } from '../assumptions/trace-assumptions.js';
import { median, sum } from '../base/sample-statistics.js';
import { levelRounding, sameMsOf } from '../reading/resolution.js';
import { createRandom } from '../simulator/random.js';
import { planRequests } from './traced-requests.js';

/** @import { Arrival, CallerRequest } from '../simulator/arrivals.js' */
/** @import { Random } from '../simulator/random.js' */
/** @import { FollowUps } from './follow-ups.js' */
/** @import { Trace } from './trace.js' */
/** @import { TracedRequests } from './traced-requests.js' */

/**
 * A user's requests, each after the one before it.
 *
 * @typedef {object} Session
 * @property {number} atMs
 * @property {number} lastMs when its last request started
 * @property {number} endMs when that had ended
 * @property {CallerRequest[]} requests
 * @property {boolean} isOutside work that belongs to no request
 *
 * @typedef {object} Caller
 * @property {number} atMs
 * @property {number} periodMs from one of its requests to the next, on average
 * @property {CallerRequest[]} requests the first one with a think time, for when it begins again
 * @property {number} untilMs no request starts later
 *
 * @typedef {object} CallerFacts
 * @property {number} callers who are there for at least half of the trace and wait for their answers
 * @property {number} callersShare of all requests: theirs
 * @property {number} visits others with several requests, each after the one before
 * @property {number} visitsShare of all requests: theirs
 * @property {number} aloneShare of all requests: they follow nothing, and nothing follows them
 * @property {number} thinkMs median time from an answer to the start that follows; NaN if none does
 * @property {number} [outside] checkouts that belong to no request, where others do; the other facts are without them
 * @property {number | null} fewest callers who could have sent all requests, each after its last answer; null if that
 *   is what the trace shows, or is known to be wrong
 */

/**
 * @param {Trace} trace
 * @param {FollowUps} followUps
 * @param {{ servicesMs: ArrayLike<number>, handoversMs: ArrayLike<number>, reading: 'likely' | 'fewest' }} options the
 *   times of the queries, and how the trace is read
 * @returns {Session[]} in order of time
 */
export function listSessions(trace, { requests, likely, fewest }, { reading, ...times }) {
  const { cameMs, checkedInMs, endedMs, isOutside } = requests;
  const previous = (reading === 'fewest' && fewest) || likely;
  /** @type {CallerRequest[]} */
  const followers = [];
  /** @type {Session[]} */
  const sessions = [];
  const sessionOf = new Uint32Array(previous.length);
  const planned = planRequests(trace, requests, times);
  const unanswered = replaceUnanswered(trace, requests, planned);
  for (const [index, request] of planned.entries()) {
    const atMs = cameMs[index];
    const before = previous[index];
    if (before < 0) {
      sessionOf[index] = sessions.length;
      sessions.push({ atMs, lastMs: atMs, endMs: atMs, requests: [], isOutside: isOutside[index] === 1 });
    } else {
      sessionOf[index] = sessionOf[before];
      request.thinkMs = Math.max(0, atMs - endedMs[before]);
      followers.push(request);
    }
    const session = sessions[sessionOf[index]];
    session.requests.push(request);
    session.lastMs = atMs;
    session.endMs = Math.max(endedMs[index], checkedInMs[index]);
  }
  const thinksMs = levelRounding(
    followers.map(({ thinkMs }) => thinkMs),
    sameMsOf(trace.resolutionMs),
  );
  followers.forEach((request, index) => (request.thinkMs = thinksMs[index]));
  return unanswered.length > 0 ? [...sessions, ...unanswered].sort((a, b) => a.atMs - b.atMs) : sessions;
}

/**
 * Gives requests that got no connection in time, or not yet, the queries of others of their routes, drawn at random.
 *
 * @param {Trace} trace
 * @param {TracedRequests} requests
 * @param {CallerRequest[]} planned changes those that had a connection before
 * @returns {Session[]} the others
 */
function replaceUnanswered({ refused = [], waiting = [], routes }, { numberOf, routeOf }, planned) {
  const unanswered = [...refused, ...waiting];
  if (unanswered.length === 0) return [];
  const numbers = new Set(unanswered.map(({ request }) => request).filter((request) => request >= 0));
  /** @type {CallerRequest[][]} */
  const donors = routes.map(() => []);
  /** @type {number[]} */
  const begun = [];
  planned.forEach((request, index) => {
    if (numbers.delete(numberOf[index])) begun.push(index);
    else if (request.known?.servicesMs.length !== 0) donors[routeOf[index]].push(request);
  });
  const hasNumbers = numberOf.some((number) => number >= 0);
  const random = createRandom(1, 'refused');
  const draw = (/** @type {number} */ route) => donors[route][Math.floor(random.uniform() * donors[route].length)];
  for (const index of begun) planned[index] = { ...(draw(routeOf[index]) ?? planned[index]) };
  return unanswered.flatMap(({ request, route, startedMs: atMs }) => {
    // Without a number, each is a request of its own.
    const donor = (request < 0 || numbers.delete(request)) && draw(route);
    const common = { atMs, lastMs: atMs, endMs: atMs, isOutside: hasNumbers && request < 0 };
    return donor ? [{ ...common, requests: [{ ...donor }] }] : [];
  });
}

/** @param {Session} session @param {number} traceEndMs */
export function isCaller({ atMs, lastMs, endMs, requests }, traceEndMs) {
  return requests.length > TRACE.blockRequests && lastMs - atMs >= COMMON.mostShare * traceEndMs && endMs > atMs;
}

/**
 * Describes how callers go on until the end of the trace, however fast they are answered.
 *
 * @param {Session[]} callers
 * @param {number} endMs of the trace
 * @returns {Caller[]}
 */
export function listCallers(callers, endMs) {
  return callers.map((caller) => {
    const thinksMs = caller.requests.slice(1).map(({ thinkMs }) => thinkMs);
    const thinkMs = median(thinksMs.length > 0 ? thinksMs : [0]);
    const isBack = endMs - caller.endMs <= TRACE.silenceRatio * Math.max(thinkMs, ...thinksMs);
    return {
      atMs: caller.atMs,
      periodMs: (caller.endMs - caller.atMs) / caller.requests.length,
      requests: [{ ...caller.requests[0], thinkMs }, ...caller.requests.slice(1)],
      untilMs: isBack ? endMs : caller.lastMs,
    };
  });
}

/**
 * @param {Caller[]} callers in order of time
 * @param {object} options
 * @param {number} options.factor how many times as many callers
 * @param {Random} options.random
 * @param {boolean} options.isRecorded they repeat their recorded requests, except for the callers that the factor adds
 * @returns {Arrival[]} in order of time
 */
export function listCallerArrivals(callers, { factor, random, isRecorded }) {
  return Array.from({ length: Math.round(callers.length * factor) }, (_, index) => {
    const { atMs, periodMs, requests, untilMs } = callers[index % callers.length];
    const isDrawn = !isRecorded || index >= callers.length;
    return {
      // The added ones spread over the time that a request takes.
      atMs: atMs + (index < callers.length ? 0 : random.uniform() * periodMs),
      requests: isDrawn ? drawRequests(requests, random) : requests,
      untilMs,
    };
  }).sort((a, b) => a.atMs - b.atMs);
}

/**
 * Draws random blocks of a caller's requests, with their service and think times.
 *
 * @param {CallerRequest[]} requests
 * @param {Random} random
 */
function drawRequests(requests, random) {
  const { length } = requests;
  const drawn = [];
  for (let block = 0; block < length / TRACE.blockRequests; block++) {
    const from = Math.floor(random.uniform() * length);
    for (let index = 0; index < TRACE.blockRequests; index++) drawn.push(requests[(from + index) % length]);
  }
  return drawn;
}

/** @param {Session[]} calling @param {Session[]} visiting @returns {Omit<CallerFacts, 'fewest'>} */
export function describeCallers(calling, visiting) {
  const countOf = (/** @type {Session[]} */ sessions) => sum(sessions.map(({ requests }) => requests.length));
  const [callers, visits] = [calling, visiting].map((sessions) => sessions.filter(({ isOutside }) => !isOutside));
  const chains = visits.filter(({ requests }) => requests.length > 1);
  const all = countOf(callers) + countOf(visits);
  const outside = countOf(calling) + countOf(visiting) - all;
  const thinksMs = [...callers, ...chains].flatMap(({ requests }) => requests.slice(1).map(({ thinkMs }) => thinkMs));
  return {
    callers: callers.length,
    callersShare: countOf(callers) / all,
    visits: chains.length,
    visitsShare: countOf(chains) / all,
    aloneShare: (visits.length - chains.length) / all,
    thinkMs: thinksMs.length > 0 ? median(thinksMs) : NaN,
    ...(outside > 0 && { outside }),
  };
}

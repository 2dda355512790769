import { createRandom } from '../simulator/random.js';
import { findTail, redrawTail, resampleTail } from '../simulator/tail.js';
import { drawBlocks } from './visit-blocks.js';
import { findFollowUps } from '../trace/follow-ups.js';
import { describeCallers, isCaller, listSessions, listCallerArrivals } from '../trace/sessions.js';
import { findHandovers } from '../trace/handovers.js';

/** @import { Arrival } from '../simulator/arrivals.js' */
/** @import { FollowUps } from '../trace/follow-ups.js' */
/** @import { Load } from './load.js' */
/** @import { VisitBlock } from './visit-blocks.js' */
/** @import { Random } from '../simulator/random.js' */
/** @import { CallerFacts, Session } from '../trace/sessions.js' */
/** @import { Service } from '../simulator/service-time.js' */
/** @import { SampleTail } from '../simulator/tail.js' */
/** @import { Trace } from '../trace/trace.js' */

/** The run with this seed is the trace as it was recorded. */
export const RECORDED_SEED = 1;
/**
 * Makes a load of a trace. A checkout that followed nothing arrives at its recorded time. One that followed another,
 * because it belongs to the same request or because its caller waited for the answer, follows it after the recorded
 * time. Each uses its connection for the recorded time. Where the queries shared the server's cores (`trace.sharing`),
 * each does the recorded work.
 *
 * @param {Trace} trace
 * @param {object} [options]
 * @param {boolean} [options.resample] false, the default: every run is the trace itself; true: only that with
 *   `recordedSeed` is, and each other one is put together from random blocks of it. This is a circular block bootstrap:
 *   D. N. Politis and J. P. Romano (1992), https://en.wikipedia.org/wiki/Bootstrapping_(statistics)#Block_bootstrap. A
 *   caller who is there most of the time stays, and sends random blocks of its requests
 * @param {string[]} [options.separateRoutes] routes that had a pool of their own, default none
 * @param {FollowUps} [options.followUps] default: found in the trace
 * @param {boolean} [options.isUnclear] treat requests as follow-ups where the trace does not show it, default false
 * @returns {TraceLoad}
 */
export function createTraceLoad(
  trace,
  { resample = false, separateRoutes = [], followUps = findFollowUps(trace), isUnclear = false } = {},
) {
  const { checkOutStartedMs, routes, routeOf, sharing } = trace;
  const handoversMs = findHandovers(trace, (checkout) => (separateRoutes.includes(routes[routeOf[checkout]]) ? 1 : 0));
  const previous = (isUnclear && followUps.possible) || followUps.likely;
  const sessions = listSessions(trace, handoversMs, previous, followUps.isSameRequest, sharing?.aloneMs);
  const endMs = checkOutStartedMs[checkOutStartedMs.length - 1];
  const callers = sessions.filter((session) => isCaller(session, endMs));
  const visits = sessions.filter((session) => !isCaller(session, endMs));
  const visitedAtMs = visits.map(({ atMs }) => atMs);
  // The last checkout is followed by a gap, too.
  const durationMs = Math.max(1, (endMs * checkOutStartedMs.length) / Math.max(1, checkOutStartedMs.length - 1));
  const servicesMs = Array.from(sharing?.aloneMs ?? trace.useMs);
  const ofRoutes = Object.fromEntries(
    routes.map((route, index) => [route, servicesMs.filter((_, i) => trace.routeOf[i] === index)]),
  );
  const tails = Object.fromEntries(routes.map((route) => [route, findTail(ofRoutes[route])]));

  /** @param {number} seed @param {number} factor @returns {Iterator<Arrival>} */
  function play(seed, factor) {
    const isRecorded = !resample || seed === RECORDED_SEED;
    const visiting = speedUp(
      listVisits(
        visits,
        isRecorded
          ? [[0, visits.length, 0]]
          : drawBlocks(visitedAtMs, durationMs, factor, createRandom(seed, 'pieces')),
      ),
      factor,
    );
    const all =
      callers.length === 0
        ? visiting
        : merge(
            listCallerArrivals(callers, { endMs, factor, random: createRandom(seed, 'callers'), isRecorded }),
            visiting,
          );
    return (isRecorded ? all : redrawTails(all, tails, createRandom(seed, 'tails')))[Symbol.iterator]();
  }

  return {
    source: { kind: 'trace', trace, options: { resample, separateRoutes, followUps, isUnclear } },
    server: sharing,
    routes,
    durationMs,
    services: Object.fromEntries(
      routes.map((route) => [
        route,
        { kind: 'sample', valuesMs: ofRoutes[route], ...(sharing && { workShare: sharing.workShares[route] }) },
      ]),
    ),
    isRandom: () => resample,
    arrivals: (seed, factor) => ({ [Symbol.iterator]: () => play(seed, factor) }),
    recordedSeed: resample ? RECORDED_SEED : undefined,
    callers: describeCallers({ callers, visits, doubt: followUps.doubt }),
    ...(followUps.possible &&
      !isUnclear && { otherwise: createTraceLoad(trace, { resample, separateRoutes, followUps, isUnclear: true }) }),
  };
}

/**
 * @typedef {Load & { services: Record<string, Service>, callers: CallerFacts, otherwise?: TraceLoad }} TraceLoad
 *   services: the times of each route: the recorded uses, or those alone
 */

/** @param {Session[]} visits @param {Iterable<VisitBlock>} blocks @returns {Generator<Arrival, void>} */
function* listVisits(visits, blocks) {
  let lastMs = 0;
  for (const [from, to, shiftMs] of blocks) {
    for (let i = from; i < to; i++) {
      const { atMs, requests } = visits[i];
      // Rounding may put the first arrival of a block slightly before the last one of the previous block.
      lastMs = Math.max(lastMs, atMs + shiftMs);
      const [{ route, serviceMs, handoverMs }] = requests;
      yield requests.length === 1 ? { atMs: lastMs, route, serviceMs, handoverMs } : { atMs: lastMs, requests };
    }
  }
}

/**
 * @param {Iterable<Arrival>} first
 * @param {Iterable<Arrival>} second each in order of time
 * @returns {Generator<Arrival, void>}
 */
function* merge(first, second) {
  const upcoming = second[Symbol.iterator]();
  let next = upcoming.next().value;
  for (const arrival of first) {
    for (; next && next.atMs < arrival.atMs; next = upcoming.next().value) yield next;
    yield arrival;
  }
  for (; next; next = upcoming.next().value) yield next;
}

/**
 * @param {Iterable<Arrival>} arrivals
 * @param {Record<string, SampleTail | undefined>} recorded by route
 * @param {Random} random
 * @returns {Generator<Arrival, void>}
 */
function* redrawTails(arrivals, recorded, random) {
  const tails = Object.fromEntries(
    Object.entries(recorded).map(([route, tail]) => [route, tail && resampleTail(tail, random)]),
  );
  const redraw = (/** @type {number} */ serviceMs, /** @type {string} */ route) =>
    redrawTail(serviceMs, tails[route], random);
  for (const arrival of arrivals) {
    if (arrival.requests) {
      yield {
        ...arrival,
        requests: arrival.requests.map((request) => ({
          ...request,
          serviceMs: redraw(request.serviceMs, request.route),
        })),
      };
    } else {
      yield { ...arrival, serviceMs: redraw(Number(arrival.serviceMs), String(arrival.route)) };
    }
  }
}

/** @param {Iterable<Arrival>} arrivals @param {number} factor @returns {Generator<Arrival, void>} */
function* speedUp(arrivals, factor) {
  for (const arrival of arrivals) yield factor === 1 ? arrival : { ...arrival, atMs: arrival.atMs / factor };
}

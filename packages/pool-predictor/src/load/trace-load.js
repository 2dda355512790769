import { createRandom } from '../simulator/random.js';
import { findTail, redrawTail, resampleTail } from '../simulator/tail.js';
import { drawBlocks } from './visit-blocks.js';
import { findFollowUps } from '../trace/follow-ups.js';
import { describeCallers, isCaller, listSessions, listCallerArrivals } from '../trace/sessions.js';
import { findHandovers } from '../trace/handovers.js';
import { groupByRoute } from '../trace/trace.js';

/** @import { Arrival } from '../simulator/arrivals.js' */
/** @import { FollowUps } from '../trace/follow-ups.js' */
/** @import { Load } from './load.js' */
/** @import { VisitBlock } from './visit-blocks.js' */
/** @import { Random } from '../simulator/random.js' */
/** @import { CallerFacts, Session } from '../trace/sessions.js' */
/** @import { KnownRequest } from '../simulator/request-plan.js' */
/** @import { MeasuredRequest, Service } from '../simulator/service-time.js' */
/** @import { SampleTail } from '../simulator/tail.js' */
/** @import { Trace } from '../trace/trace.js' */

/** The run with this seed is the trace as it was recorded. */
export const RECORDED_SEED = 1;
/**
 * Makes a load of a trace. A request that followed nothing arrives at its recorded time. One whose caller waited for the
 * answer to another follows that after the recorded time. Each has its queries as they were, see RequestPlan. Each query
 * uses its connection for the recorded time. Where the queries shared the server's cores (`trace.sharing`),
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
  const { requests } = followUps;
  const handoversMs = findHandovers(trace, (checkout) => (separateRoutes.includes(routes[routeOf[checkout]]) ? 1 : 0));
  const servicesMs = sharing?.aloneMs ?? trace.useMs;
  const sessions = listSessions(trace, followUps, { servicesMs, handoversMs, isUnclear });
  const endMs = checkOutStartedMs[checkOutStartedMs.length - 1];
  const callers = sessions.filter((session) => isCaller(session, endMs));
  const visits = sessions.filter((session) => !isCaller(session, endMs));
  const visitedAtMs = visits.map(({ atMs }) => atMs);
  // The last checkout is followed by a gap, too.
  const durationMs = Math.max(1, (endMs * checkOutStartedMs.length) / Math.max(1, checkOutStartedMs.length - 1));
  const grouped = groupByRoute(trace, servicesMs);
  const ofRoutes = Object.fromEntries(routes.map((route, index) => [route, grouped[index]]));
  const tails = Object.fromEntries(routes.map((route) => [route, findTail(ofRoutes[route])]));

  /** @type {Set<KnownRequest> | undefined} */
  let longRequests;

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
    if (isRecorded) return all[Symbol.iterator]();
    longRequests ??= findLong(sessions, tails);
    return redrawTails(all, { tails, longRequests }, createRandom(seed, 'tails'));
  }

  return {
    source: { kind: 'trace', trace, options: { resample, separateRoutes, followUps, isUnclear } },
    server: sharing,
    routes,
    durationMs,
    services: listServices(sessions, ofRoutes, sharing?.workShares),
    isMeasured: requests.isMeasured.includes(1),
    isRandom: () => resample,
    arrivals: (seed, factor) => ({ [Symbol.iterator]: () => play(seed, factor) }),
    ...(trace.openings && trace.openings.fromMs.length > 0 && { withOpenings: createOpenings(trace, resample) }),
    recordedSeed: resample ? RECORDED_SEED : undefined,
    callers: describeCallers({ callers, visits, doubt: followUps.doubt }),
    ...(followUps.possible &&
      !isUnclear && { otherwise: createTraceLoad(trace, { resample, separateRoutes, followUps, isUnclear: true }) }),
  };
}

/**
 * @typedef {Load & { services: Record<string, Service>, callers: CallerFacts, isMeasured: boolean, otherwise?: TraceLoad }}
 *   TraceLoad services: the times of each route: the recorded uses, or those alone; isMeasured: responses are those of
 *   the server, from the start of a request to its end
 */

/**
 * A pool of another size opens connections as the recorded one did. One that was not full at the start had no use for
 * more, so a larger one would have had no more.
 *
 * @param {Trace} trace
 * @param {boolean} resample
 * @returns {NonNullable<Load['withOpenings']>}
 */
function createOpenings({ header, openings, checkOutStartedMs }, resample) {
  const { openAtStart, durationsMs, settings } = /** @type {NonNullable<Trace['openings']>} */ (openings);
  const isFull = openAtStart >= Number(header.maxPoolSize);
  return (pool, seed) => {
    if (pool.kind === 'pipelining' || pool.warm !== undefined) return pool;
    const random = createRandom(seed, 'openings');
    return {
      ...pool,
      minPoolSize: Math.min(pool.minPoolSize ?? settings.minPoolSize ?? 0, pool.maxPoolSize),
      maxConnecting: pool.maxConnecting ?? settings.maxConnecting,
      maxIdleTimeMS: pool.maxIdleTimeMS ?? settings.maxIdleTimeMS,
      warm: isFull ? Math.min(pool.maxPoolSize, checkOutStartedMs.length) : openAtStart,
      connectMs:
        resample && seed !== RECORDED_SEED
          ? Array.from(durationsMs, () => durationsMs[Math.floor(random.uniform() * durationsMs.length)])
          : Array.from(durationsMs),
    };
  };
}

/** @param {Session[]} visits @param {Iterable<VisitBlock>} blocks @returns {Generator<Arrival, void>} */
function* listVisits(visits, blocks) {
  let lastMs = 0;
  for (const [from, to, shiftMs] of blocks) {
    for (let i = from; i < to; i++) {
      const { atMs, requests } = visits[i];
      // Rounding may put the first arrival of a block slightly before the last one of the previous block.
      lastMs = Math.max(lastMs, atMs + shiftMs);
      const { route, serviceMs, handoverMs, known } = requests[0];
      // Objects of one shape are read several times as fast.
      yield { atMs: lastMs, route, serviceMs, handoverMs, known, requests: requests.length > 1 ? requests : undefined };
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

/** The few requests with a query in the tail. @param {Session[]} sessions @param {Record<string, SampleTail | undefined>} tails */
function findLong(sessions, tails) {
  /** @type {Set<KnownRequest>} */
  const long = new Set();
  for (const { requests } of sessions)
    for (const { route, known } of requests)
      if (known?.servicesMs.some((ms) => ms > Number(tails[route]?.fromMs))) long.add(known);
  return long;
}

/**
 * @param {Iterable<Arrival>} arrivals
 * @param {{ tails: Record<string, SampleTail | undefined>, longRequests: Set<KnownRequest> }} recorded tails by route
 * @param {Random} random
 * @returns {Generator<Arrival, void>}
 */
function* redrawTails(arrivals, { tails: recorded, longRequests }, random) {
  const tails = Object.fromEntries(
    Object.entries(recorded).map(([route, tail]) => [route, tail && resampleTail(tail, random)]),
  );
  /** @template {{ route?: string, serviceMs?: number, known?: KnownRequest }} T @param {T} request @returns {T} */
  const redraw = (request) => {
    const { route, serviceMs, known } = request;
    if (known && !longRequests.has(known)) return request;
    const tail = tails[String(route)];
    if (!tail) return request;
    if (!known) {
      const drawnMs = redrawTail(Number(serviceMs), tail, random);
      return drawnMs === serviceMs ? request : { ...request, serviceMs: drawnMs };
    }
    return { ...request, known: { ...known, servicesMs: known.servicesMs.map((ms) => redrawTail(ms, tail, random)) } };
  };
  for (const arrival of arrivals)
    yield arrival.requests ? { ...arrival, requests: arrival.requests.map(redraw) } : redraw(arrival);
}

/**
 * The times of each route. Where requests have several queries, or all of their times are known, they are those of
 * whole requests.
 *
 * @param {Session[]} sessions
 * @param {Record<string, number[]>} ofRoutes the time of each query
 * @param {Record<string, number>} [workShares]
 * @returns {Record<string, Service>}
 */
function listServices(sessions, ofRoutes, workShares) {
  /** @type {Record<string, MeasuredRequest[]>} */
  const measured = Object.create(null);
  const isWhole = new Set();
  for (const { route, serviceMs, known } of sessions.flatMap(({ requests }) => requests)) {
    (measured[route] ??= []).push(known ? describeRequest(known) : { queriesMs: [Number(serviceMs)], restMs: 0 });
    if (known) isWhole.add(route);
  }
  return Object.fromEntries(
    Object.entries(ofRoutes).map(([route, valuesMs]) => [
      route,
      {
        ...(isWhole.has(route)
          ? { kind: /** @type {const} */ ('requests'), requests: measured[route] }
          : { kind: /** @type {const} */ ('sample'), valuesMs }),
        ...(workShares && { workShare: workShares[route] }),
      },
    ]),
  );
}

/** @param {KnownRequest} request @returns {MeasuredRequest} */
function describeRequest({ startsAfter, servicesMs, gapsMs, leadMs, restMs }) {
  /** @type {number[][]} */
  const turns = [];
  let gapMs = 0;
  startsAfter.forEach((ends, query) => {
    if (query > 0 && ends === startsAfter[query - 1]) turns[turns.length - 1].push(servicesMs[query]);
    else {
      turns.push([servicesMs[query]]);
      gapMs += gapsMs[query];
    }
  });
  return { queriesMs: turns, restMs: leadMs + gapMs + restMs };
}

/** @param {Iterable<Arrival>} arrivals @param {number} factor @returns {Generator<Arrival, void>} */
function* speedUp(arrivals, factor) {
  for (const arrival of arrivals) yield factor === 1 ? arrival : { ...arrival, atMs: arrival.atMs / factor };
}

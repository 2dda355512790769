import { createRandom } from '../simulator/random.js';
import { findTail, redrawTail, resampleTail } from '../simulator/tail.js';
import { drawBlocks, listVisits, readVisits, repeatWhole } from './visit-blocks.js';
import { findFollowUps } from '../trace/follow-ups.js';
import { describeCallers, isCaller, listCallerArrivals, listCallers, listSessions } from '../trace/sessions.js';
import { findHandovers } from '../trace/handovers.js';
import { groupByRoute } from '../trace/trace.js';
import { changeServices, removeRequests } from './change-queries.js';

/** @import { Arrival } from '../simulator/arrivals.js' */
/** @import { FollowUps } from '../trace/follow-ups.js' */
/** @import { Load } from './load.js' */
/** @import { LoadChange } from './change-queries.js' */
/** @import { Random } from '../simulator/random.js' */
/** @import { CallerFacts, Session } from '../trace/sessions.js' */
/** @import { KnownRequest } from '../simulator/request-plan.js' */
/** @import { MeasuredRequest, Service } from '../simulator/service-time.js' */
/** @import { SampleTail } from '../simulator/tail.js' */
/** @import { Outage } from '../simulator/driver-pool.js' */
/** @import { Trace } from '../trace/trace.js' */
/** @import { VisitBlock } from './visit-blocks.js' */

/** The run with this seed is the trace as it was recorded. */
export const RECORDED_SEED = 1;
/**
 * Makes a load of a trace. A request that followed nothing arrives at its recorded time. One whose caller waited for
 * the answer to another follows that after the recorded time. Each has its queries as they were, see RequestPlan. Each
 * query uses its connection for the recorded time. Where the queries shared the server's cores (`trace.sharing`), each
 * does the recorded work. Work that belongs to no request, such as that of a timer, is as it was recorded in every run:
 * random blocks would repeat or leave out what comes at fixed times.
 *
 * @param {Trace} trace
 * @param {object} [options]
 * @param {boolean} [options.resample] false, the default: every run is the trace itself; true: only that with
 *   `recordedSeed` is, and each other one is put together from random blocks of it. This is a circular block bootstrap:
 *   D. N. Politis and J. P. Romano (1992), https://en.wikipedia.org/wiki/Bootstrapping_(statistics)#Block_bootstrap. A
 *   caller who is there most of the time stays, and sends random blocks of its requests
 * @param {string[]} [options.separateRoutes] routes that had a pool of their own, default none
 * @param {FollowUps} [options.followUps] default: found in the trace
 * @param {'likely' | 'fewest'} [options.reading] of the follow-ups, default likely
 * @param {LoadChange} [options.change] default: none
 * @returns {TraceLoad}
 */
export function createTraceLoad(
  trace,
  { resample = false, separateRoutes = [], followUps = findFollowUps(trace), reading = 'likely', change } = {},
) {
  const { checkOutStartedMs, routes, routeOf, sharing, waiting = [] } = trace;
  const { requests } = followUps;
  const handoversMs = findHandovers(trace, (checkout) => (separateRoutes.includes(routes[routeOf[checkout]]) ? 1 : 0));
  const recordedMs = sharing?.aloneMs ?? trace.useMs;
  const servicesMs = change ? changeServices(trace, recordedMs, change) : recordedMs;
  const options = { resample, separateRoutes, followUps, reading };
  const sessions = listSessions(trace, followUps, { servicesMs, handoversMs, reading });
  const endMs = Math.max(checkOutStartedMs[checkOutStartedMs.length - 1], ...waiting.map(({ startedMs }) => startedMs));
  const count = checkOutStartedMs.length + waiting.length;
  const callers = sessions.filter((session) => isCaller(session, endMs));
  const calling = listCallers(callers, endMs);
  const visitors = sessions.filter((session) => !isCaller(session, endMs));
  const [visits, outside] = [false, true].map((isOutside) =>
    listVisits(visitors.filter((visitor) => visitor.isOutside === isOutside)),
  );
  // The last checkout is followed by a gap, too.
  const durationMs = Math.max(1, (endMs * count) / Math.max(1, count - 1));
  // What takes long is made when it is asked for: a thread, or a check, needs only the arrivals.
  const timesOf = once(() => groupByRoute(trace, servicesMs).map((times) => times.filter((ms) => ms >= 0)));
  const tailsOf = once(() => Object.fromEntries(routes.map((route, row) => [route, findTail(timesOf()[row])])));
  const longOf = once(() => findLong(sessions, tailsOf()));
  const servicesOf = once(() => listServices(trace, sessions, timesOf()));
  const otherReadingOf = once(() => createTraceLoad(trace, { ...options, reading: 'fewest', change }));

  /** @param {number} seed @param {number} factor @returns {VisitBlock[]} */
  function drawVisits(seed, factor) {
    if (!resample || seed === RECORDED_SEED) return [[0, visits.atMs.length, 0, -Infinity, Infinity]];
    return [...drawBlocks(visits.atMs, durationMs, factor, createRandom(seed, 'pieces'))];
  }

  /** @param {number} seed @param {number} factor @returns {Iterator<Arrival>} */
  function play(seed, factor) {
    const isRecorded = !resample || seed === RECORDED_SEED;
    const visiting = readVisits(visits, drawVisits(seed, factor), factor);
    const called = listCallerArrivals(calling, { factor, random: createRandom(seed, 'callers'), isRecorded });
    const working = readVisits(outside, repeatWhole(outside.atMs, durationMs, isRecorded ? 1 : factor), factor);
    const all = called.length + outside.atMs.length === 0 ? visiting : merge(merge(called, working), visiting);
    const sent = change?.isRemoved ? removeRequests(all, change.route) : all;
    if (isRecorded) return sent;
    return redrawTails(sent, { tails: tailsOf(), longRequests: longOf() }, createRandom(seed, 'tails'));
  }

  return {
    source: { kind: 'trace', trace, options: { ...options, change } },
    withChange: (other) => createTraceLoad(trace, { ...options, change: other }),
    server: sharing,
    routes,
    durationMs,
    get services() {
      return servicesOf();
    },
    isMeasured: requests.isMeasured.includes(1),
    isRandom: () => resample,
    arrivals: (seed, factor) => ({ [Symbol.iterator]: () => play(seed, factor) }),
    ...(trace.openings &&
      trace.openings.fromMs.length > 0 && { withOpenings: createOpenings(trace, { resample, drawVisits }) }),
    recordedSeed: resample ? RECORDED_SEED : undefined,
    callers: { ...describeCallers(callers, visitors), fewest: followUps.fewest && followUps.fewestCallers },
    get otherReading() {
      return followUps.fewest && reading === 'likely' ? otherReadingOf() : undefined;
    },
  };
}

/**
 * @typedef {Load & { services: Record<string, Service>, callers: CallerFacts, isMeasured: boolean, otherReading?:
 *   TraceLoad }} TraceLoad services: the times of each route: the recorded uses, or those alone; isMeasured: responses
 *   are those of the server, from the start of a request to its end
 */

/**
 * A pool of another size opens connections as the recorded one did. One that was not full at the start had no use for
 * more, so a larger one would have had no more. It loses its server when that one did.
 *
 * @param {Trace} trace
 * @param {{ resample: boolean, drawVisits: (seed: number, factor: number) => VisitBlock[] }} options
 * @returns {NonNullable<Load['withOpenings']>}
 */
function createOpenings({ header, openings, outages, checkOutStartedMs }, { resample, drawVisits }) {
  const { openAtStart, durationsMs, settings } = /** @type {NonNullable<Trace['openings']>} */ (openings);
  const isFull = openAtStart >= Number(header.maxPoolSize);
  return (pool, seed, factor) => {
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
      ...(outages && { outages: moveOutages(outages, drawVisits(seed, factor), factor) }),
    };
  };
}

/**
 * @param {Outage[]} outages
 * @param {VisitBlock[]} blocks that a run is put together from
 * @param {number} factor divides the times
 * @returns {Outage[]} of the run; each lasts as long as it did
 */
function moveOutages(outages, blocks, factor) {
  /** @type {Outage[]} */
  const moved = [];
  for (const [, , shiftMs, fromMs, toMs] of blocks)
    for (const { atMs, readyMs, losesUses } of outages) {
      const movedMs = (atMs + shiftMs) / factor;
      if (atMs < fromMs || atMs >= toMs || movedMs <= Number(moved.at(-1)?.readyMs ?? -Infinity)) continue;
      moved.push({ atMs: Math.max(0, movedMs), readyMs: Math.max(0, movedMs) + readyMs - atMs, losesUses });
    }
  return moved;
}

/** @template T @param {() => T} make @returns {() => T} what was made the first time */
function once(make) {
  /** @type {T | undefined} */
  let made;
  return () => (made ??= make());
}

/**
 * @param {Iterable<Arrival>} first
 * @param {Iterator<Arrival, void>} upcoming each in order of time
 * @returns {Generator<Arrival, void>}
 */
function* merge(first, upcoming) {
  let next = upcoming.next().value;
  for (const arrival of first) {
    for (; next && next.atMs < arrival.atMs; next = upcoming.next().value) yield next;
    yield arrival;
  }
  for (; next; next = upcoming.next().value) yield next;
}

/**
 * The few requests with a query in the tail.
 * @param {Session[]} sessions
 * @param {Record<string, SampleTail | undefined>} tails
 */
function findLong(sessions, tails) {
  /** @type {Set<KnownRequest>} */
  const long = new Set();
  for (const { requests } of sessions)
    for (const { route, known } of requests)
      if (known?.servicesMs.some((ms) => ms > Number(tails[route]?.fromMs))) long.add(known);
  return long;
}

/**
 * @param {Iterator<Arrival, void>} arrivals
 * @param {{ tails: Record<string, SampleTail | undefined>, longRequests: Set<KnownRequest> }} recorded tails by route
 * @param {Random} random
 * @returns {Iterator<Arrival, void>}
 */
function redrawTails(arrivals, { tails: recorded, longRequests }, random) {
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
  return {
    next() {
      const { value } = arrivals.next();
      if (!value) return { done: true, value: undefined };
      return {
        done: false,
        value: value.requests ? { ...value, requests: value.requests.map(redraw) } : redraw(value),
      };
    },
  };
}

/**
 * The times of each route. Where requests have several queries, or all of their times are known, they are those of
 * whole requests.
 *
 * @param {Trace} trace
 * @param {Session[]} sessions
 * @param {number[][]} timesMs of its queries, by route
 * @returns {Record<string, Service>}
 */
function listServices({ routes, sharing, limits = [] }, sessions, timesMs) {
  /** @type {Record<string, MeasuredRequest[]>} */
  const measured = Object.create(null);
  const isWhole = new Set();
  for (const { route, serviceMs, known } of sessions.flatMap(({ requests }) => requests)) {
    (measured[route] ??= []).push(known ? describeRequest(known) : { queriesMs: [Number(serviceMs)], restMs: 0 });
    if (known) isWhole.add(route);
  }
  return Object.fromEntries(
    routes.map((route, row) => [
      route,
      {
        ...(isWhole.has(route)
          ? { kind: /** @type {const} */ ('requests'), requests: measured[route] }
          : { kind: /** @type {const} */ ('sample'), valuesMs: timesMs[row] }),
        ...(sharing && { workShare: sharing.workShares[route] }),
        limit: limits.find((limit) => limit.route === row),
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

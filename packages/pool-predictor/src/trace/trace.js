import { sum } from '../base/sample-statistics.js';
import { createLatencyHistogram } from '../simulator/latency-histogram.js';
import { summarise } from '../simulator/route-stats.js';
import { joinRequests } from './traced-requests.js';

/** @import { ClientUse } from './client-use.js' */
/** @import { RecordedOperation, ReportedServer } from '../reading/recorded-trace.js' */
/** @import { Outage } from '../simulator/driver-pool.js' */
/** @import { Patience } from './patience.js' */
/** @import { ConflictCounts } from './pool-transactions.js' */
/** @import { PlaceLimit } from '../simulator/places.js' */

/**
 * The checkouts of one pool that had a connection, in the order in which they started.
 * See pickPool.
 *
 * @typedef {object} Trace
 * @property {Record<string, unknown>} header
 * @property {string[]} routes
 * @property {ArrayLike<number>} checkOutStartedMs counts from the first
 * @property {ArrayLike<number>} waitMs
 * @property {ArrayLike<number>} useMs
 * @property {ArrayLike<number>} routeOf index into routes
 * @property {RecordedOperation[]} [operations]
 * @property {ArrayLike<number>} [operationOf] index into operations, -1 where unknown; the same
 * @property {ArrayLike<number>} [isBehind] 1: others had all connections of the pool when the wait began; the same
 * @property {ArrayLike<number>} [requestOf] the same number for the checkouts of one request, -1 where unknown
 * @property {ArrayLike<number>} [requestStartedMs] when that request arrived at the server, NaN where unknown
 * @property {ArrayLike<number>} [requestEndedMs] when it was answered; NaN also where its client left before
 * @property {ArrayLike<number>} [breaks] 1: its operation failed, and the connection was closed
 * @property {ArrayLike<number>} [connectionOf] the number of the connection; 0 where unknown
 * @property {ArrayLike<number>} [socketOf] the number of its request's socket, -1 where unknown
 * @property {ArrayLike<number>} [socketUseOf] who uses that: row in SOCKET_USES
 * @property {QuerylessRequest[]} [queryless] requests of its routes that made no query
 * @property {(PlaceLimit & { route: number })[]} [limits] of the app on requests at once; route: index into routes
 * @property {ArrayLike<number>} [limitedMs] how long its request waited for a place before it, see limits
 * @property {TraceOpenings} [openings] of the pool's connections
 * @property {Outage[]} [outages] of the pool: what waited then is replayed as if it had asked at once
 * @property {number} [resolutionMs] of the times; default: microseconds
 * @property {number} [callers] that sent all its requests, each after the answer to its last, as the user said; 0:
 *   none, they arrived on their own
 * @property {ClientUse} [clients] whose pool is one of many, so that its size decides nothing
 * @property {ReportedServer} [server] what it reported
 * @property {RefusedCheckout[]} [refused] those that got no connection in time, of requests that are replayed all the
 *   same, in the order of their starts
 * @property {RefusedCheckout[]} [waiting] those that still waited when the recording ended, and are replayed as well
 * @property {number} [unservedShare] of the pool's checkouts: those that got no connection, and are in no list
 * @property {Patience} [patience] of the clients
 * @property {ConflictCounts | null} [conflicts] of its transactions, if they are many
 * @property {ServerFit} [sharing] how the queries shared its cores; without it they did not slow each other down
 * @property {ReplayedPart} [replayed] of a long trace
 * @property {string[]} warnings what users of the trace should know
 */

/**
 * @typedef {{ startedMs: number, durationMs: number, route: number, socket: number, socketUse: number }}
 *   QuerylessRequest route, socket and socketUse as in routeOf, socketOf and socketUseOf
 *
 * @typedef {{ startedMs: number, waitMs: number, route: number, request: number }} RefusedCheckout startedMs: when the
 *   wait began; route: index into routes; request: its number, as in requestOf
 *
 * @typedef {object} ReplayedPart what is replayed of a long trace
 * @property {number} checkouts
 * @property {number} of all its checkouts
 * @property {number} pieces
 * @property {number} pieceMs how long each takes
 * @property {number} busiestMs when its busiest minute begins, in which one of them is
 *
 * @typedef {object} TraceOpenings
 * @property {number} openAtStart connections that were open when the first checkout started, as far as they were used
 *   or closed later
 * @property {Float64Array} fromMs ascending
 * @property {Float64Array} durationsMs of the same
 * @property {{ minPoolSize?: number, maxConnecting?: number, maxIdleTimeMS?: number }} settings of the pool that decide
 *   when connections are opened
 *
 * @typedef {object} CoresChoice
 * @property {number} cores that the queries share
 * @property {[low: number, high: number] | null} range with 95 % confidence; null where they are known
 * @property {'given' | 'recorded' | 'fitted' | 'guessed'} source guessed: the traces show that queries slow each other
 *   down, but not the number of cores
 */

/**
 * How the queries of a trace share the server.
 *
 * @typedef {CoresChoice & SharedTimes} ServerFit
 *
 * @typedef {object} SharedTimes
 * @property {number} sliceMs how long a turn on a core takes
 * @property {Record<string, number>} workShares by route
 * @property {Float64Array} aloneMs the time that each checkout of the first trace would have taken alone
 * @property {number} seen the most queries at work at once; the traces show nothing about more
 */

/**
 * @param {Pick<Trace, 'routes' | 'routeOf'>} trace
 * @param {ArrayLike<number>} values of its checkouts
 * @returns {number[]} the mean of each route, in the order of its routes; NaN for one without checkouts
 */
export function meansByRoute({ routes, routeOf }, values) {
  const sums = routes.map(() => ({ sum: 0, count: 0 }));
  for (let i = 0; i < values.length; i++) {
    sums[routeOf[i]].sum += values[i];
    sums[routeOf[i]].count++;
  }
  return sums.map(({ sum, count }) => sum / count);
}

/**
 * Groups values by route, in one pass: a trace may have thousands of routes.
 *
 * @param {Pick<Trace, 'routes' | 'routeOf'>} trace
 * @param {ArrayLike<number>} values by checkout
 * @returns {number[][]} by row of `routes`
 */
export function groupByRoute({ routes, routeOf }, values) {
  /** @type {number[][]} */
  const groups = routes.map(() => []);
  for (let i = 0; i < values.length; i++) groups[routeOf[i]].push(values[i]);
  return groups;
}

/**
 * @param {Trace} trace
 * @param {number} fromMs
 * @param {number} toMs
 * @returns {Trace} the checkouts that started in that time
 */
export function sliceTrace(trace, fromMs, toMs) {
  return pickPieces(trace, [{ fromMs, toMs }]);
}

/** Pieces of a recording, one after the other. With more of them, more requests lack those before them. */
const PIECES = 5;

/** What people want to know of a long recording is how its worst time would go. */
const BUSIEST_MS = 60_000;

/**
 * Shortens a long trace to pieces that are spread over it. One is in its busiest minute. Each begins when a connection
 * was free, if there is such a moment, because the queue before it is not replayed.
 *
 * @param {Trace} trace
 * @param {number} most checkouts, and requests without one, that are about right
 * @returns {Trace} the trace itself if it is not longer
 */
export function thinTrace(trace, most) {
  const { checkOutStartedMs, waitMs, queryless = [] } = trace;
  const { length } = checkOutStartedMs;
  const all = length + queryless.length;
  if (all <= most) return trace;
  const lastMs = checkOutStartedMs[length - 1];
  const slotMs = lastMs / PIECES;
  const pieceMs = (slotMs * most) / all;
  const busiestMs = findBusiestMs(checkOutStartedMs);
  let row = 0;
  let endMs = 0;
  const pieces = Array.from({ length: PIECES }, (_, piece) => {
    const isBusiest = Math.floor(busiestMs / slotMs) === piece;
    const slotFromMs = Math.max(endMs, isBusiest ? Math.min(busiestMs, lastMs - pieceMs) : piece * slotMs);
    const searchMs = isBusiest ? Math.max(0, BUSIEST_MS - pieceMs) : slotMs - pieceMs;
    while (row < length && checkOutStartedMs[row] < slotFromMs) row++;
    while (row < length && waitMs[row] > 0 && checkOutStartedMs[row] < slotFromMs + searchMs) row++;
    const isFree = row < length && waitMs[row] === 0 && checkOutStartedMs[row] <= slotFromMs + searchMs;
    const fromMs = slotFromMs > 0 && isFree ? checkOutStartedMs[row] : slotFromMs;
    endMs = fromMs + pieceMs;
    return { fromMs, toMs: endMs };
  });
  const thinned = pickPieces(trace, pieces);
  const { length: checkouts } = thinned.waitMs;
  return { ...thinned, replayed: { checkouts, of: length, pieces: PIECES, busiestMs, pieceMs } };
}

/** Finds when the minute with most checkouts begins. @param {ArrayLike<number>} startedMs */
function findBusiestMs(startedMs) {
  let [first, most, busiestMs] = [0, 0, 0];
  for (let row = 0; row < startedMs.length; row++) {
    while (startedMs[row] - startedMs[first] >= BUSIEST_MS) first++;
    if (row - first < most) continue;
    most = row - first + 1;
    busiestMs = startedMs[first];
  }
  return busiestMs;
}

/**
 * @param {Trace} trace
 * @param {{ fromMs: number, toMs: number }[]} pieces in order of time; each begins when all checkouts of the one before
 *   have ended: those who took over their connections are not in it
 * @returns {Trace}
 */
function pickPieces(trace, pieces) {
  const { checkOutStartedMs, sharing, openings, outages = [], refused = [], waiting = [], queryless = [] } = trace;
  /** @type {number[]} */
  const kept = [];
  /** How much earlier each of them comes. @type {number[]} */
  const shiftsMs = [];
  const others = { refused, waiting, queryless };
  /** @type {{ refused: RefusedCheckout[], waiting: RefusedCheckout[], queryless: QuerylessRequest[] }} */
  const keptOf = { refused: [], waiting: [], queryless: [] };
  /** @type {Outage[]} */
  const keptOutages = [];
  /** @type {number[]} */
  const openingsMs = [];
  /** @type {number[]} */
  const durationsMs = [];
  let row = 0;
  let passedMs = 0;
  for (const { fromMs, toMs } of pieces) {
    const shiftMs = fromMs - passedMs;
    let endMs = toMs;
    while (row < checkOutStartedMs.length && checkOutStartedMs[row] < fromMs) row++;
    for (; row < checkOutStartedMs.length && checkOutStartedMs[row] < toMs; row++) {
      kept.push(row);
      shiftsMs.push(shiftMs);
      endMs = Math.max(endMs, checkOutStartedMs[row] + trace.waitMs[row] + trace.useMs[row]);
    }
    for (const name of /** @type {const} */ (['refused', 'waiting', 'queryless']))
      for (const each of others[name])
        if (each.startedMs >= fromMs && each.startedMs < toMs)
          keptOf[name].push(/** @type {any} */ ({ ...each, startedMs: each.startedMs - shiftMs }));
    openings?.fromMs.forEach((ms, index) => {
      if (ms < fromMs || ms >= toMs) return;
      openingsMs.push(ms - shiftMs);
      durationsMs.push(openings.durationsMs[index]);
    });
    for (const { atMs, readyMs, losesUses } of outages)
      if (atMs >= fromMs && atMs < toMs)
        keptOutages.push({ atMs: atMs - shiftMs, readyMs: readyMs - shiftMs, losesUses });
    passedMs += endMs - fromMs;
  }
  const pick = (/** @type {ArrayLike<number>} */ values) => kept.map((index) => values[index]);
  const shift = (/** @type {ArrayLike<number>} */ values) =>
    kept.map((index, place) => values[index] - shiftsMs[place]);
  return {
    ...trace,
    outages: keptOutages.length > 0 ? keptOutages : undefined,
    checkOutStartedMs: shift(checkOutStartedMs),
    waitMs: pick(trace.waitMs),
    useMs: pick(trace.useMs),
    routeOf: pick(trace.routeOf),
    ...(trace.limitedMs && { limitedMs: pick(trace.limitedMs) }),
    ...(trace.operationOf && { operationOf: pick(trace.operationOf) }),
    ...(trace.isBehind && { isBehind: pick(trace.isBehind) }),
    ...(trace.requestOf && { requestOf: pick(trace.requestOf) }),
    ...(trace.requestStartedMs && { requestStartedMs: shift(trace.requestStartedMs) }),
    ...(trace.requestEndedMs && { requestEndedMs: shift(trace.requestEndedMs) }),
    ...(trace.breaks && { breaks: pick(trace.breaks) }),
    ...(trace.connectionOf && { connectionOf: pick(trace.connectionOf) }),
    ...(trace.socketOf && { socketOf: pick(trace.socketOf) }),
    ...(trace.socketUseOf && { socketUseOf: pick(trace.socketUseOf) }),
    ...(openings && {
      openings: { ...openings, fromMs: Float64Array.from(openingsMs), durationsMs: Float64Array.from(durationsMs) },
    }),
    ...keptOf,
    ...(sharing && { sharing: { ...sharing, aloneMs: Float64Array.from(pick(sharing.aloneMs)) } }),
  };
}

/**
 * Makes one route of the rarest ones, where there are too many to tell apart.
 *
 * @param {Trace} trace
 * @param {number} most routes
 * @returns {Trace} the trace itself if it has no more
 */
export function foldRoutes(trace, most) {
  const { routes, routeOf, refused, waiting, queryless, limits = [], warnings } = trace;
  if (routes.length <= most) return trace;
  const counts = new Float64Array(routes.length);
  for (let row = 0; row < routeOf.length; row++) counts[routeOf[row]]++;
  for (const { route } of limits) counts[route] = Infinity;
  const kept = [...routes.keys()].sort((a, b) => counts[b] - counts[a]).slice(0, most - 1);
  const newRow = new Uint32Array(routes.length).fill(most - 1);
  kept.forEach((route, row) => (newRow[route] = row));
  const others = routes.length - kept.length;
  /** @template {{ route: number }} T @param {T} each @returns {T} */
  const renumber = (each) => ({ ...each, route: newRow[each.route] });
  return {
    ...trace,
    routes: [...kept.map((route) => routes[route]), `${others} others`],
    routeOf: Uint32Array.from(routeOf, (route) => newRow[route]),
    refused: refused?.map(renumber),
    waiting: waiting?.map(renumber),
    queryless: queryless?.map(renumber),
    limits: limits.map(renumber),
    warnings: [
      ...warnings,
      `The trace has ${routes.length} routes: the ${others} rarest ones are one, "${others} others"`,
    ],
  };
}

/**
 * Counts the cores that other programs on its machine, such as the app and its load, left to the server.
 * @param {NonNullable<Trace['server']>} server
 */
export function countFreeCores({ cores, busyCores, otherBusyCores = 0 }) {
  return Math.max(busyCores, cores - otherBusyCores);
}

/**
 * @param {NonNullable<Trace['server']>} server
 * @returns {number} the share that it used of the cores that it could have; 1 where other programs left it none
 */
export function shareUsed(server) {
  const cores = countFreeCores(server);
  return cores > 0 ? server.busyCores / cores : 1;
}

/**
 * Summarises the requests of a trace in the shape of a prediction. A response is that of the server, or if that is
 * unknown, lasts from the start of the first checkout to the last check-in. Requests that got no connection in time
 * have none. That of one that still waits is as long as it has waited, a lower bound.
 *
 * @param {Trace} trace
 */
export function summariseTrace(trace) {
  const { routes, waitMs, routeOf, refused = [], waiting = [] } = trace;
  const requests = joinRequests(trace);
  const failed = new Map(refused.map(({ request, route }) => [request, route]));
  // Work that belongs to no request has no number.
  const unended = new Set(waiting.map(({ request }) => request).filter((request) => request >= 0));
  const times = routes.map(() => ({ response: createLatencyHistogram(), wait: createLatencyHistogram() }));
  let waitedMs = sum(refused.map((each) => each.waitMs));
  let maxMs = 0;
  for (let row = 0; row < waitMs.length; row++) {
    times[routeOf[row]].wait.record(waitMs[row]);
    waitedMs += waitMs[row];
  }
  let answered = 0;
  for (let request = 0; request < requests.length; request++) {
    const number = requests.numberOf[request];
    if (failed.has(number) || unended.has(number)) continue;
    const responseMs = requests.endedMs[request] - requests.startedMs[request];
    times[requests.routeOf[request]].response.record(responseMs);
    maxMs = Math.max(maxMs, responseMs);
    answered++;
  }
  for (const { route, waitMs: waitedMs } of waiting) {
    times[route].response.record(waitedMs);
    maxMs = Math.max(maxMs, waitedMs);
    answered++;
  }
  const failures = routes.map(() => 0);
  for (const route of failed.values()) failures[route]++;
  return {
    requests: answered + failed.size,
    failures: failed.size,
    maxMs,
    meanWaitMs: waitedMs / (waitMs.length + refused.length),
    routes: Object.fromEntries(
      routes.map((route, index) => {
        const { response, wait } = times[index];
        const count = response.count() + failures[index];
        return [route, { count, failures: failures[index], ...summarise(response), wait: summarise(wait) }];
      }),
    ),
  };
}

import { mixStreams } from './closed-forms.js';
import { queriesOf, serviceMoments, sharesCores } from './simulator/service-time.js';

/** @import { Stream } from './closed-forms.js' */
/** @import { Load } from './load.js' */
/** @import { CallerFacts } from './trace/sessions.js' */
/** @import { Figures, SimulationResult } from './simulation-runs.js' */
/** @import { Service } from './simulator/service-time.js' */

/** A percentile up to this much above that of an unlimited pool counts as equal. */
export const TOLERANCE_SHARE = 0.05;
export const TOLERANCE_MS = 1;

/**
 * What a load needs, whatever the pool.
 *
 * @typedef {object} LoadFacts
 * @property {number} requests
 * @property {number} durationMs how long users arrive
 * @property {Record<string, { count: number, ratePerSec: number, queries: number, meanMs: number, scv: number }>} routes
 *   queries of each request; meanMs and scv (squared coefficient of variation) of a query's service time
 * @property {Required<Stream>} stream all queries as one
 * @property {number} arrivalScv of the gaps between users: 0 evenly spaced, 1 at random
 * @property {number} lastsMs from the first request to the last answer, without a limit on connections
 * @property {number} meanActive connections in use in that time, on average: the arrival rate times the service time
 *   (https://en.wikipedia.org/wiki/Little%27s_law)
 * @property {number} peakActive the most in use at once in that time; a pool never uses more
 * @property {number} floor with fewer connections, requests pile up until the load ends
 * @property {CallerFacts} [callers] of a trace
 */

/**
 * @param {Load} load
 * @param {Record<string, Service>} services
 * @param {SimulationResult[]} runs with a pool without a limit
 * @param {number} [factor] the load in the runs has this many times its arrival rate
 * @returns {LoadFacts} rates are means over the runs, peakActive is the highest
 * @throws {Error} for a load without requests, or without queries
 */
export function describeLoad(load, services, runs, factor = 1) {
  const facts = load.routes.map((route) => {
    const count = mean(runs.map(({ routes }) => routes[route]?.count ?? 0));
    const ratePerSec = (count / load.durationMs) * 1000;
    const service = services[route];
    return /** @type {const} */ ([route, { count, ratePerSec, queries: queriesOf(service), ...serviceMoments(service) }]);
  }).filter(([, { count }]) => count > 0);
  if (facts.length === 0) throw new Error('The load has no requests: there is nothing to predict');
  const querying = facts.flatMap(([, fact]) => (fact.queries > 0 ? { ...fact, ratePerSec: fact.ratePerSec * fact.queries } : []));
  if (querying.length === 0) {
    throw new Error('No request of the load takes a connection: its answers take as long with any pool');
  }
  const stream = mixStreams(querying);
  const peakActive = Math.max(...runs.map((run) => run.peakActive));
  const meanActive = mean(runs.map(({ durationMs, meanActive: active }) => (durationMs > 0 ? active : 0)));
  // Where queries slow each other down, a smaller pool makes them faster.
  const needed = sharesCores(load.server, services) ? (stream.ratePerSec / 1000) * stream.meanMs : meanActive;
  return {
    requests: mean(runs.map(({ requests }) => requests)),
    durationMs: load.durationMs,
    routes: Object.fromEntries(facts),
    stream,
    arrivalScv: gapScv(load.arrivals(1, factor)),
    lastsMs: mean(runs.map(({ durationMs }) => durationMs)),
    meanActive,
    peakActive,
    // Callers who wait for their answers never pile up.
    floor: connectionsFor(needed * (1 - (load.callers?.callersShare ?? 0)), peakActive),
    ...(load.callers && { callers: load.callers }),
  };
}

/**
 * The smallest number of connections that keeps up with a load.
 *
 * @param {number} meanActive
 * @param {number} peakActive
 */
export function connectionsFor(meanActive, peakActive) {
  // Rounded to one decimal, as it is shown.
  return Math.min(Math.max(1, Math.ceil(Math.round(meanActive * 10) / 10)), peakActive);
}

/**
 * Finds the smallest size from which on all sizes are as good as no limit: no more requests fail, and p95 and p99 of each
 * route are equal. A size below the floor is never as good, whatever its percentiles: its last requests are late.
 *
 * @param {{ poolSize: number, figures: Figures }[]} sizes ascending
 * @param {Figures} unlimited
 * @param {number} floor
 * @returns {number | undefined} the size
 */
export function findKnee(sizes, unlimited, floor) {
  const last = sizes.findLastIndex(({ poolSize, figures: { failures, routes } }) => (
    poolSize < floor || failures > unlimited.failures
      || Object.entries(unlimited.routes).some(([route, { all: best }]) => (
        isWorse(routes[route]?.all.p95Ms, best.p95Ms) || isWorse(routes[route]?.all.p99Ms, best.p99Ms)))));
  return sizes[last + 1]?.poolSize;
}

/** @param {number | undefined} ms undefined where no request reached the route @param {number} bestMs */
function isWorse(ms, bestMs) {
  return bestMs >= 0 && !(Number(ms) <= bestMs * (1 + TOLERANCE_SHARE) + TOLERANCE_MS);
}

/** @param {number[]} values */
function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The squared coefficient of variation of the gaps. @param {Iterable<{ atMs: number }>} arrivals */
function gapScv(arrivals) {
  let count = -1;
  let lastMs = 0;
  let sum = 0;
  let sumOfSquares = 0;
  for (const { atMs } of arrivals) {
    if (++count > 0) {
      sum += atMs - lastMs;
      sumOfSquares += (atMs - lastMs) ** 2;
    }
    lastMs = atMs;
  }
  return sum > 0 ? Math.max(0, (sumOfSquares * count) / sum ** 2 - 1) : 0;
}

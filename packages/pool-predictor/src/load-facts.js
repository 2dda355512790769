import { mixStreams } from './closed-forms.js';
import { serviceMoments } from './simulator/service-time.js';

/** @import { Stream } from './closed-forms.js' */
/** @import { Load } from './load.js' */
/** @import { Figures, SimulationResult } from './simulation-runs.js' */
/** @import { Service } from './simulator/service-time.js' */

/** A percentile this much above that of an unlimited pool is as good. */
export const AS_GOOD_SHARE = 0.05;
export const AS_GOOD_MS = 1;

/**
 * @typedef {object} LoadFacts what can be said of a load before there is a pool
 * @property {number} requests
 * @property {number} durationMs how long users arrive
 * @property {Record<string, { count: number, ratePerSec: number, meanMs: number, scv: number }>} routes
 * @property {Required<Stream>} stream all routes as one
 * @property {number} arrivalScv of the gaps between users: 0 evenly spaced, 1 at random
 * @property {number} lastsMs from the first request to the last answer when connections have no limit
 * @property {number} busy connections in use on average in that time: the rate times the service time (Little)
 * @property {number} peakActive the most in use at once in that time: more are never used
 * @property {number} floor with fewer than these, requests pile up until the load ends: the work takes longer than the
 *   load lasts
 */

/**
 * @param {Load} load
 * @param {Record<string, Service>} services
 * @param {SimulationResult[]} runs of the load with a pool without limit
 * @param {number} [factor] times the rate, as in the runs
 * @returns {LoadFacts} rates are means over the runs, peakActive is the highest
 * @throws {Error} for a load without requests
 */
export function describeLoad(load, services, runs, factor = 1) {
  const facts = load.routes.map((route) => {
    const count = mean(runs.map(({ routes }) => routes[route]?.count ?? 0));
    const ratePerSec = (count / load.durationMs) * 1000;
    return /** @type {const} */ ([route, { count, ratePerSec, ...serviceMoments(services[route]) }]);
  }).filter(([, { count }]) => count > 0);
  if (facts.length === 0) throw new Error('The load has no requests: there is nothing to predict');
  const stream = mixStreams(facts.map(([, fact]) => fact));
  const peakActive = Math.max(...runs.map((run) => run.peakActive));
  const busy = mean(runs.map(({ durationMs, meanActive }) => (durationMs > 0 ? meanActive : 0)));
  return {
    requests: mean(runs.map(({ requests }) => requests)),
    durationMs: load.durationMs,
    routes: Object.fromEntries(facts),
    stream,
    arrivalScv: gapScv(load.arrivals(1, factor)),
    lastsMs: mean(runs.map(({ durationMs }) => durationMs)),
    busy,
    peakActive,
    floor: connectionsFor(busy, peakActive),
  };
}

/**
 * The fewest connections that get the work done while the load lasts.
 *
 * @param {number} busy on average
 * @param {number} peakActive
 */
export function connectionsFor(busy, peakActive) {
  // To one decimal, as it is shown.
  return Math.min(Math.max(1, Math.ceil(Math.round(busy * 10) / 10)), peakActive);
}

/**
 * The first from which on all are as good as no limit: as few requests fail, and p95 and p99 of each route are alike.
 * None below the floor is: whatever percentiles say of it, its last requests are late.
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

/** @param {number | undefined} ms nothing where no request got so far @param {number} bestMs */
function isWorse(ms, bestMs) {
  return bestMs >= 0 && !(Number(ms) <= bestMs * (1 + AS_GOOD_SHARE) + AS_GOOD_MS);
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

import { mean, sum } from '../base/sample-statistics.js';
import { meanServiceMs, queriesOf, sharesCores } from '../simulator/service-time.js';
import { shareUsed } from '../trace/trace.js';

/** @import { Load } from './load.js' */
/** @import { CallerFacts } from '../trace/sessions.js' */
/** @import { SimulationResult } from '../simulator/simulate.js' */
/** @import { Service } from '../simulator/service-time.js' */

/**
 * What a load needs, with any pool.
 *
 * @typedef {object} LoadFacts
 * @property {number} requests
 * @property {number} durationMs how long users arrive
 * @property {Record<string, { count: number, ratePerSec: number, queries: number, meanMs: number }>} routes
 *   queries of each request; meanMs of a query's service time
 * @property {number} lastsMs from the first request to the last answer, without a limit on connections
 * @property {number} meanActive connections in use in that time, on average: the arrival rate times the service time
 *   (https://en.wikipedia.org/wiki/Little%27s_law)
 * @property {number} peakActive the most in use at once in that time; a pool never uses more
 * @property {number} floor with fewer connections, requests pile up until the load ends
 * @property {number} usedShare of the server's cores that the load needs on average, or used while it was recorded; 0
 *   where queries do not slow each other down
 * @property {CallerFacts} [callers] of a trace
 */

/**
 * @param {Load} load
 * @param {Record<string, Service>} services
 * @param {SimulationResult[]} runs with a pool without a limit
 * @returns {LoadFacts} rates are means over the runs, peakActive is the highest
 * @throws {Error} for a load without requests, or without queries
 */
export function describeLoad(load, services, runs) {
  const facts = load.routes
    .map((route) => {
      const count = mean(runs.map(({ routes }) => routes[route]?.count ?? 0));
      const ratePerSec = (count / load.durationMs) * 1000;
      const service = services[route];
      return /** @type {const} */ ([
        route,
        { count, ratePerSec, queries: queriesOf(service), meanMs: meanServiceMs(service) },
      ]);
    })
    .filter(([, { count }]) => count > 0);
  if (facts.length === 0) throw new Error('The load has no requests: there is nothing to predict');
  if (facts.every(([, { queries }]) => queries === 0)) {
    throw new Error('No request of the load takes a connection: its answers take as long with any pool');
  }
  const peakActive = Math.max(...runs.map((run) => run.peakActive));
  const meanActive = mean(runs.map(({ durationMs, meanActive: active }) => (durationMs > 0 ? active : 0)));
  // Where queries slow each other down, a smaller pool makes them faster.
  const isShared = sharesCores(load.server, services);
  const needed = isShared ? countOffered(facts.map(([, fact]) => fact)) : meanActive;
  const known = {
    routes: Object.fromEntries(facts),
    durationMs: load.durationMs,
    lastsMs: mean(runs.map(({ durationMs }) => durationMs)),
    ...(load.callers && { callers: load.callers }),
  };
  return {
    ...known,
    usedShare: isShared ? (readUsedShare(load) ?? countWork(known, services) / Number(load.server?.cores)) : 0,
    requests: mean(runs.map(({ requests }) => requests)),
    meanActive,
    peakActive,
    // Callers who wait for their answers never pile up.
    floor: connectionsFor(needed * (1 - (load.callers?.callersShare ?? 0)), peakActive),
  };
}

/**
 * Finds the smallest number of connections that keeps up with a load.
 *
 * @param {number} meanActive
 * @param {number} peakActive
 */
export function connectionsFor(meanActive, peakActive) {
  // The mean is shown with one decimal, so it is rounded in the same way here.
  return Math.min(Math.max(1, Math.ceil(Math.round(meanActive * 10) / 10)), peakActive);
}

/** What the server said. @param {Load} load @returns {number | undefined} */
function readUsedShare({ source }) {
  return source?.kind === 'trace' && source.trace.server ? shareUsed(source.trace.server) : undefined;
}

/**
 * Counts the cores that a load keeps busy, on average.
 *
 * @param {Pick<LoadFacts, 'routes' | 'durationMs' | 'lastsMs' | 'callers'>} facts
 * @param {Record<string, Service>} services
 */
export function countWork({ routes, durationMs, lastsMs, callers }, services) {
  const workMs = sum(
    Object.entries(routes).map(
      ([route, { count, queries, meanMs }]) => count * queries * meanMs * Number(services[route].workShare ?? 0),
    ),
  );
  // Callers who wait for their answers bring no more than the server can do.
  return workMs / (callers && callers.callersShare > 0.5 ? lastsMs : durationMs);
}

/**
 * Counts the connections in use, on average, if each query took as long as it takes alone.
 *
 * @param {{ ratePerSec: number, queries: number, meanMs: number }[]} routes
 */
function countOffered(routes) {
  return sum(routes.map(({ ratePerSec, queries, meanMs }) => (ratePerSec / 1000) * queries * meanMs));
}

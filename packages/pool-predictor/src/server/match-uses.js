import { simulate } from '../simulator/simulate.js';
import { findFollowUps } from '../trace/follow-ups.js';
import { meansByRoute } from '../trace/means-by-route.js';
import { createTraceLoad } from '../trace/trace-load.js';

/** @import { PoolOptions } from '../simulator/create-pool.js' */
/** @import { ServerFit } from './fit-server.js' */
/** @import { Trace } from '../formats/trace.js' */

/** Corrections, and how close is close enough. */
const MAX_ROUNDS = 15;
const CLOSE = 0.01;
/** A correction changes the times alone by this factor at most. */
const MAX_FACTOR = 1.5;

/**
 * Corrects the times alone until a replay of the trace, with the pool that it was recorded with, has the mean use of each route
 * that was recorded. Sharing cores evenly, as fitServer assumes, is not quite what taking turns does.
 *
 * @param {Trace} trace
 * @param {ServerFit} fit
 * @param {PoolOptions} pool
 * @param {{ separateRoutes?: string[] }} [options] see createTraceLoad
 * @returns {ServerFit}
 */
export function matchUses(trace, fit, pool, { separateRoutes } = {}) {
  const { routes, routeOf, useMs } = trace;
  const recordedMs = meansByRoute(trace, useMs);
  const followUps = findFollowUps(trace);
  let { aloneMs } = fit;
  /** By route: how much of a correction is made. Near its capacity, a server multiplies a change of the work. */
  const steps = routes.map(() => 1);
  /** @type {number[]} */
  let last = [];
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const load = createTraceLoad({ ...trace, sharing: { ...fit, aloneMs } }, { separateRoutes, followUps });
    const { routes: simulated } = simulate({ arrivals: load.arrivals(1, 1), services: load.services, pool, server: fit });
    const means = meansByRoute(trace, aloneMs);
    const logs = routes.map((route, index) => {
      const usedMs = simulated[route].meanMs - simulated[route].wait.meanMs;
      return Math.log(correct(means[index], usedMs, recordedMs[index], fit.sliceMs));
    });
    if (logs.every((log) => Math.abs(log) < CLOSE)) break;
    for (const [route, log] of logs.entries()) if (log * last[route] < 0) steps[route] /= 2;
    last = logs;
    aloneMs = aloneMs.map((ms, i) => ms * Math.exp(logs[routeOf[i]] * steps[routeOf[i]]));
  }
  return { ...fit, aloneMs };
}

/**
 * The factor for times alone with which the use becomes what was recorded. A query that is shorter than its turn waits for it,
 * however much work it has: there only the difference counts.
 *
 * @param {number} aloneMs @param {number} usedMs in the replay @param {number} recordedMs @param {number} sliceMs
 */
function correct(aloneMs, usedMs, recordedMs, sliceMs) {
  const factor = aloneMs < sliceMs ? (aloneMs + recordedMs - usedMs) / aloneMs : recordedMs / usedMs;
  return Number.isFinite(factor) ? Math.min(MAX_FACTOR, Math.max(1 / MAX_FACTOR, factor)) : 1;
}

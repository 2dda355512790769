import { simulate } from '../simulator/simulate.js';
import { findFollowUps } from '../trace/follow-ups.js';
import { meansByRoute } from '../trace/trace.js';
import { createTraceLoad } from '../load/trace-load.js';
import { UNLIMITED } from '../simulator/create-pool.js';
import { fitServer } from './fit-server.js';

/** @import { PoolOptions } from '../simulator/create-pool.js' */
/** @import { ServerFit, Trace } from '../trace/trace.js' */

const MAX_ROUNDS = 15;
/** Largest deviation of a mean use, as a logarithm, that needs no correction. */
const MAX_DEVIATION = 0.01;
/** A correction changes the times alone by at most this factor. */
const MAX_FACTOR = 1.5;

/**
 * Finds out how the queries of a trace share the server's cores, so that its replay with another pool shows how they
 * slow each other down there.
 *
 * @param {Trace[]} traces of the same server. The first one will be replayed. Others, recorded with other pool sizes,
 *   add information
 * @param {object} [options]
 * @param {number} [options.cores] of the server; default: as the traces show
 * @param {PoolOptions} [options.pool] that the first trace was recorded with; default: no limit
 * @param {string[]} [options.separateRoutes] see createTraceLoad
 * @returns {Trace} the first one, with `sharing`; without it where the traces show no slowdown
 */
export function shareServer(traces, { cores, pool = UNLIMITED, separateRoutes } = {}) {
  const [trace] = traces;
  const fit = fitServer(traces, { cores });
  return fit ? { ...trace, sharing: matchUses(trace, fit, pool, { separateRoutes }) } : trace;
}

/**
 * Corrects the times alone until a replay of the trace with its own pool has the recorded mean use of each route.
 * Taking turns does not share the cores quite evenly, which fitServer assumes.
 *
 * @param {Trace} trace
 * @param {ServerFit} fit
 * @param {PoolOptions} pool
 * @param {{ separateRoutes?: string[] }} [options] see createTraceLoad
 * @returns {ServerFit}
 */
function matchUses(trace, fit, pool, { separateRoutes } = {}) {
  const { routes, routeOf, useMs } = trace;
  const recordedMs = meansByRoute(trace, useMs);
  const followUps = findFollowUps(trace);
  let { aloneMs } = fit;
  /** By route: the share of a correction that is made. Near its capacity, a server multiplies a change of the work. */
  const steps = routes.map(() => 1);
  /** @type {number[]} */
  let last = [];
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const load = createTraceLoad({ ...trace, sharing: { ...fit, aloneMs } }, { separateRoutes, followUps });
    const { routes: simulated } = simulate({
      arrivals: load.arrivals(1, 1),
      services: load.services,
      pool,
      server: fit,
    });
    const means = meansByRoute(trace, aloneMs);
    const logs = routes.map((route, index) => {
      return Math.log(correct(means[index], simulated[route].meanUseMs, recordedMs[index], fit.sliceMs));
    });
    if (logs.every((log) => Math.abs(log) < MAX_DEVIATION)) break;
    for (const [route, log] of logs.entries()) if (log * last[route] < 0) steps[route] /= 2;
    last = logs;
    aloneMs = aloneMs.map((ms, i) => ms * Math.exp(logs[routeOf[i]] * steps[routeOf[i]]));
  }
  return { ...fit, aloneMs };
}

/**
 * Finds the factor for times alone that leads to the recorded use. A query shorter than a turn waits for its turn
 * however little work it has, so only the difference counts there.
 *
 * @param {number} aloneMs @param {number} usedMs in the replay @param {number} recordedMs @param {number} sliceMs
 */
function correct(aloneMs, usedMs, recordedMs, sliceMs) {
  const factor = aloneMs < sliceMs ? (aloneMs + recordedMs - usedMs) / aloneMs : recordedMs / usedMs;
  return Number.isFinite(factor) ? Math.min(MAX_FACTOR, Math.max(1 / MAX_FACTOR, factor)) : 1;
}

import { UNLIMITED } from '../simulation-runs.js';
import { fitServer } from './fit-server.js';
import { matchUses } from './match-uses.js';

/** @import { PoolOptions } from '../simulator/create-pool.js' */
/** @import { Trace } from '../formats/trace.js' */

/**
 * Finds out how the queries of a trace share the server's cores, so that its replay with another pool can tell how they slow
 * each other down there.
 *
 * @param {Trace[]} traces of the same server. The first one will be replayed. Others, with pools of other sizes, show more
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

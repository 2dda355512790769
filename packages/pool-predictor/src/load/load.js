import { createScenarioLoad } from './scenario-load.js';
import { createTraceLoad } from './trace-load.js';

/** @import { Arrival } from '../simulator/arrivals.js' */
/** @import { PoolOptions } from '../simulator/create-pool.js' */
/** @import { ServerOptions } from '../simulator/shared-cores.js' */
/** @import { Service } from '../simulator/service-time.js' */
/** @import { LoadChange } from './change-queries.js' */
/** @import { Workload } from '../simulator/scenarios.js' */
/** @import { CallerFacts } from '../trace/sessions.js' */
/** @import { FollowUps } from '../trace/follow-ups.js' */
/** @import { Trace } from '../trace/trace.js' */

/**
 * What a load is made from: plain data that can be sent to another thread.
 *
 * @typedef {{ kind: 'scenario', workload: Workload, workers: number, server?: ServerOptions }
 *   | { kind: 'trace', trace: Trace, options: { resample: boolean, separateRoutes: string[], followUps: FollowUps,
 *     reading: 'likely' | 'fewest', change?: LoadChange } }} LoadSource
 */

/**
 * What comes to a pool: arrivals with routes.
 *
 * @typedef {object} Load
 * @property {LoadSource} [source] to make it again in another thread
 * @property {string[]} routes
 * @property {number} durationMs how long users arrive
 * @property {CallerFacts} [callers] of a trace
 * @property {Load} [otherReading] of a trace that does not say how many callers there were: the load if they were as
 *   few as possible, each waiting for its answers
 * @property {boolean} [isMeasured] of a trace: its responses need no overhead
 * @property {ServerOptions} [server] whose cores the queries share; default: queries do not slow each other down
 * @property {Workload} [workload] with the scenarios of the arrivals
 * @property {(services: Record<string, Service>) => boolean} isRandom whether runs with different seeds differ
 * @property {(seed: number, factor: number) => Iterable<Arrival>} arrivals in order of time, at `factor` times the
 *   rate; always the same ones, however often they are read
 * @property {(pool: PoolOptions, seed: number, factor: number) => PoolOptions} [withOpenings] of a trace that shows how
 *   connections were opened: that pool, as cold as the recorded one and without a server when that one was, unless it
 *   says how warm it is
 * @property {(change: LoadChange) => Load} [withChange] of a trace: the same, with other queries
 * @property {number} [recordedSeed] of a trace whose runs are resampled: the seed of the run that is the trace itself
 */

/** Makes a load from its source, in any thread. @param {LoadSource} source @returns {Load} */
export function createLoad(source) {
  if (source.kind === 'scenario') {
    const { workload, ...options } = source;
    return createScenarioLoad(workload, options);
  }
  return createTraceLoad(source.trace, source.options);
}

/**
 * Makes the same load for a server with another number of cores.
 *
 * @param {Load} load whose queries share cores
 * @param {number} cores
 * @returns {Load}
 */
export function withCores({ source }, cores) {
  if (source?.kind === 'scenario') return createLoad({ ...source, server: { ...source.server, cores } });
  const { trace, options } = /** @type {Extract<LoadSource, { kind: 'trace' }>} */ (source);
  const { sharing } = trace;
  return createLoad({ kind: 'trace', trace: { ...trace, sharing: sharing && { ...sharing, cores } }, options });
}

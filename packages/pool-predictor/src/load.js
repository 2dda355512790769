import { requireFeasible } from './load-size.js';
import { createArrivals } from './simulator/arrivals.js';
import { listRoutes } from './simulator/flow.js';

/** @import { Arrival, Phase } from './simulator/arrivals.js' */
/** @import { Step } from './simulator/flow.js' */
/** @import { ServerOptions } from './simulator/shared-cores.js' */
/** @import { Service } from './simulator/service-time.js' */
/** @import { Workload } from './scenario/workload.js' */
/** @import { CallerFacts } from './trace/sessions.js' */
/** @import { FollowUps } from './trace/follow-ups.js' */
/** @import { Trace } from './formats/trace.js' */

/**
 * Plain data that can be sent to another thread.
 *
 * @typedef {{ kind: 'scenario', workload: Workload, workers: number, server?: ServerOptions }
 *   | { kind: 'trace', trace: Trace,
 *     options: { resample: boolean, separateRoutes: string[], followUps: FollowUps, isUnclear: boolean } }} LoadSource
 */

/**
 * What comes to a pool: arrivals with routes.
 *
 * @typedef {object} Load
 * @property {LoadSource} [source] to make it again in another thread
 * @property {string[]} routes
 * @property {number} durationMs how long users arrive
 * @property {CallerFacts} [callers] of a trace
 * @property {Load} [otherwise] of a trace that can't tell which requests wait for others: the load in which they do
 * @property {ServerOptions} [server] whose cores the queries share; default: queries do not slow each other down
 * @property {Workload} [workload] with the scenarios of the arrivals
 * @property {(services: Record<string, Service>) => boolean} isRandom whether runs with different seeds differ
 * @property {(seed: number, factor: number) => Iterable<Arrival>} arrivals in order of time, at `factor` times the rate; always the
 *   same ones, however often they are read
 * @property {number} [recordedSeed] of a trace whose runs are resampled: the seed of the run that is the trace itself
 */

/**
 * Makes a load of an Artillery scenario.
 *
 * @param {Workload} workload see readWorkload
 * @param {{ workers?: number, server?: ServerOptions }} [options] workers: Artillery's worker threads, which share each
 *   arrivalRate; default 1. Server: see Load
 * @returns {Load}
 * @throws {Error} for a load with more than 1e8 steps
 */
export function createScenarioLoad(workload, { workers = 1, server } = {}) {
  requireFeasible(workload);
  const { phases } = workload;
  const scenarios = workload.scenarios.filter(({ weight = 1 }) => weight > 0);
  const steps = scenarios.flatMap((scenario) => scenario.steps);
  const routes = [...new Set(listRoutes(steps))];
  return {
    source: { kind: 'scenario', workload, workers, server },
    server,
    routes,
    durationMs: phases.reduce((sum, { durationMs = 0, pauseMs = 0 }) => sum + durationMs + pauseMs, 0),
    workload: { ...workload, scenarios },
    isRandom: (services) => (
      scenarios.length > 1
      || phases.some(({ mode }) => mode === 'poisson')
      || hasJitter(steps)
      || routes.some((route) => !['fixed', 'none'].includes(services[route].kind))
    ),
    arrivals: (seed, factor) => createArrivals(stretch(phases, factor), { workers, seed, factor }),
  };
}

/** @param {Step[]} steps @returns {boolean} */
function hasJitter(steps) {
  return steps.some((step) => (step.kind === 'loop'
    ? hasJitter(step.steps)
    : step.kind === 'think' && (step.jitterMs ?? 0) > 0));
}

/**
 * Makes phases `factor` times as long, at the same rate. Sped up again by that factor, they last as long as before, with
 * `factor` times the arrivals.
 *
 * @param {Phase[]} phases
 * @param {number} factor
 * @returns {Phase[]}
 */
function stretch(phases, factor) {
  return phases.map((phase) => {
    const { durationMs = 0, arrivalCount, rampTo, pauseMs } = phase;
    const longerMs = durationMs * factor;
    return {
      ...phase,
      // A ramp takes whole seconds.
      durationMs: rampTo === undefined ? longerMs : Math.round(longerMs / 1000) * 1000,
      ...(arrivalCount !== undefined && { arrivalCount: Math.round(arrivalCount * factor) }),
      ...(pauseMs !== undefined && { pauseMs: pauseMs * factor }),
    };
  });
}

/** @param {Iterable<Arrival>} arrivals @param {number} factor @returns {Iterable<Arrival>} */
export function speedUp(arrivals, factor) {
  return factor === 1 ? arrivals : divideTimes(arrivals, factor);
}

/** @param {Iterable<Arrival>} arrivals @param {number} divisor @returns {Generator<Arrival, void>} */
function* divideTimes(arrivals, divisor) {
  for (const arrival of arrivals) yield { ...arrival, atMs: arrival.atMs / divisor };
}

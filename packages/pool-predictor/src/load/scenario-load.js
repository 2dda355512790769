import { createArrivals } from '../simulator/arrivals.js';
import { listRoutes } from '../simulator/flow.js';

/** @import { Phase } from '../simulator/arrivals.js' */
/** @import { Load } from './load.js' */
/** @import { Scenario, Workload } from '../simulator/scenarios.js' */
/** @import { FlowStep } from '../simulator/flow.js' */
/** @import { Service } from '../simulator/service-time.js' */
/** @import { ServerOptions } from '../simulator/shared-cores.js' */

/** A load of this many steps takes a minute or two to simulate, at one pool size. */
const MAX_STEPS = 1e8;

/** The number of users in a poisson phase is random: 3 in 1000 are off by more than this many standard deviations. */
const DEVIATIONS = 3;

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
    isRandom: (services) =>
      scenarios.length > 1 ||
      phases.some(({ mode }) => mode === 'poisson') ||
      hasJitter(steps) ||
      routes.some((route) => isDrawn(services[route])),
    arrivals: (seed, factor) => createArrivals(stretch(phases, factor), { workers, seed, factor }),
  };
}

/** @param {Service} service */
function isDrawn(service) {
  if (service.kind === 'requests') return service.requests.length > 1;
  return service.kind !== 'fixed' && service.kind !== 'none';
}

/** @param {FlowStep[]} steps @returns {boolean} */
function hasJitter(steps) {
  return steps.some((step) =>
    step.kind === 'loop' ? hasJitter(step.steps) : step.kind === 'think' && (step.jitterMs ?? 0) > 0,
  );
}

/**
 * Makes phases `factor` times as long, at the same rate. Dividing their times by that factor gives phases as long as
 * before, with `factor` times the arrivals.
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

/**
 * Estimates the requests, pauses and rounds of loops of all users of a workload.
 * @param {{ phases: Phase[], scenarios: Scenario[] }} workload
 */
function countSteps({ phases, scenarios }) {
  const users = phases.reduce(
    (sum, { durationMs = 0, arrivalRate = 0, arrivalCount, rampTo = arrivalRate }) =>
      sum + (arrivalCount ?? ((arrivalRate + rampTo) / 2) * (durationMs / 1000)),
    0,
  );
  const weights = scenarios.reduce((sum, { weight = 1 }) => sum + weight, 0);
  return scenarios.reduce((sum, { weight = 1, steps }) => sum + users * (weight / weights) * stepsOf(steps), 0);
}

/**
 * @param {{ phases: Phase[], scenarios: Scenario[] }} workload
 * @throws {Error} when its simulation would take too long
 */
function requireFeasible(workload) {
  const steps = countSteps(workload);
  if (steps <= MAX_STEPS) return;
  throw new Error(
    `The load has ${steps.toPrecision(2)} steps (requests, pauses and rounds of loops): ` +
      `at most ${MAX_STEPS} can be simulated`,
  );
}

/** @param {FlowStep[]} steps @returns {number} */
function stepsOf(steps) {
  return steps.reduce((sum, step) => sum + (step.kind === 'loop' ? step.count * (1 + stepsOf(step.steps)) : 1), 0);
}

/**
 * Counts the users of a scenario.
 *
 * @param {Phase[]} phases
 * @param {{ workers?: number }} [options] see createScenarioLoad
 * @returns {{ users: number, spread: number }} on average; chance adds or takes up to `spread`, 0 without poisson
 *   phases
 */
export function planUsers(phases, { workers = 1 } = {}) {
  const drawn = phases
    .filter(isPoisson)
    .reduce((sum, { arrivalRate = 0, durationMs = 0 }) => sum + (arrivalRate * durationMs) / 1000, 0);
  let users = drawn;
  const arrivals = createArrivals(
    phases.filter((phase) => !isPoisson(phase)),
    { workers },
  )[Symbol.iterator]();
  while (!arrivals.next().done) users++;
  // The variance of a Poisson number is its mean.
  return { users, spread: DEVIATIONS * Math.sqrt(drawn) };
}

/** @param {Phase} phase */
export function isPoisson({ mode, arrivalRate, rampTo }) {
  return mode === 'poisson' && arrivalRate !== undefined && rampTo === undefined;
}

/** @import { Phase } from './simulator/arrivals.js' */
/** @import { Step } from './simulator/flow.js' */
/** @import { Scenario } from './simulator/scenarios.js' */

/** Simulated in a minute or two, at one pool size. */
const MAX_STEPS = 1e8;

/**
 * Estimates the requests, pauses and rounds of loops of all users of a workload.
 * @param {{ phases: Phase[], scenarios: Scenario[] }} workload
 */
export function countSteps({ phases, scenarios }) {
  const users = phases.reduce((sum, { durationMs = 0, arrivalRate = 0, arrivalCount, rampTo = arrivalRate }) => (
    sum + (arrivalCount ?? ((arrivalRate + rampTo) / 2) * (durationMs / 1000))), 0);
  const weights = scenarios.reduce((sum, { weight = 1 }) => sum + weight, 0);
  return scenarios.reduce((sum, { weight = 1, steps }) => sum + users * (weight / weights) * stepsOf(steps), 0);
}

/**
 * @param {{ phases: Phase[], scenarios: Scenario[] }} workload
 * @throws {Error} when its simulation would take too long
 */
export function requireFeasible(workload) {
  const steps = countSteps(workload);
  if (steps <= MAX_STEPS) return;
  throw new Error(`The load has ${steps.toPrecision(2)} steps (requests, pauses and rounds of loops): at most ${MAX_STEPS} can be simulated`);
}

/** @param {Step[]} steps @returns {number} */
function stepsOf(steps) {
  return steps.reduce((sum, step) => sum + (step.kind === 'loop' ? step.count * (1 + stepsOf(step.steps)) : 1), 0);
}

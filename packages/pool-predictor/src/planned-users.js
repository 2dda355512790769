import { createArrivals } from './simulator/arrivals.js';

/** @import { Phase } from './simulator/arrivals.js' */

/** How many users arrive in a poisson phase is random too, so it is off by more than this many deviations 3 times in 1000. */
const DEVIATIONS = 3;

/**
 * Counts the users of a scenario.
 *
 * @param {Phase[]} phases
 * @param {{ workers?: number }} [options] see createScenarioLoad
 * @returns {{ users: number, spread: number }} on average; chance adds or takes up to `spread`, 0 without poisson phases
 */
export function planUsers(phases, { workers = 1 } = {}) {
  const drawn = phases.filter(isPoisson)
    .reduce((sum, { arrivalRate = 0, durationMs = 0 }) => sum + (arrivalRate * durationMs) / 1000, 0);
  let users = drawn;
  const arrivals = createArrivals(phases.filter((phase) => !isPoisson(phase)), { workers })[Symbol.iterator]();
  while (!arrivals.next().done) users++;
  // The variance of a Poisson number is its mean.
  return { users, spread: DEVIATIONS * Math.sqrt(drawn) };
}

/** @param {Phase} phase */
export function isPoisson({ mode, arrivalRate, rampTo }) {
  return mode === 'poisson' && arrivalRate !== undefined && rampTo === undefined;
}

import { expect, test } from '@jest/globals';
import { planUsers } from '../src/planned-users.js';
import { createArrivals } from '../src/simulator/arrivals.js';

/** @param {import('../src/simulator/arrivals.js').Phase[]} phases @param {number} seed */
const countArrivals = (phases, seed) => [...createArrivals(phases, { workers: 2, seed })].length;

test.each([
  [[{ durationMs: 5000, arrivalCount: 7 }, { pauseMs: 100 }], 7],
  [[{ durationMs: 10_000, arrivalRate: 3 }], 30],
  [[{ durationMs: 4000, arrivalRate: 1, rampTo: 9 }, { durationMs: 1000, arrivalCount: 2 }], 22],
  [[], 0],
])('%j: %i users, and chance changes nothing', (phases, users) => {
  expect(planUsers(phases, { workers: 2 })).toEqual({ users, spread: 0 });
  expect(countArrivals(phases, 1)).toBe(users);
});

test('a poisson phase has its users on average, and hardly ever more or fewer than the spread', () => {
  const phases = [{ durationMs: 20_000, arrivalRate: 45, mode: /** @type {const} */ ('poisson') }, { durationMs: 1000, arrivalCount: 100 }];
  const { users, spread } = planUsers(phases, { workers: 2 });
  expect({ users, spread }).toEqual({ users: 1000, spread: 90 });
  const counts = Array.from({ length: 400 }, (_, seed) => countArrivals(phases, seed));
  expect(Math.abs(counts.reduce((sum, count) => sum + count, 0) / 400 - users)).toBeLessThan(5);
  expect(counts.filter((count) => Math.abs(count - users) > spread).length).toBeLessThanOrEqual(4);
});

import { describe, expect, test } from '@jest/globals';
import { createScenarioLoad } from '../src/load.js';
import { predict } from '../src/predict.js';

/** @import { Step } from '../src/simulator/flow.js' */
/** @import { Phase } from '../src/simulator/arrivals.js' */

/** @type {Step} */
const request = { kind: 'request', route: '/a' };
const fixed = { '/a': { kind: /** @type {const} */ ('fixed'), ms: 1 } };

/** @param {Phase[]} phases @param {number} factor */
function arrivalsOf(phases, factor) {
  const load = createScenarioLoad({ phases, scenarios: [{ steps: [request] }] });
  return Array.from(load.arrivals(1, factor), ({ atMs }) => atMs);
}

describe('half as much load again', () => {
  /** @type {[string, Phase, number, number][]} */
  const cases = [
    ['a count', { durationMs: 10_000, arrivalCount: 20 }, 20, 30],
    ['a rate', { durationMs: 10_000, arrivalRate: 3 }, 30, 45],
    ['a ramp', { durationMs: 10_000, arrivalRate: 1, rampTo: 19 }, 100, 150],
    ['a rate at random', { durationMs: 100_000, arrivalRate: 100, mode: 'poisson' }, 10_000, 15_000],
  ];

  test.each(cases)('of %s brings half as many users again in the same time', (_, phase, once, more) => {
    const pause = { pauseMs: 1000 };
    expect(arrivalsOf([phase], 1).length / once).toBeCloseTo(1, 1);
    const arrivals = arrivalsOf([pause, phase], 1.5);
    expect(arrivals.length / more).toBeCloseTo(1, 1);
    expect(arrivals[0]).toBeGreaterThanOrEqual(1000);
    expect(arrivals.at(-1)).toBeGreaterThan(0.9 * (1000 + Number(phase.durationMs)));
    expect(arrivals.at(-1)).toBeLessThanOrEqual(1000 + Number(phase.durationMs) + 1);
  });
});

describe('whether a load is random', () => {
  const phases = [{ durationMs: 1000, arrivalCount: 1 }];

  /** @type {[string, boolean, import('../src/scenario/workload.js').Workload][]} */
  const cases = [
    ['nothing of one scenario', false, { phases, scenarios: [{ steps: [request] }] }],
    ['which of two scenarios comes', true, { phases, scenarios: [{ steps: [request] }, { steps: [request] }] }],
    ['nothing of one that never comes', false, {
      phases, scenarios: [{ steps: [request] }, { weight: 0, steps: [request] }] }],
    ['a pause give or take', true, {
      phases, scenarios: [{ steps: [{ kind: 'loop', count: 2, steps: [{ kind: 'think', ms: 5, jitterMs: 2 }] }] }] }],
    ['random arrivals', true, {
      phases: [{ durationMs: 1000, arrivalRate: 5, mode: 'poisson' }], scenarios: [{ steps: [request] }] }],
  ];

  test.each(cases)('%s: %s', (_, isRandom, workload) => {
    expect(createScenarioLoad(workload).isRandom(fixed)).toBe(isRandom);
  });

  test('service times', () => {
    const load = createScenarioLoad({ phases, scenarios: [{ steps: [request] }] });
    expect(load.isRandom({ '/a': { kind: 'exponential', meanMs: 3 } })).toBe(true);
  });
});

test('routes are listed once, those of loops too', () => {
  const steps = [request, { kind: /** @type {const} */ ('loop'), count: 3, steps: [{ ...request, route: '/b' }, request] }];
  expect(createScenarioLoad({ phases: [], scenarios: [{ steps }] }).routes).toEqual(['/a', '/b']);
});

test('a scenario with weight 0 needs no service time', async () => {
  const load = createScenarioLoad({
    phases: [{ durationMs: 1000, arrivalCount: 1 }],
    scenarios: [{ steps: [{ kind: 'request', route: '/a' }] }, { weight: 0, steps: [{ kind: 'request', route: '/b' }] }],
  });
  const { variants } = await predict({ load, services: { '/a': { kind: 'fixed', ms: 5 } }, poolSizes: [1] });
  expect(load.routes).toEqual(['/a']);
  expect(variants[0].predicted.maxMs).toBe(5);
});

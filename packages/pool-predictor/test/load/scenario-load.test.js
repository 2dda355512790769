import { describe, expect, test } from '@jest/globals';
import { countSteps, createScenarioLoad, planUsers } from '../../src/load/scenario-load.js';
import { createArrivals } from '../../src/simulator/arrivals.js';
import { readWorkload } from '../../src/scenario/workload.js';
import { predict } from '../../src/predict/predict.js';
import { scenarioOf } from './sample-scenarios.js';

/** @import { FlowStep } from '../../src/simulator/flow.js' */
/** @import { Phase } from '../../src/simulator/arrivals.js' */
/** @import { Workload } from '../../src/simulator/scenarios.js' */

/** @type {FlowStep} */
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

  /** @type {[string, boolean, Workload][]} */
  const cases = [
    ['nothing of one scenario', false, { phases, scenarios: [{ steps: [request] }] }],
    ['which of two scenarios comes', true, { phases, scenarios: [{ steps: [request] }, { steps: [request] }] }],
    [
      'nothing of one that never comes',
      false,
      {
        phases,
        scenarios: [{ steps: [request] }, { weight: 0, steps: [request] }],
      },
    ],
    [
      'a pause give or take',
      true,
      {
        phases,
        scenarios: [{ steps: [{ kind: 'loop', count: 2, steps: [{ kind: 'think', ms: 5, jitterMs: 2 }] }] }],
      },
    ],
    [
      'random arrivals',
      true,
      {
        phases: [{ durationMs: 1000, arrivalRate: 5, mode: 'poisson' }],
        scenarios: [{ steps: [request] }],
      },
    ],
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
  const steps = [
    request,
    { kind: /** @type {const} */ ('loop'), count: 3, steps: [{ ...request, route: '/b' }, request] },
  ];
  expect(createScenarioLoad({ phases: [], scenarios: [{ steps }] }).routes).toEqual(['/a', '/b']);
});

test('a scenario with weight 0 needs no service time', async () => {
  const load = createScenarioLoad({
    phases: [{ durationMs: 1000, arrivalCount: 1 }],
    scenarios: [scenarioOf('/a'), { weight: 0, ...scenarioOf('/b') }],
  });
  const { variants } = await predict({ load, services: { '/a': { kind: 'fixed', ms: 5 } }, poolSizes: [1] });
  expect(load.routes).toEqual(['/a']);
  expect(variants[0].predicted.maxMs).toBe(5);
});

test('a load has the same arrivals each time they are read', () => {
  const { arrivals } = createScenarioLoad({
    phases: [{ durationMs: 1000, arrivalRate: 50, mode: 'poisson' }],
    scenarios: [{ steps: [request] }],
  });
  const once = arrivals(3, 1.3);
  expect([...once]).toEqual([...once]);
});

/** @param {string} phases @param {string} flow */
const workloadOf = (phases, flow) => readWorkload(`config: { phases: [${phases}] }\nscenarios: [{ flow: [${flow}] }]`);
const GET = '{ get: { url: /a } }';

test.each([
  ['{ duration: 5, arrivalCount: 5 }', GET, 5],
  ['{ duration: 60, arrivalRate: 3 }, { pause: 5 }', `${GET}, { think: 1 }`, 360],
  ['{ duration: 10, arrivalRate: 1, rampTo: 3 }', GET, 20],
  [
    '{ duration: 1, arrivalCount: 2 }',
    `{ loop: [${GET}, { loop: [${GET}], count: 3 }], count: 10 }`,
    2 * 10 * (1 + 1 + 3 * 2),
  ],
])('%s with %s has %i steps', (phases, flow, steps) => {
  expect(countSteps(workloadOf(phases, flow))).toBe(steps);
});

test('scenarios count by weight', () => {
  const workload = readWorkload(`config: { phases: [{ duration: 1, arrivalCount: 100 }] }
scenarios:
  - { weight: 3, flow: [${GET}] }
  - { weight: 1, flow: [${GET}, ${GET}, ${GET}, ${GET}, ${GET}] }`);
  expect(countSteps(workload)).toBe(200);
});

describe('a load that would take too long is refused before it is simulated', () => {
  test.each([
    ['{ duration: 1, arrivalCount: 1e300 }', GET, '1.0e+300'],
    ['{ duration: 365d, arrivalRate: 1000 }', GET, '3.2e+10'],
    ['{ duration: 1, arrivalCount: 1 }', '{ loop: [], count: 1000000000000 }', '1.0e+12'],
  ])('%s with %s', (phases, flow, steps) => {
    expect(() => createScenarioLoad(workloadOf(phases, flow))).toThrow(
      `The load has ${steps} steps (requests, pauses and rounds of loops): at most 100000000 can be simulated`,
    );
  });
});

/** @param {Phase[]} phases @param {number} seed */
const countArrivals = (phases, seed) => [...createArrivals(phases, { workers: 2, seed })].length;

test.each([
  [[{ durationMs: 5000, arrivalCount: 7 }, { pauseMs: 100 }], 7],
  [[{ durationMs: 10_000, arrivalRate: 3 }], 30],
  [
    [
      { durationMs: 4000, arrivalRate: 1, rampTo: 9 },
      { durationMs: 1000, arrivalCount: 2 },
    ],
    22,
  ],
  [[], 0],
])('%j: %i users, and chance changes nothing', (phases, users) => {
  expect(planUsers(phases, { workers: 2 })).toEqual({ users, spread: 0 });
  expect(countArrivals(phases, 1)).toBe(users);
});

test('a poisson phase has its users on average, and hardly ever more or fewer than the spread', () => {
  const phases = [
    { durationMs: 20_000, arrivalRate: 45, mode: /** @type {const} */ ('poisson') },
    { durationMs: 1000, arrivalCount: 100 },
  ];
  const { users, spread } = planUsers(phases, { workers: 2 });
  expect({ users, spread }).toEqual({ users: 1000, spread: 90 });
  const counts = Array.from({ length: 400 }, (_, seed) => countArrivals(phases, seed));
  expect(Math.abs(counts.reduce((sum, count) => sum + count, 0) / 400 - users)).toBeLessThan(5);
  expect(counts.filter((count) => Math.abs(count - users) > spread).length).toBeLessThanOrEqual(4);
});

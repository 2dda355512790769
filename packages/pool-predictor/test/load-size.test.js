import { describe, expect, test } from '@jest/globals';
import { countSteps } from '../src/load-size.js';
import { createScenarioLoad } from '../src/load.js';
import { readWorkload } from '../src/scenario/workload.js';

/** @param {string} phases @param {string} flow */
const workloadOf = (phases, flow) => readWorkload(`config: { phases: [${phases}] }\nscenarios: [{ flow: [${flow}] }]`);
const GET = '{ get: { url: /a } }';

test.each([
  ['{ duration: 5, arrivalCount: 5 }', GET, 5],
  ['{ duration: 60, arrivalRate: 3 }, { pause: 5 }', `${GET}, { think: 1 }`, 360],
  ['{ duration: 10, arrivalRate: 1, rampTo: 3 }', GET, 20],
  ['{ duration: 1, arrivalCount: 2 }', `{ loop: [${GET}, { loop: [${GET}], count: 3 }], count: 10 }`, 2 * 10 * (1 + 1 + 3 * 2)],
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
    expect(() => createScenarioLoad(workloadOf(phases, flow)))
      .toThrow(`The load has ${steps} steps (requests, pauses and rounds of loops): at most 100000000 can be simulated`);
  });
});

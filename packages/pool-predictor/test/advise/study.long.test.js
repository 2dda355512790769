import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseSlo } from '../../src/advise/slo.js';
import { studyLoad } from '../../src/advise/study.js';
import { createScenarioLoad } from '../../src/load/scenario-load.js';
import { simulateHere } from '../../src/runs/simulation-runs.js';
import { randomLoad } from 'test-support/random-loads.js';
import { scenarioOf } from '../load/sample-scenarios.js';

const SEEDS = Array.from({ length: 99 }, (_, index) => index + 1);

/** @param {import('test-support/random-loads.js').RandomLoad} input @param {string} goal */
async function studyOf({ load, services }, goal) {
  let runs = 0;
  const simulateRuns = simulateHere({ load, services });
  const study = await studyLoad({
    load,
    services,
    slos: [parseSlo(`${load.routes[0]} ${goal}`)],
    seeds: SEEDS,
    factor: 1,
    onStep: () => {},
    simulateRuns: (wanted) => {
      runs += wanted.length;
      return simulateRuns(wanted);
    },
  });
  return { ...study, countRuns: () => runs };
}

test('the search finds what trying every size finds', async () => {
  await fc.assert(
    fc.asyncProperty(
      randomLoad,
      fc.constantFrom('p50 < 60ms', 'p50 < 1s', 'p90 < 1s', 'max < 6s'),
      async (each, goal) => {
        const {
          search,
          meets,
          judge,
          facts: { peakActive },
        } = await studyOf(each, goal);
        const found = await search(1, peakActive, (maxPoolSize) => meets({ maxPoolSize }));
        let smallest = null;
        for (let maxPoolSize = peakActive; maxPoolSize >= 1; maxPoolSize--) {
          const { isMet } = await judge({ maxPoolSize });
          expect(await meets({ maxPoolSize })).toBe(isMet);
          if (isMet) smallest = maxPoolSize;
        }
        expect(found).toBe(smallest);
      },
    ),
    { numRuns: 4, seed: 5 },
  );
});

test('a pool that is far too small is found out in two runs', async () => {
  const arrivals = { durationMs: 20_000, arrivalRate: 15, mode: /** @type {const} */ ('poisson') };
  const load = createScenarioLoad({ phases: [arrivals], scenarios: [scenarioOf('/a')] });
  const { meets, countRuns } = await studyOf({ load, services: { '/a': { kind: 'fixed', ms: 500 } } }, 'p50 < 1s');
  const before = countRuns();
  expect(await meets({ maxPoolSize: 1 })).toBe(false);
  expect(countRuns() - before).toBe(2);
});

import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { randomLoad } from 'test-support/random-loads.js';
import { advise } from '../../src/advise/advise.js';
import { parseSlo } from '../../src/advise/slo.js';
import { simulate, UNLIMITED } from '../../src/index.js';
import { createScenarioLoad } from '../../src/load/scenario-load.js';
import { joinStudies, studyLoad } from '../../src/advise/study.js';
import { simulateHere } from '../../src/runs/simulation-runs.js';
import { scenarioOf } from '../load/sample-scenarios.js';
import { adviseOnServer, SATURATED, SERVICES } from './saturated-server.js';

/** @import { PoolOptions } from '../../src/index.js' */
/** @import { RandomLoad } from 'test-support/random-loads.js' */

describe('all sizes', () => {
  /**
   * The fewest runs with which one may claim, with 95 % confidence, that 95 of 100 runs meet a goal: none of them may
   * miss it.
   */
  const SEEDS = 59;
  const LOADS = 15;

  const goal = fc.record({
    route: fc.constantFrom('/fast', '/slow'),
    figure: fc.constantFrom('p50', 'p90', 'max'),
    limitMs: fc.constantFrom(1, 10, 600, 900, 3000, 12_000),
  });

  test('advises the smallest of all sizes', async () => {
    await fc.assert(
      fc.asyncProperty(randomLoad, goal, async ({ load, services }, { route, figure, limitMs }) => {
        fc.pre(load.routes.includes(route));
        const slo = parseSlo(`${route} ${figure} < ${limitMs}ms`);
        const overhead = /** @type {const} */ ({ kind: 'fixed', ms: 0 });
        const advice = await advise({ load, services, overhead, slos: [slo], headroom: 1, seeds: SEEDS });
        fc.pre(advice.verdict !== 'notEnoughData');
        const smallest = findSmallest({ load, services }, slo, advice);
        if (advice.poolSize !== smallest)
          throw new Error(`advised ${advice.poolSize}, but ${smallest} is the smallest`);
      }),
      { numRuns: LOADS, seed: 7 },
    );
  }, 300_000);

  /**
   * Tries every size, one after another.
   *
   * @param {RandomLoad} question
   * @param {ReturnType<typeof parseSlo>} slo
   * @param {{ seeds: number, firstSeed: number }} advice
   */
  function findSmallest({ load, services }, { route, figure, limitMs }, { seeds, firstSeed }) {
    const simulateAll = (/** @type {PoolOptions} */ pool) =>
      Array.from({ length: seeds }, (_, index) =>
        simulate({
          workload: load.workload,
          services,
          pool,
          seed: firstSeed + index,
          arrivals: load.arrivals(firstSeed + index, 1),
        }),
      );
    const most = Math.max(...simulateAll(UNLIMITED).map(({ peakActive }) => peakActive));
    for (let maxPoolSize = 1; maxPoolSize <= most; maxPoolSize += 1) {
      const runs = simulateAll({ maxPoolSize });
      if (runs.every(({ routes }) => routes[route]?.count > 0 && routes[route].all[figure] < limitMs))
        return maxPoolSize;
    }
    return null;
  }
});

describe('a saturated server', () => {
  describe('a load that fills the server', () => {
    test('the advice is a range, up to the size from which more connections make queries slower', async () => {
      const { verdict, saturation } = await adviseOnServer(['/report p95 < 900ms']);
      expect(verdict).toBe('size');
      expect(saturation).toMatchObject({ cores: 2, fleet: null, enough: null, slowdown: { route: '/report' } });
      expect(saturation?.slowdown?.largerSize).toBe(2 * Number(saturation?.slowdown?.poolSize));
    });

    test('where no size will do, it says what would', async () => {
      const { verdict, saturation } = await adviseOnServer(['/report p95 < 75ms']);
      expect(verdict).toBe('nothing');
      const { cores, poolSize } = saturation?.enough ?? { cores: 0, poolSize: 0 };
      expect(cores).toBeGreaterThan(2);
      const more = await adviseOnServer(['/report p95 < 75ms'], { cores });
      expect(more).toMatchObject({ verdict: 'size' });
      expect(more.poolSize).toBe(poolSize);
    });

    test('all instances of a fleet share it', async () => {
      const { saturation } = await adviseOnServer(['/report p50 < 900ms'], { cores: 4, fleet: { instances: 2 } });
      expect(saturation?.usedShare).toBeLessThan(0.55);
      expect(saturation?.fleet).toMatchObject({ instances: 2, slowdown: { route: '/report' } });
    });

    test('without a server there is no limit, and the advice is as before', async () => {
      const load = createScenarioLoad(SATURATED);
      const plain = Object.fromEntries(
        Object.entries(SERVICES).map(([route, service]) => [route, { ...service, workShare: 0 }]),
      );
      const [before, after] = [
        await adviseOnServer(['/report p95 < 200ms'], { load, services: plain }),
        await adviseOnServer(['/report p95 < 200ms'], { load }),
      ];
      expect(after).toEqual(before);
      expect(after.saturation).toBeNull();
    });
  });
});

describe('the study', () => {
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
          const study = await studyOf(each, goal);
          const { meets, judge } = study;
          const { peakActive } = study.facts;
          const found = await joinStudies([study]).search(1, peakActive, (maxPoolSize) => meets({ maxPoolSize }));
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
});

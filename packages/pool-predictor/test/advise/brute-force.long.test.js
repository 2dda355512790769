import { test } from '@jest/globals';
import fc from 'fast-check';
import { advise } from '../../src/advise/advise.js';
import { parseSlo } from '../../src/advise/slo.js';
import { UNLIMITED, simulate } from '../../src/index.js';
import { randomLoad } from 'test-support/random-loads.js';

/** @import { PoolOptions } from '../../src/index.js' */
/** @import { RandomLoad } from 'test-support/random-loads.js' */

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
      if (advice.poolSize !== smallest) throw new Error(`advised ${advice.poolSize}, but ${smallest} is the smallest`);
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
    if (runs.every(({ routes }) => routes[route]?.count > 0 && routes[route].all[figure] < limitMs)) return maxPoolSize;
  }
  return null;
}

import { describe, expect, test } from '@jest/globals';
import { advise } from '../../src/advise/advise.js';
import { parseSlo } from '../../src/advise/slo.js';
import { createScenarioLoad } from '../../src/load/scenario-load.js';
import { predict } from '../../src/predict/predict.js';

/** @import { Service } from '../../src/simulator/service-time.js' */

/** Two cores: a heavy query for every three cheap ones, 0.85 of what they can do. */
const LOAD = {
  phases: [{ durationMs: 2500, arrivalRate: 205, mode: /** @type {const} */ ('poisson') }],
  scenarios: [
    { weight: 1, route: '/report' },
    { weight: 3, route: '/cheap' },
  ].map(({ weight, route }) => ({ weight, steps: [{ kind: /** @type {const} */ ('request'), route }] })),
};
/** @type {Record<string, Service>} */
const SERVICES = {
  '/report': { kind: 'lognormal', medianMs: 28, sigma: 0.4, workShare: 1 },
  '/cheap': { kind: 'fixed', ms: 0.5, workShare: 1 },
};
const OVERHEAD = { kind: /** @type {const} */ ('fixed'), ms: 1 };

/** @param {string[]} goals @param {Partial<Parameters<typeof advise>[0]> & { cores?: number }} [options] */
function adviseOn(goals, { cores = 2, ...options } = {}) {
  return advise({
    load: createScenarioLoad(LOAD, { server: { cores } }),
    services: SERVICES,
    overhead: OVERHEAD,
    slos: goals.map(parseSlo),
    seeds: 59,
    headroom: 1,
    ...options,
  });
}

describe('a load that fills the server', () => {
  test('the advice is a range, whose upper end is right', async () => {
    const { verdict, poolSize, saturation } = await adviseOn(['/report p95 < 900ms']);
    expect(verdict).toBe('size');
    expect(saturation).toMatchObject({ cores: 2, fleet: null, enough: null, slowdown: { route: '/report' } });
    expect(saturation?.usedShare).toBeGreaterThan(0.7);
    expect(saturation?.usedShare).toBeLessThan(0.95);
    const slowdown = /** @type {NonNullable<NonNullable<typeof saturation>['slowdown']>} */ (saturation?.slowdown);
    expect(slowdown.poolSize).toBeGreaterThanOrEqual(Number(poolSize));
    expect(slowdown.largerSize).toBe(2 * slowdown.poolSize);
    // Other runs say the same.
    const {
      variants: [upper, twice],
    } = await predict({
      load: createScenarioLoad(LOAD, { server: { cores: 2 } }),
      services: SERVICES,
      overhead: OVERHEAD,
      firstSeed: 1000,
      seeds: 19,
      poolSizes: [slowdown.poolSize, slowdown.largerSize],
    });
    const ratio = twice.predicted.routes['/report'].p99Ms / upper.predicted.routes['/report'].p99Ms;
    expect(ratio).toBeGreaterThan(1.02);
    expect(Math.abs(ratio / (slowdown.largerMs / slowdown.p99Ms) - 1)).toBeLessThan(0.25);
  });

  test('where no size will do, it says what would', async () => {
    const { verdict, saturation } = await adviseOn(['/report p95 < 75ms']);
    expect(verdict).toBe('nothing');
    const { cores, poolSize } = saturation?.enough ?? { cores: 0, poolSize: 0 };
    expect(cores).toBeGreaterThan(2);
    const more = await adviseOn(['/report p95 < 75ms'], { cores });
    expect(more).toMatchObject({ verdict: 'size' });
    expect(more.poolSize).toBe(poolSize);
  });

  test('all instances of a fleet share it', async () => {
    const { saturation } = await adviseOn(['/report p50 < 900ms'], { cores: 4, fleet: { instances: 2 } });
    expect(saturation?.usedShare).toBeLessThan(0.55);
    expect(saturation?.fleet).toMatchObject({ instances: 2, slowdown: { route: '/report' } });
  });

  test('without a server there is no limit, and the advice is as before', async () => {
    const load = createScenarioLoad(LOAD);
    const plain = Object.fromEntries(
      Object.entries(SERVICES).map(([route, service]) => [route, { ...service, workShare: 0 }]),
    );
    const [before, after] = [
      await adviseOn(['/report p95 < 200ms'], { load, services: plain }),
      await adviseOn(['/report p95 < 200ms'], { load }),
    ];
    expect(after).toEqual(before);
    expect(after.saturation).toBeNull();
  });
});

import { describe, expect, test } from '@jest/globals';
import { createScenarioLoad } from '../../src/load/scenario-load.js';
import { predict } from '../../src/predict/predict.js';
import { createRuns, simulateHere } from '../../src/runs/simulation-runs.js';
import { readWorkload } from '../../src/scenario/read-workload.js';
import { createTraceLoad } from '../../src/load/trace-load.js';
import { recordCold } from '../trace/traces.js';
import { scenarioOf } from '../load/sample-scenarios.js';
import { parsePoolSizes } from '../../src/predict/pool-sizes.js';
import { chooseRuns, findBand, requireBandRuns } from '../../src/runs/prediction-interval.js';

/** @import { Run } from '../../src/runs/simulation-runs.js' */
/** @import { Service } from '../../src/simulator/service-time.js' */

/** @param {number} slowMs @returns {Record<string, Service>} */
const services = (slowMs) => ({ '/slow': { kind: 'fixed', ms: slowMs }, '/fast': { kind: 'fixed', ms: 2 } });

const mixed = createScenarioLoad({
  phases: [{ durationMs: 5000, arrivalCount: 5 }],
  scenarios: [scenarioOf('/slow', '/fast')],
});

const minute = createScenarioLoad({
  phases: [{ durationMs: 60_000, arrivalCount: 1200 }],
  scenarios: [
    { weight: 95, ...scenarioOf('/fast') },
    { weight: 5, ...scenarioOf('/slow') },
  ],
});

const article = await predict({ load: mixed, poolSizes: [1, 2, 3, 4, 5, 10], services: services(5000) });

describe("the article's load", () => {
  const { variants, load, seeds } = article;

  test('one run is exact: 21, 11, 7, 6, 5 and 5 s', () => {
    expect(seeds).toBe(1);
    const maxima = [21, 11, 7, 6, 5, 5];
    for (const [index, { name, settings, predicted }] of variants.entries()) {
      expect(name).toBe(`pool ${settings.poolSize}`);
      expect(predicted).not.toHaveProperty('low');
      expect(Math.abs(predicted.maxMs - maxima[index] * 1000)).toBeLessThan(100);
    }
  });

  test('without time for the fast requests, to the millisecond', async () => {
    const fastMs = { kind: /** @type {const} */ ('fixed'), ms: 0 };
    const exact = await predict({
      load: mixed,
      poolSizes: [1, 2, 3, 4, 5, 10],
      services: { ...services(5000), '/fast': fastMs },
    });
    expect(exact.variants.map(({ predicted: { requests, failures, maxMs } }) => [requests, failures, maxMs])).toEqual(
      [21, 11, 7, 6, 5, 5].map((seconds) => [10, 0, seconds * 1000]),
    );
  });

  test('three connections keep up, and more than five do not help', () => {
    expect(load).toMatchObject({ requests: 10, durationMs: 5000, lastsMs: 9002, peakActive: 5, floor: 3, knee: 5 });
    expect(load.meanActive).toBeCloseTo(25.01 / 9.002, 9);
  });
});

const options = { load: minute, poolSizes: [2, 4, 8], services: services(500) };

const random = await predict({ ...options, seeds: 39 });

describe('a random load', () => {
  const { variants, load, seeds } = random;

  test('percentiles are medians, between the ends of a band', () => {
    expect(seeds).toBe(39);
    for (const {
      predicted: { maxMs, low, high, routes },
    } of variants) {
      expect(low?.maxMs).toBeLessThanOrEqual(maxMs);
      expect(high?.maxMs).toBeGreaterThanOrEqual(maxMs);
      expect(low?.routes['/fast'].p95Ms).toBeLessThanOrEqual(routes['/fast'].p95Ms);
    }
    const [
      {
        predicted: { low, high },
      },
    ] = variants;
    expect(high?.routes['/fast'].p95Ms).toBeGreaterThan(10 * Number(low?.routes['/fast'].p95Ms));
  });

  test('with one administrator in twenty users, half a connection is in use', () => {
    expect(load.requests).toBe(1200);
    expect(load.meanActive).toBeGreaterThan(0.45);
    expect(load.meanActive).toBeLessThan(0.62);
    expect(load.floor).toBe(1);
  });

  test('the same call gives the same result', async () => {
    expect(await predict({ ...options, seeds: 19 })).toEqual(await predict({ ...options, seeds: 19 }));
  });

  test('the default number of runs depends on the size of the load', async () => {
    expect(await predict({ ...options, poolSizes: [4] })).toMatchObject({ seeds: 99, firstSeed: 1 });
  });

  test.each([
    ['simulated', {}, [25_100, 25_400]],
    ['replayed', { recordedSeed: 1 }, [10_050, 10_200]],
  ])('a long load that is %s has fewer runs', async (_, changes, counts) => {
    const seedsOf = async (/** @type {number} */ arrivalCount) => {
      const phases = [{ durationMs: 100_000, arrivalCount }];
      const load = { ...createScenarioLoad({ phases, scenarios: [scenarioOf('/x')] }), ...changes };
      /** @type {Record<string, Service>} */
      const services = { '/x': { kind: 'exponential', meanMs: 1 } };
      const once = simulateHere({ load, services })([{ pool: { maxPoolSize: 9 }, seed: 1, factor: 1 }]);
      const simulateRuns = (/** @type {Run[]} */ runs) => once.then(([first]) => runs.map(() => first));
      return (await predict({ load, services, poolSizes: [9], simulateRuns })).seeds;
    };
    expect(await Promise.all(counts.map(seedsOf))).toEqual([99, 79]);
  });

  test('another first seed gives other runs of the same load', async () => {
    const [first, second, both] = await Promise.all(
      [
        [1, 19],
        [20, 19],
        [1, 39],
      ].map(async ([firstSeed, seeds]) => predict({ ...options, poolSizes: [2], seeds, firstSeed })),
    );
    expect(second.firstSeed).toBe(20);
    const meanOf = (/** @type {typeof first} */ { variants: [{ predicted }] }) => predicted.meanWaitMs;
    expect(meanOf(second)).not.toBe(meanOf(first));
    expect(meanOf(both)).toBeGreaterThan(Math.min(meanOf(first), meanOf(second)));
    expect(meanOf(both)).toBeLessThan(Math.max(meanOf(first), meanOf(second)));
  });

  test('the mean wait is the mean over all runs, and with it the mean response', async () => {
    const queue = {
      load: createScenarioLoad({
        phases: [{ durationMs: 20_000, arrivalRate: 8, mode: /** @type {const} */ ('poisson') }],
        scenarios: [scenarioOf('/fast')],
      }),
      services: { '/fast': { kind: /** @type {const} */ ('exponential'), meanMs: 100 } },
    };
    const [{ predicted }] = (await predict({ ...queue, poolSizes: [1], seeds: 19 })).variants;
    const { simulateAll } = createRuns({ simulateRuns: simulateHere(queue), seeds: 19 });
    const runs = await simulateAll({ maxPoolSize: 1 });
    const waitedMs = runs.reduce((sum, { meanWaiting, durationMs }) => sum + meanWaiting * durationMs, 0);
    const meanWaitMs = waitedMs / runs.reduce((sum, { requests }) => sum + requests, 0);
    expect(predicted.meanWaitMs).toBeCloseTo(meanWaitMs, 6);
    expect(predicted.routes['/fast'].wait.meanMs).toBeCloseTo(meanWaitMs, 6);
    expect(predicted.routes['/fast'].meanMs - meanWaitMs).toBeCloseTo(predicted.routes['/fast'].meanUseMs, 6);
  });

  test('a number of runs without an exact band is refused', async () => {
    await expect(predict({ ...options, seeds: 20 })).rejects.toThrow('seeds 20');
  });
});

test('no knee among sizes that are all too small', async () => {
  const { load } = await predict({ load: mixed, poolSizes: [1, 2], services: services(5000) });
  expect(load.knee).toBeNull();
});

test('a load without requests is refused', async () => {
  const load = createScenarioLoad(
    readWorkload('config: { phases: [{ duration: 5, arrivalCount: 2 }] }\n' + 'scenarios: [{ flow: [{ think: 1 }] }]'),
  );
  await expect(predict({ load, poolSizes: [1], services: {} })).rejects.toThrow('The load has no requests');
});

describe('requests with none or several queries', () => {
  const workload = {
    phases: [{ durationMs: 10_000, arrivalCount: 300 }],
    scenarios: ['/livez', '/orders', '/fast'].map((route) => scenarioOf(route)),
  };
  const load = createScenarioLoad(workload);
  /** @type {Record<string, import('../../src/simulator/service-time.js').Service>} */
  const times = {
    '/livez': { kind: 'none' },
    '/orders': { kind: 'fixed', ms: 30, queries: 3 },
    '/fast': { kind: 'sample', valuesMs: [2, 4] },
  };

  test('count as what they take from the pool', async () => {
    const {
      load: { routes, meanActive, peakActive },
      variants: [{ predicted }],
    } = await predict({ load, services: times, poolSizes: [1], seeds: 19, overhead: { kind: 'fixed', ms: 5 } });
    expect(Object.values(routes).map(({ queries, meanMs }) => [queries, meanMs])).toEqual([
      [0, 0],
      [3, 30],
      [1, expect.anything()],
    ]);
    expect(meanActive).toBeCloseTo((routes['/orders'].ratePerSec * 90 + routes['/fast'].ratePerSec * 3) / 1000, 0);
    expect(peakActive).toBeGreaterThan(1);
    expect(predicted.routes['/livez']).toMatchObject({ p50Ms: 5, maxMs: 5 });
    expect(predicted.routes['/orders'].p50Ms).toBeGreaterThan(95);
  });

  test('have a mean wait for each connection they take', async () => {
    const two = createScenarioLoad({
      phases: [{ durationMs: 1, arrivalCount: 2 }],
      scenarios: [workload.scenarios[1]],
    });
    const {
      variants: [{ predicted }],
    } = await predict({
      load: two,
      services: { '/orders': { kind: 'fixed', ms: 10, queries: 3 } },
      poolSizes: [1],
    });
    // The first user arrives after 0.5 ms and waits 0, 10 and 10 ms; the second arrives after 1 ms and waits 9.5, 10
    // and 10 ms.
    expect(predicted.meanWaitMs).toBeCloseTo(49.5 / 6, 9);
  });

  test('are resampled with their number of queries', async () => {
    const {
      variants: [{ predicted }],
    } = await predict({
      load,
      services: { ...times, '/fast': { kind: 'sample', valuesMs: [10, 10], queries: 4 } },
      poolSizes: [50],
      seeds: 19,
    });
    expect(predicted.routes['/fast'].maxMs).toBeCloseTo(40, 6);
  });

  test('without any query there is nothing to predict', async () => {
    const services = Object.fromEntries(load.routes.map((route) => [route, { kind: /** @type {const} */ ('none') }]));
    await expect(predict({ load, services, poolSizes: [1] })).rejects.toThrow(
      'No request of the load takes a connection',
    );
  });
});

describe('a pool that not all routes share', () => {
  /** @param {number} maxPoolSize @returns {import('../../src/simulator/create-pool.js').PoolOptions} */
  const poolOf = (maxPoolSize) => ({ kind: 'split', maxPoolSize: maxPoolSize + 2, slowRoutes: ['/slow'], slowSize: 2 });

  test('is compared with the same pool without a limit', async () => {
    const { variants, load } = await predict({ load: mixed, poolSizes: [1, 2, 3], services: services(5000), poolOf });
    // More connections for /fast never help /slow, which always waits for its two.
    expect(load).toMatchObject({ knee: 1, floor: 1 });
    expect(variants[0].predicted.routes['/slow'].maxMs).toBe(variants[2].predicted.routes['/slow'].maxMs);
  });

  test('with a request deadline, what fails without a limit does not make more connections help', async () => {
    const { variants, load } = await predict({
      load: mixed,
      poolSizes: [5, 6],
      services: services(5000),
      poolOf: (maxPoolSize) => ({ maxPoolSize, requestTimeoutMs: 4000 }),
    });
    expect(variants[0].predicted.failures).toBe(5);
    expect(load).toMatchObject({ knee: 5 });
  });
});

test.each([
  [10, false],
  [60, true],
])(
  'a server is called the bottleneck only if its cores are in use: at %i requests per second, %s',
  async (arrivalRate, isNamed) => {
    const load = createScenarioLoad(
      {
        phases: [{ durationMs: 4000, arrivalRate, mode: 'poisson' }],
        scenarios: [{ steps: [{ kind: 'request', route: '/a' }] }],
      },
      { server: { cores: 1 } },
    );
    const { load: facts } = await predict({
      load,
      poolSizes: [1, 32],
      services: { '/a': { kind: 'exponential', meanMs: 15, workShare: 1 } },
      seeds: 19,
    });
    expect(facts.usedShare).toBeCloseTo(arrivalRate * 0.015, 1);
    expect(facts.slowdown !== null).toBe(isNamed);
  },
);

test('a trace of a cold pool: others open their connections as slowly, and a larger one helps nobody', async () => {
  const load = createTraceLoad(recordCold(), { resample: true });
  const { variants, load: facts } = await predict({
    load,
    services: load.services,
    poolSizes: [2, 4, 8],
    seeds: 19,
    poolOf: (maxPoolSize) => ({ maxPoolSize, maxConnecting: 4, maxIdleTimeMS: 50 }),
  });
  const waitsMs = variants.map(({ predicted }) => predicted.meanWaitMs);
  // Of two, the second pair waits for the first one's queries.
  expect(waitsMs.map(Math.round)).toEqual([35, 30, 30]);
  expect(facts.knee).toBe(4);
});

describe('pool sizes', () => {
  test.each([
    ['3', [3]],
    ['10,1,3', [1, 3, 10]],
    ['1..4', [1, 2, 3, 4]],
    [' 2 , 1..3 ,20', [1, 2, 3, 20]],
    ['999999', [999999]],
  ])('"%s"', (text, sizes) => {
    expect(parsePoolSizes(text)).toEqual(sizes);
  });

  test.each([
    ['1,x', 'pool size "x" is not a whole number from 1, or a range such as 1..20'],
    ['', 'pool size "" is not'],
    ['5..3', 'pool size "5..3" is not'],
    ['1000000', 'pool size "1000000" is not'],
    ['1..2..3', '"1..2..3"'],
    ['0..3', 'pool size "0..3": 0 means "no limit" to the driver'],
    ['1..1001', 'pool sizes "1..1001": more than 1000 in total'],
    ['1..5, 1..999', 'pool sizes "1..999": more'],
  ])('"%s" is refused', (text, message) => {
    expect(() => parsePoolSizes(text)).toThrow(message);
  });

  test('a list that would fill the memory is refused before its sizes are listed', () => {
    expect(() => parsePoolSizes(Array(2000).fill('1..999999').join())).toThrow('more than 1000 in total');
  });
});

describe('the interval', () => {
  /** @param {number} length */
  const upTo = (length) => Array.from({ length }, (_, index) => index + 1);

  describe('a 90 % prediction interval', () => {
    test.each([
      [19, 1, 19],
      [39, 2, 38],
      [59, 3, 57],
      [79, 4, 76],
      [99, 5, 95],
    ])('of %i values goes from number %i to %i in order', (count, low, high) => {
      expect(findBand(upTo(count).reverse())).toEqual([low, high]);
      expect((count + 1 - 2 * low) / (count + 1)).toBe(0.9);
    });

    test('has no ends for fewer than 19 values, and wide ones where none is exact', () => {
      expect(findBand(upTo(18))).toEqual([NaN, NaN]);
      expect(findBand(upTo(38))).toEqual([1, 38]);
    });
  });

  test.each([
    [1e9, 99],
    [99, 99],
    [98.9, 79],
    [50, 39],
    [20, 19],
    [0.1, 19],
  ])('of %f affordable runs %i are made', (affordable, runs) => expect(chooseRuns(affordable)).toBe(runs));

  test('a number of runs must have an exact band', () => {
    for (const runs of [19, 39, 119]) requireBandRuns(runs);
    for (const runs of [-1, 0, 18, 20, 21, 19.5, 38, NaN, Infinity]) {
      expect(() => requireBandRuns(runs)).toThrow(
        `seeds ${runs}: so many runs have no exact 90 % band. ` +
          'Use 19, 39, 59, 79, 99 or another multiple of 20, minus 1',
      );
    }
  });
});

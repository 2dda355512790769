import { describe, expect, test } from '@jest/globals';
import { createScenarioLoad, planUsers } from '../../src/load/scenario-load.js';
import { createArrivals } from '../../src/simulator/arrivals.js';
import { readWorkload } from '../../src/scenario/read-workload.js';
import { predict } from '../../src/predict/predict.js';
import { scenarioOf } from './sample-scenarios.js';
import { createRandom } from '../../src/simulator/random.js';
import { createTraceLoad } from '../../src/load/trace-load.js';
import { summariseTrace } from '../../src/trace/trace.js';
import { recordDrawn } from '../trace/traces.js';

/** @import { FlowStep } from '../../src/simulator/flow.js' */
/** @import { Phase } from '../../src/simulator/arrivals.js' */
/** @import { Workload } from '../../src/simulator/scenarios.js' */

describe('the load of a scenario', () => {
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
  const workloadOf = (phases, flow) =>
    readWorkload(`config: { phases: [${phases}] }\nscenarios: [{ flow: [${flow}] }]`);
  const GET = '{ get: { url: /a } }';

  describe('a load that would take too long is refused before it is simulated', () => {
    test.each([
      ['{ duration: 1, arrivalCount: 1e300 }', GET, '1.0e+300'],
      ['{ duration: 365d, arrivalRate: 1000 }', GET, '3.2e+10'],
      ['{ duration: 1, arrivalCount: 1 }', '{ loop: [], count: 1000000000000 }', '1.0e+12'],
      ['{ duration: 600, arrivalRate: 3e5 }, { pause: 5 }', `${GET}, { think: 1 }`, '3.6e+8'],
      ['{ duration: 1000, arrivalRate: 1e5, rampTo: 3e5 }', GET, '2.0e+8'],
      // 2e7 users go 10 times through 1 + 1 + 3 * 2 steps.
      ['{ duration: 1, arrivalCount: 2e7 }', `{ loop: [${GET}, { loop: [${GET}], count: 3 }], count: 10 }`, '1.6e+9'],
    ])('%s with %s', (phases, flow, steps) => {
      expect(() => createScenarioLoad(workloadOf(phases, flow))).toThrow(
        `The load has ${steps} steps (requests, pauses and rounds of loops): at most 100000000 can be simulated`,
      );
    });

    test('scenarios count by weight', () => {
      const workload = readWorkload(`config: { phases: [{ duration: 1, arrivalCount: 1e8 }] }
scenarios:
  - { weight: 3, flow: [${GET}] }
  - { weight: 1, flow: [${GET}, ${GET}, ${GET}, ${GET}, ${GET}] }`);
      expect(() => createScenarioLoad(workload)).toThrow('The load has 2.0e+8 steps');
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
});

describe('the load of a trace', () => {
  /**
   * Records what a pool of three does to a few slow queries among many fast ones.
   * @param {{ handoverMs?: number }} [process] handoverMs: mean delay of a handover
   */
  function recordTrace({ handoverMs = 0 } = {}) {
    const random = createRandom(11);
    return recordDrawn(2000, 3, () => {
      const isSlow = random.uniform() < 0.05;
      return {
        route: isSlow ? '/slow' : '/fast',
        serviceMs: isSlow ? 400 + 200 * random.uniform() : 2,
        handoverMs: handoverMs * random.exponential(),
        gapMs: 20 * random.exponential(),
      };
    });
  }

  const trace = recordTrace();

  test('a replay at the recorded size gives the recorded waits', async () => {
    const load = createTraceLoad(trace);
    const { variants, seeds } = await predict({ load, services: load.services, poolSizes: [2, 3, 4] });
    const recorded = summariseTrace(trace);
    expect(seeds).toBe(1);
    const [{ predicted: smaller }, { predicted }, { predicted: larger }] = variants;
    expect(predicted).toMatchObject({ requests: 2000, failures: 0 });
    expect(predicted.meanWaitMs).toBeCloseTo(recorded.meanWaitMs, 6);
    for (const route of trace.routes) {
      for (const figure of /** @type {const} */ (['p50Ms', 'p95Ms', 'p99Ms', 'maxMs'])) {
        expect(predicted.routes[route].wait[figure]).toBeCloseTo(recorded.routes[route].wait[figure], 6);
        expect(predicted.routes[route][figure]).toBeCloseTo(recorded.routes[route][figure], 6);
      }
    }
    expect(smaller.meanWaitMs).toBeGreaterThan(2 * recorded.meanWaitMs);
    expect(larger.meanWaitMs).toBeLessThan(recorded.meanWaitMs / 2);
  });

  test('late handovers by a busy process make waits longer, also in the replay', async () => {
    const slowed = recordTrace({ handoverMs: 5 });
    const load = createTraceLoad(slowed);
    const {
      variants: [{ predicted }],
    } = await predict({ load, services: load.services, poolSizes: [3] });
    const recorded = summariseTrace(slowed);
    expect(recorded.meanWaitMs).toBeGreaterThan(1.1 * summariseTrace(trace).meanWaitMs);
    // In a real process no checkout starts while it is busy. Here some do, so it is not certain whose connection they
    // got.
    expect(predicted.meanWaitMs / recorded.meanWaitMs).toBeCloseTo(1, 2);
    for (const route of slowed.routes)
      expect(predicted.routes[route].p50Ms).toBeCloseTo(recorded.routes[route].p50Ms, 1);
  });

  test('what no pool explains of a wait comes before the query, at every size', async () => {
    const rounds = Array.from({ length: 40 }, (_, round) => 300 * round);
    const paused = {
      header: { maxPoolSize: 1 },
      routes: ['/slow', '/fast'],
      checkOutStartedMs: rounds.flatMap((ms) => [ms, ms + 10]),
      waitMs: rounds.flatMap(() => [8, 98]),
      useMs: rounds.flatMap(() => [100, 2]),
      routeOf: rounds.flatMap(() => [0, 1]),
      isBehind: rounds.flatMap(() => [0, 1]),
      openingMs: rounds.flatMap(() => [0, 0]),
      warnings: [],
    };
    const load = createTraceLoad(paused);
    const { variants } = await predict({ load, services: load.services, poolSizes: [1, 2] });
    expect(variants.map(({ predicted: { meanWaitMs } }) => meanWaitMs)).toEqual(
      [49, 0].map((ms) => expect.closeTo(ms)),
    );
    const maxima = variants.map(({ predicted: { routes } }) => paused.routes.map((route) => routes[route].maxMs));
    expect(maxima).toEqual(
      [
        [108, 100],
        [108, 2],
      ].map((times) => times.map((ms) => expect.closeTo(ms))),
    );
  });

  test('rates and service times are those of the trace', async () => {
    const load = createTraceLoad(trace);
    const { load: facts } = await predict({ load, services: load.services, poolSizes: [1] });
    const busy = Array.from(trace.useMs).reduce((sum, ms) => sum + ms) / facts.lastsMs;
    expect(facts.meanActive).toBeCloseTo(busy, 6);
    // The last one's own gap and use are what the two differ by.
    expect(Math.abs(facts.lastsMs / load.durationMs - 1)).toBeLessThan(0.02);
    // Random arrivals have gaps with a squared coefficient of variation of 1.
    const times = Array.from(load.arrivals(1, 1), ({ atMs }) => atMs);
    const gaps = times.slice(1).map((atMs, index) => atMs - times[index]);
    const mean = gaps.reduce((sum, gap) => sum + gap) / gaps.length;
    const scv = gaps.reduce((sum, gap) => sum + (gap / mean - 1) ** 2, 0) / gaps.length;
    expect(scv).toBeGreaterThan(0.8);
    expect(scv).toBeLessThan(1.2);
  });

  describe('resampled', () => {
    const load = createTraceLoad(trace, { resample: true });

    /** @param {number} seed @param {number} factor */
    const arrivalsOf = (seed, factor) => [...load.arrivals(seed, factor)];

    test('the first run is the trace itself, or the trace sped up', () => {
      expect(arrivalsOf(1, 1).map(({ atMs }) => atMs)).toEqual(trace.checkOutStartedMs);
      expect(arrivalsOf(1, 2)[1999].atMs).toBeCloseTo(trace.checkOutStartedMs[1999] / 2, 6);
    });

    test('every other run is as long, as busy, in order, and different', () => {
      const runs = [2, 3, 4, 5].map((seed) => arrivalsOf(seed, 1));
      expect(new Set(runs.map((run) => run[0].atMs)).size).toBe(4);
      for (const run of runs) {
        expect(Math.abs(run.length / 2000 - 1)).toBeLessThan(0.1);
        expect(run.every(({ atMs }, index) => atMs >= (run[index - 1]?.atMs ?? 0))).toBe(true);
        expect(Number(run.at(-1)?.atMs)).toBeLessThanOrEqual(load.durationMs);
        expect(Number(run.at(-1)?.atMs)).toBeGreaterThan(0.95 * load.durationMs);
      }
    });

    test('a higher factor gives more requests in the same time', () => {
      const run = arrivalsOf(2, 1.5);
      expect(Math.abs(run.length / 3000 - 1)).toBeLessThan(0.1);
      expect(Number(run.at(-1)?.atMs)).toBeLessThanOrEqual(load.durationMs);
    });

    test('is the same with the same seed', () => {
      expect(arrivalsOf(3, 1.3)).toEqual(arrivalsOf(3, 1.3));
    });
  });

  test('a single checkout is a load too', async () => {
    const load = createTraceLoad({
      header: {},
      routes: ['/a'],
      checkOutStartedMs: [0],
      waitMs: [0],
      useMs: [7],
      routeOf: [0],
      warnings: [],
    });
    const { variants } = await predict({ load, services: load.services, poolSizes: [1] });
    expect(variants[0].predicted).toMatchObject({ requests: 1, maxMs: 7 });
  });
});

import { describe, expect, test } from '@jest/globals';
import { advise } from '../../src/advise/advise.js';
import { sizeByCommonRule } from '../../src/advise/common-rule.js';
import { parseSlo } from '../../src/advise/slo.js';
import { createScenarioLoad } from '../../src/load/scenario-load.js';
import { simulateHere } from '../../src/runs/simulation-runs.js';
import { scenarioOf } from '../load/sample-scenarios.js';
import { findDenial } from '../../src/advise/denial.js';
import { MIN_RUNS, samplesNeeded, upperLimit } from '../../src/advise/confidence.js';
import { judgeRuns } from '../../src/advise/judgement.js';
import { findFirst, findSmallest, listNumbers } from '../../src/advise/find-smallest.js';

/** @import { Service } from '../../src/simulator/service-time.js' */
/** @import { Run, SimulateRuns } from '../../src/runs/simulation-runs.js' */
/** @import { SimulationResult } from '../../src/simulator/simulate.js' */

/** Twenty users a second for twenty seconds, of whom one in twenty is an administrator. */
const ordinary = createScenarioLoad({
  phases: [{ durationMs: 20_000, arrivalCount: 400 }],
  scenarios: [
    { weight: 95, ...scenarioOf('/fast') },
    { weight: 5, ...scenarioOf('/slow') },
  ],
});

const article = createScenarioLoad({
  phases: [{ durationMs: 5000, arrivalCount: 5 }],
  scenarios: [scenarioOf('/slow', '/fast')],
});

/** @param {number} slowMs @returns {Record<string, Service>} */
const services = (slowMs) => ({ '/slow': { kind: 'fixed', ms: slowMs }, '/fast': { kind: 'fixed', ms: 2 } });

const simulateOrdinary = remember(simulateHere({ load: ordinary, services: services(500) }));

/** @param {SimulateRuns} simulateRuns @returns {SimulateRuns} the same, with no run simulated twice */
function remember(simulateRuns) {
  /** @type {Map<string, ReturnType<SimulateRuns>>} */
  const known = new Map();
  const simulateOnce = (/** @type {Run} */ run) => {
    const key = JSON.stringify(run);
    if (!known.has(key)) known.set(key, simulateRuns([run]));
    return /** @type {ReturnType<SimulateRuns>} */ (known.get(key));
  };
  return async (runs, onRun = () => {}) => {
    const results = [];
    for (const run of runs) {
      results.push(...(await simulateOnce(run)));
      onRun();
    }
    return results;
  };
}

/** @param {string[]} goals @param {Partial<Parameters<typeof advise>[0]>} [options] */
function adviseOn(goals, options = {}) {
  const isOrdinary = !options.load && !options.services && !options.overhead;
  return advise({
    load: ordinary,
    services: services(500),
    slos: goals.map(parseSlo),
    seeds: 59,
    simulateRuns: isOrdinary ? simulateOrdinary : undefined,
    ...options,
  });
}

const advice = await adviseOn(['/fast p99 < 50ms']);

describe('an ordinary load with slow queries of half a second', () => {
  test('another first seed gives other runs', async () => {
    const other = await adviseOn(['/fast p99 < 50ms'], { firstSeed: 1000 });
    expect([advice.firstSeed, other.firstSeed]).toEqual([1, 1000]);
    expect(other.loads).not.toEqual(advice.loads);
  });

  test('takes the smallest pool that meets the goal at both loads', async () => {
    expect(advice).toMatchObject({ verdict: 'size', seeds: 59 });
    const { poolSize, loads, rows, smaller } = advice;
    expect(loads.map(({ factor }) => factor)).toEqual([1, 1.3]);
    expect(rows.map(({ factor, poolSize: size }) => [factor, size])).toEqual([
      [1, poolSize],
      [1.3, poolSize],
    ]);
    for (const [{ medianMs, upperMs }] of rows.map(({ goals }) => goals)) {
      expect(upperMs).toBeGreaterThanOrEqual(medianMs);
      expect(upperMs).toBeLessThan(50);
    }
    expect(smaller).toMatchObject({ poolSize: Number(poolSize) - 1, factor: 1.3, text: '/fast p99 < 50 ms' });
    expect(smaller?.ms).toBeGreaterThanOrEqual(50);
    const loadOf = (/** @type {number} */ headroom) => adviseOn(['/fast p99 < 50ms'], { headroom });
    const [now, twice] = await Promise.all([1, 2].map(loadOf));
    expect(now.poolSize).toBeLessThanOrEqual(Number(poolSize));
    expect(twice.poolSize).toBeGreaterThan(Number(now.poolSize));
    expect([now, advice, twice].map(({ sizeNow }) => sizeNow)).toEqual(Array(3).fill(now.poolSize));
  });

  test('leaves the margin that a size needs', async () => {
    const poolSize = Number(advice.poolSize);
    const careful = await adviseOn(['/fast p99 < 50ms'], { marginAt: (size) => (size <= poolSize ? 99 : 3) });
    expect(careful.poolSize).toBe(poolSize + 1);
    const largest = advice.rows.map(({ goals: [{ upperMs }] }) => upperMs)[1];
    expect(careful.smaller).toMatchObject({ poolSize, text: '/fast p99 < 50 ms' });
    expect(careful.smaller?.ms).toBeLessThanOrEqual(100 * largest);
  });

  test('fewer connections are enough when the slow queries have a pool of their own', () => {
    expect(advice.remedies).toEqual([
      { kind: 'split', slowRoutes: ['/slow'], connections: 2, slowSize: 1, slow: [expect.anything()] },
    ]);
    expect(advice.remedies[0].slow[0].p95Ms).toBeGreaterThan(600);
  });

  test('says what the common rule would have given, and what it does to the goal at the load as it is', async () => {
    // 20 requests a second: 5 % of 500 ms and 95 % of 2 ms are 0.54 connections in use, and 20 % more 0.65.
    expect(advice.rule).toEqual({
      poolSize: 1,
      goals: [{ text: '/fast p99 < 50 ms', medianMs: expect.any(Number), upperMs: expect.any(Number) }],
    });
    expect(advice.rule?.goals[0].upperMs).toBeGreaterThan(advice.rows[0].goals[0].upperMs);
    expect((await adviseOn(['/fast max < 1ms'])).rule).toBeNull();
  });

  test('gives the same advice again', async () => {
    const simulateRuns = simulateHere({ load: ordinary, services: services(500) });
    expect(await adviseOn(['/fast p99 < 50ms'], { simulateRuns })).toEqual(advice);
  });
});

test('the common rule is operations a second x mean duration + 20 %, rounded up', () => {
  const sizeOf = (/** @type {[ratePerSec: number, queries: number, meanMs: number][]} */ ...routes) =>
    sizeByCommonRule({
      routes: Object.fromEntries(
        routes.map(([ratePerSec, queries, meanMs], index) => [`/${index}`, { count: 1, ratePerSec, queries, meanMs }]),
      ),
    });
  // The example of its source: 10,000 operations a second of 10 ms.
  expect(sizeOf([10_000, 1, 10])).toBe(120);
  expect(sizeOf([20, 3, 50], [100, 1, 5])).toBe(5);
  expect(sizeOf([0.1, 1, 2])).toBe(1);
});

describe('a load with two readings', () => {
  const busier = createScenarioLoad({
    phases: [{ durationMs: 20_000, arrivalCount: 800 }],
    scenarios: [
      { weight: 95, ...scenarioOf('/fast') },
      { weight: 5, ...scenarioOf('/slow') },
    ],
  });
  const goals = ['/fast p99 < 50ms'];

  test('gets the size that is enough in both', async () => {
    const [calm, busy, both] = await Promise.all(
      [ordinary, busier, { ...ordinary, otherReading: busier }].map((load) => adviseOn(goals, { load, headroom: 1 })),
    );
    expect(Number(busy.poolSize)).toBeGreaterThan(Number(calm.poolSize));
    expect(both.poolSize).toBe(busy.poolSize);
    expect(both.rows).toEqual(busy.rows);
    expect(both.loads.map(({ reading }) => reading)).toEqual([0, 1]);
    expect(both.smaller).toMatchObject({ poolSize: Number(busy.poolSize) - 1, reading: 1 });
    expect(both.remedies[0].connections).toBe(busy.remedies[0].connections);
  });

  test('and none if one of them has none', async () => {
    const jammed = { ...busier, withOpenings: () => ({ maxPoolSize: 1 }) };
    const nothing = await adviseOn(goals, { load: { ...ordinary, otherReading: jammed }, headroom: 1 });
    expect(nothing).toMatchObject({ verdict: 'nothing', poolSize: null });
    expect(nothing.loads.map(({ best }) => best?.goals[0].isMet)).toEqual([true, false]);
  });
});

describe('a recording that its own runs deny', () => {
  /** 60 runs at the recorded size: the first one is the recording. @param {number} recordedMs */
  const denialOf = (recordedMs, [lowMs, highMs] = [100, 200], maxPoolSize = 4) => {
    const trace = /** @type {any} */ ({
      ...{ header: { maxPoolSize }, routes: ['/a'], routeOf: [0], warnings: [] },
      ...{ checkOutStartedMs: [0], waitMs: [0], useMs: [recordedMs] },
    });
    const runOf = (/** @type {number} */ ms) => ({ routes: { '/a': { p95Ms: ms } } });
    const runs = [runOf(recordedMs), ...Array.from({ length: 59 }, (_, row) => runOf(row % 2 ? lowMs : highMs))];
    const study = /** @type {any} */ ({ seeds: runs.map((_, row) => row + 1), judge: async () => ({ runs }) });
    const load = /** @type {any} */ ({ source: { kind: 'trace', trace }, recordedSeed: 1 });
    return findDenial(load, study, [parseSlo('/a p90 < 1s')]);
  };

  test.each([
    ['inside', 150, null],
    ['outside, but not twice as large', 395, null],
    ['twice as large', 405, 405],
    ['half as large', 49, 49],
  ])('%s: its figure is %d ms', async (_, recordedMs, denied) => {
    const denial = await denialOf(recordedMs);
    expect(denial?.recordedMs ?? null).toBe(denied);
    if (denied) expect(denial).toMatchObject({ route: '/a', figure: 'p95', poolSize: 4, lowMs: 100, highMs: 200 });
  });

  test('by times that nobody notices, or where its size is unknown, is not', async () => {
    expect(await denialOf(3, [7, 20])).toBeNull();
    expect(await denialOf(1, [7, 20])).not.toBeNull();
    expect(await denialOf(1, [7, 20], 0)).toBeNull();
    expect(await findDenial(ordinary, /** @type {any} */ ({}), [])).toBeNull();
  });
});

test('a route without queries meets its goal with any pool, and several queries need more', async () => {
  const load = createScenarioLoad({
    phases: [{ durationMs: 4000, arrivalCount: 120 }],
    scenarios: ['/livez', '/orders'].map((route) => scenarioOf(route)),
  });
  const adviseFor = (/** @type {number} */ queries, /** @type {string[]} */ ...goals) =>
    adviseOn(goals, {
      load,
      headroom: 1,
      services: { '/livez': { kind: 'none' }, '/orders': { kind: 'fixed', ms: 40, queries } },
    });
  expect(await adviseFor(1, '/livez max < 100ms')).toMatchObject({ verdict: 'size', poolSize: 1 });
  const [one, five] = await Promise.all(
    [1, 5].map((queries) => adviseFor(queries, '/orders p90 < 250ms', '/livez max < 100ms')),
  );
  expect(five.poolSize).toBeGreaterThan(Number(one.poolSize));
});

const [modest, bold] = await Promise.all([1, 3].map((headroom) => adviseOn(['/fast p99 < 50ms'], { headroom })));

describe('more load', () => {
  test('needs more connections, and headroom 1 adds none', () => {
    expect(modest.loads.map(({ factor }) => factor)).toEqual([1]);
    expect(bold.poolSize).toBeGreaterThan(Number(modest.poolSize));
  });

  test('is the load that remedies are judged by', () => {
    expect(bold.remedies[0].slowSize).toBeGreaterThan(Number(modest.remedies[0].slowSize));
  });
});

test('a long load gets the smallest number of runs', async () => {
  const load = createScenarioLoad({
    phases: [{ durationMs: 60_000, arrivalCount: 10_001 }],
    scenarios: [{ weight: 1e5, ...scenarioOf('/fast') }, scenarioOf('/slow')],
  });
  const once = simulateHere({ load, services: services(500) });
  /** @type {ReturnType<SimulateRuns> | undefined} */
  let result;
  const simulateRuns = (/** @type {Run[]} */ runs) =>
    (result ??= once(runs.slice(0, 1))).then(([first]) => runs.map(() => first));
  const { verdict, seeds } = await adviseOn(['/slow p99 < 1s'], { load, seeds: undefined, simulateRuns });
  expect({ verdict, seeds }).toEqual({ verdict: 'notEnoughData', seeds: 59 });
});

test('every goal counts', async () => {
  const [easy, both] = await Promise.all(
    [['/slow p50 < 2s'], ['/slow p50 < 2s', '/fast p99 < 50ms']].map((goals) => adviseOn(goals, { headroom: 1 })),
  );
  expect(easy.poolSize).toBeLessThan(Number(both.poolSize));
});

test('nothing meets a goal below the service time', async () => {
  const advice = await adviseOn(['/fast p99 < 1ms']);
  expect(advice).toMatchObject({ verdict: 'nothing', poolSize: null, rows: [], remedies: [] });
});

test('a percentile needs samples', async () => {
  const advice = await adviseOn(['/fast p99 < 50ms', '/slow p99 < 10s']);
  expect(advice).toMatchObject({ verdict: 'notEnoughData', poolSize: null });
  expect(advice.samples.map(({ needed, isEnough }) => [needed, isEnough])).toEqual([
    [299, true],
    [299, false],
  ]);
});

test('where queries share the server and no size will do, the smallest that keeps up may beat no limit', async () => {
  const load = createScenarioLoad(
    { phases: [{ durationMs: 3000, arrivalCount: 270 }], scenarios: [scenarioOf('/a')] },
    { server: { cores: 2 } },
  );
  const adviseFor = (/** @type {string} */ goal) =>
    advise({
      load,
      services: { '/a': { kind: 'exponential', meanMs: 20, workShare: 1 } },
      slos: [parseSlo(goal)],
      seeds: 59,
      overhead: { kind: 'fixed', ms: 0 },
    });
  const advice = await adviseFor('/a p95 < 10ms');
  const [{ floor, best }] = advice.loads;
  expect(advice).toMatchObject({ verdict: 'nothing', sizeNow: null });
  expect(best).toMatchObject({ poolSize: floor, runs: 8, goals: [{ isMet: false }] });
  expect(best?.goals[0].medianMs).toBeLessThan(Number(best?.goals[0].upperMs));
  // 0.9 of its cores' time is needed now, 1.17 with the headroom.
  expect(await adviseFor('/a p95 < 700ms')).toMatchObject({ verdict: 'nothing', poolSize: null, sizeNow: 2 });
});

test('requests that fail miss the goal', async () => {
  const load = createScenarioLoad({
    phases: [{ durationMs: 60_000, arrivalCount: 600 }],
    scenarios: [scenarioOf('/a')],
    timeoutMs: 40,
  });
  const advice = await advise({
    load,
    services: { '/a': { kind: 'fixed', ms: 50 } },
    slos: [parseSlo('/a p50 < 100ms')],
  });
  expect(advice.verdict).toBe('nothing');
});

describe('what a response takes beyond wait and use', () => {
  /** Median 1 ms, p99 31 ms. @type {Service} */
  const overhead = { kind: 'sample', valuesMs: Array.from({ length: 200 }, (_, index) => (index < 194 ? 1 : 31)) };

  test('when it is not known, a goal that leaves no room for it gets no verdict', async () => {
    const advice = await adviseOn(['/fast p99 < 50ms', '/fast p99 < 5ms']);
    expect(advice).toMatchObject({
      verdict: 'belowNoise',
      poolSize: null,
      parts: null,
      rows: [],
      noise: [
        { bestMs: 2, noiseMs: 10, isBelow: false },
        { bestMs: 2, noiseMs: 10, isBelow: true },
      ],
    });
  });

  test('the noise of a maximum depends on how many requests there are', async () => {
    const few = createScenarioLoad({
      phases: [{ durationMs: 5000, arrivalCount: 5 }],
      scenarios: [scenarioOf('/fast')],
    });
    const [ofFew, ofMany] = await Promise.all([few, ordinary].map((load) => adviseOn(['/fast max < 25ms'], { load })));
    expect(ofFew).toMatchObject({ verdict: 'size', noise: [{ noiseMs: 10 }] });
    expect(ofMany).toMatchObject({ verdict: 'belowNoise', noise: [{ noiseMs: 30 }] });
  });

  test('when it is known, it decides', async () => {
    const advice = await adviseOn(['/fast p99 < 5ms'], { overhead });
    expect(advice).toMatchObject({ verdict: 'nothing', noise: null, parts: [{ serviceMs: 2 }] });
    const [{ overheadMs }] = advice.parts ?? [];
    expect(overheadMs).toBeGreaterThan(31);
    // The longest of a few runs is below what 95 of 100 keep.
    const [{ upperMs = NaN } = {}] = advice.loads[0].best?.goals ?? [];
    expect(upperMs).toBeGreaterThan(5);
    expect(upperMs / (2 + overheadMs)).toBeLessThan(1.15);
  });

  test('when it is known, a goal above it needs more connections than without it', async () => {
    const [without, withIt] = await Promise.all(
      [undefined, 480].map((ms) =>
        adviseOn(['/fast p95 < 500ms'], { headroom: 1, overhead: ms ? { kind: 'fixed', ms } : undefined }),
      ),
    );
    expect([without.verdict, withIt.verdict]).toEqual(['size', 'size']);
    expect(withIt.poolSize).toBeGreaterThan(Number(without.poolSize));
  });
});

test('a first figure from fewer runs of the same load comes before the advice, and does not change it', async () => {
  /** @type {object[]} */
  const firsts = [];
  let runs = 0;
  /** @type {SimulateRuns} */
  const simulateRuns = (wanted, onRun) => {
    runs += wanted.length;
    return simulateOrdinary(wanted, onRun);
  };
  const onFirst = (/** @type {object} */ first) => firsts.push({ ...first, before: runs });
  const sure = await adviseOn(['/fast p99 < 50ms'], { simulateRuns, onFirst });
  expect(firsts).toEqual([{ poolSize: expect.any(Number), runs: 8, seeds: sure.seeds, before: expect.any(Number) }]);
  const [{ poolSize, before }] = /** @type {{ poolSize: number, before: number }[]} */ (firsts);
  // A few runs ask for no more connections than all of them, and for more than the load needs on average.
  expect(poolSize).toBeLessThanOrEqual(Number(sure.poolSize));
  expect(poolSize).toBeGreaterThanOrEqual(sure.loads[1].floor);
  expect(before).toBeLessThan(runs / 2);
  expect(await adviseOn(['/fast p99 < 50ms'])).toEqual(sure);
});

test('progress counts every run, and each pool that begins leaves fewer', async () => {
  /** @type {import('../../src/runs/simulation-runs.js').RunProgress[]} */
  const seen = [];
  await adviseOn(['/fast p99 < 50ms'], { headroom: 1, onProgress: (progress) => void seen.push(progress) });
  expect(seen.map(({ done }) => done)).toEqual(seen.map((_, index) => index + 1));
  expect(seen[0].step).toBe('no limit');
  expect(seen.every(({ done, total }) => total >= done)).toBe(true);
  expect(seen[0].total).toBeGreaterThan(seen.length / 2);
  const [atFirst, atLast] = [seen[0], seen[seen.length - 1]].map(({ done, total }) => total - done);
  expect(atLast).toBeLessThan(atFirst - 3 * 59);
});

describe('a load that is not random', () => {
  test('needs one run', async () => {
    const advice = await advise({
      load: article,
      services: services(5000),
      slos: [parseSlo('/fast max < 100ms')],
      headroom: 1,
    });
    expect(advice).toMatchObject({ verdict: 'size', poolSize: 5, seeds: 1 });
  });

  test('one connection needs no remedies', async () => {
    const { poolSize, rows, remedies } = await advise({
      load: article,
      services: services(5),
      slos: [parseSlo('/fast max < 100ms')],
    });
    expect({ poolSize, remedies }).toEqual({ poolSize: 1, remedies: [] });
    expect(rows[0].poolSize).toBe(1);
  });
});

describe('a fleet', () => {
  test('has a pool for each instance and server, and monitors', async () => {
    const { verdict, fleet, poolSize } = await adviseOn(['/fast p99 < 50ms'], {
      headroom: 1,
      fleet: { instances: 40, servers: 3, serverLimit: 3000 },
    });
    const size = Number(poolSize);
    expect(verdict).toBe('size');
    expect(fleet).toEqual({
      instances: 40,
      servers: 3,
      monitors: 2,
      total: 120 * (size + 2),
      perServer: 40 * (size + 2),
      serverLimit: 3000,
      largestPool: 73,
      fits: true,
    });
  });

  test('may have more connections than the server accepts', async () => {
    const advice = await adviseOn(['/fast p99 < 50ms'], { headroom: 1, fleet: { instances: 40, serverLimit: 150 } });
    expect(advice).toMatchObject({ verdict: 'tooManyConnections', fleet: { fits: false, largestPool: 1 } });
    // Two connections, in one pool or two, are too many, too.
    expect(advice.remedies).toEqual([]);
  });

  // 40 clients with 2 connections and 2 monitors each; a second client has monitors of its own.
  test.each([
    [240, ['split']],
    [239, []],
  ])('of %i connections has room for %j', async (serverLimit, kinds) => {
    const { remedies } = await adviseOn(['/fast p99 < 50ms'], { headroom: 1, fleet: { instances: 40, serverLimit } });
    expect(remedies.map(({ kind }) => kind)).toEqual(kinds);
  });
});

test.each([
  [['/fats p99 < 50ms'], {}, /no route \/fats, only \/fast, \/slow/],
  [['/fast p99 < 50ms'], { seeds: 58 }, /at least 59/],
])('%j %j is refused', async (goals, options, message) => {
  await expect(adviseOn(goals, options)).rejects.toThrow(message);
});

describe('confidence', () => {
  test("samples needed are those of Wilks' tables", () => {
    expect([0.5, 0.9, 0.95, 0.99, 0.999, 1].map(samplesNeeded)).toEqual([5, 29, 59, 299, 2995, 1]);
    expect(MIN_RUNS).toBe(59);
  });

  describe('the limit that 95 of 100 runs keep', () => {
    const numbers = (/** @type {number} */ count) => Array.from({ length: count }, (_, index) => index + 1);

    // From tables of one-sided tolerance limits, 95 %/95 %: the largest of 59, the second of 93, the third of 124.
    test.each([
      [1, 1],
      [59, 59],
      [92, 92],
      [93, 92],
      [123, 122],
      [124, 122],
      [153, 150],
    ])('with %i runs it is number %i', (count, rank) => {
      expect(upperLimit(numbers(count))).toBe(rank);
    });

    test('needs at least 59 runs', () => {
      expect(() => upperLimit(numbers(58))).toThrow('58 runs are too few');
    });

    test('is infinite when too many runs fail', () => {
      expect(upperLimit([...numbers(98), Infinity, Infinity])).toBe(Infinity);
      expect(upperLimit([...numbers(99), Infinity])).toBe(99);
    });
  });
});

describe('judgements', () => {
  /** @param {number} p99Ms of /x @param {object} [changes] @returns {SimulationResult} */
  const runOf = (p99Ms, changes) =>
    /** @type {any} */ ({
      requests: 100,
      failures: 0,
      utilisation: p99Ms / 100,
      peakWaiting: p99Ms,
      routes: { '/x': { count: 100, all: { p99Ms, p50Ms: p99Ms / 2 } } },
      ...changes,
    });
  /** 59 runs: as many as a limit needs that 95 of 100 runs keep. */
  const RUNS = Array.from({ length: 59 }, (_, index) => runOf(index + 1)).reverse();
  const GOALS = ['/x p99 < 59 ms', '/x p99 < 59.1 ms', '/x p50 < 30 ms'].map(parseSlo);

  test('a goal is met if 95 of 100 runs stay below it, and all goals must be', () => {
    const { goals, ...rest } = judgeRuns(RUNS, GOALS);
    expect(goals.map(({ medianMs, upperMs, isMet }) => [medianMs, upperMs, isMet])).toEqual([
      [30, 59, false],
      [30, 59, true],
      [15, 29.5, true],
    ]);
    expect(rest).toMatchObject({ isMet: false, failureShare: 0, utilisation: 0.3, peakWaiting: 59, runs: RUNS });
    expect(judgeRuns(RUNS, GOALS.slice(1)).isMet).toBe(true);
  });

  test('a goal of a route that no request reached is missed, and failures count over all runs', () => {
    const lost = runOf(1, { failures: 30, requests: 50, routes: { '/x': { count: 0, all: { p99Ms: 1, p50Ms: 1 } } } });
    for (const one of [lost, { ...lost, routes: {} }]) {
      const { goals, failureShare } = judgeRuns([one], GOALS.slice(1));
      expect(goals.map(({ upperMs, isMet }) => [upperMs, isMet])).toEqual([
        [Infinity, false],
        [Infinity, false],
      ]);
      expect(failureShare).toBe(0.6);
    }
    const runs = [lost, ...RUNS.slice(0, -1)];
    expect(judgeRuns(runs, GOALS).failureShare).toBeCloseTo(30 / (50 + 58 * 100));
  });
});

describe('goals', () => {
  describe('a goal', () => {
    test.each([
      ['/fast p99 < 50ms', '/fast', 'p99Ms', 0.99, 50],
      ['/a/:id p99.9<1.5 s', '/a/:id', 'p999Ms', 0.999, 1500],
      ['checkout max < 2s', 'checkout', 'maxMs', 1, 2000],
      ['  /fast  p50  <  10ms ', '/fast', 'p50Ms', 0.5, 10],
      ['/fast p90 < 1ms', '/fast', 'p90Ms', 0.9, 1],
      ['/fast p95 < 1ms', '/fast', 'p95Ms', 0.95, 1],
    ])('%s', (text, route, figure, share, limitMs) => {
      expect(parseSlo(text)).toMatchObject({ route, figure, share, limitMs });
    });

    test('is normalised', () => {
      expect(parseSlo('/fast  p99<50ms').text).toBe('/fast p99 < 50 ms');
    });
  });

  test.each([
    ['', /is not a goal: write it like '\/fast p99 < 50ms'/],
    ['/fast 50ms', /not a goal/],
    ['/fast p99 > 50ms', /not a goal/],
    ['/fast p98 < 50ms', /"p98" is not one of p50, p90, p95, p99, p99\.9, max/],
    ['/fast constructor < 50ms', /"constructor" is not one of/],
    ['/fast p99 < 50', /needs a unit, ms or s/],
    ['/fast p99 < 50min', /needs a unit/],
    ['/fast p99 < 0ms', /above 0/],
    ['/fast p99 < 1.2.3ms', /above 0/],
  ])('%j is refused, with an example', (text, message) => {
    expect(() => parseSlo(text)).toThrow(message);
    expect(() => parseSlo(text)).toThrow("'/fast p99 < 50ms'");
  });
});

describe('the smallest size', () => {
  test.each([1, 2, 7, 100])('finds %i among a hundred in a few steps, most of which fail', async (answer) => {
    let steps = 0;
    let passed = 0;
    const passes = async (/** @type {number} */ number) => {
      steps++;
      if (number >= answer) passed++;
      return number >= answer;
    };
    expect(await findSmallest(1, 100, passes)).toBe(answer);
    expect(steps).toBeLessThanOrEqual(13);
    // One from below, as many as it takes to halve the step to that, and the whole test.
    expect(passed).toBeLessThanOrEqual(5);
  });

  test('searches with quick tests, and takes a number that passes the whole test', async () => {
    /** @type {number[]} */
    const whole = [];
    const passes = async (/** @type {number} */ number, isQuick = false) => {
      if (!isQuick) whole.push(number);
      return number >= (isQuick ? 40 : 43);
    };
    expect(await findSmallest(1, 100, passes)).toBe(43);
    expect(whole).toEqual([40, 41, 42, 43]);
  });

  test('where more may be worse, it also tries the numbers below', async () => {
    const passes = async (/** @type {number} */ number) => [4, 5, 60, 61].includes(number) || number > 80;
    expect(await findSmallest(1, 100, passes)).toBe(81);
    expect(await findSmallest(1, 100, passes, () => false)).toBe(4);
    expect(await findSmallest(1, 79, passes, () => false)).toBe(4);
    expect(await findSmallest(1, 79, passes)).toBeNull();
    expect(await findSmallest(70, 80, passes, () => false)).toBeNull();
  });

  test('where only a range passes, its first number', async () => {
    const between = (/** @type {number} */ from, /** @type {number} */ to) => async (/** @type {number} */ number) =>
      number >= from && number <= to;
    expect(await findFirst(1, 1000, between(1, 1))).toBe(1);
    expect(await findFirst(1, 1000, between(6, 9))).toBe(6);
    expect(await findFirst(1, 1000, between(90, 130))).toBe(90);
    expect(await findFirst(1, 1000, between(999, 1000))).toBe(999);
    expect(await findFirst(5, 4, between(1, 9))).toBeNull();
    expect(await findFirst(1, 1000, between(2000, 3000))).toBeNull();
  });

  test('an empty range, one of one number, and the 100 numbers below', async () => {
    expect(await findSmallest(2, 1, async () => true)).toBeNull();
    expect(await findSmallest(7, 7, async () => true)).toBe(7);
    expect(await findSmallest(7, 7, async () => false)).toBeNull();
    expect(await findSmallest(1, 100, async () => false)).toBeNull();
    const passes = (/** @type {number} */ first) => async (/** @type {number} */ number) =>
      number === first || number > 400;
    expect(await findSmallest(1, 500, passes(301), () => false)).toBe(301);
    expect(await findSmallest(1, 500, passes(300), () => false)).toBe(401);
    expect(await findSmallest(301, 500, passes(300), () => false)).toBe(401);
    expect(await findSmallest(3, 500, passes(4), () => true)).toBe(401);
    expect(await findFirst(3, 3, async () => true)).toBe(3);
  });

  test('each number is 1.25 times the one before it, or one more', () => {
    expect(listNumbers(1, 12)).toEqual([1, 2, 3, 4, 5, 6, 8, 10]);
    expect(listNumbers(8, 10)).toEqual([8, 10]);
    expect(listNumbers(2, 1)).toEqual([]);
  });
});

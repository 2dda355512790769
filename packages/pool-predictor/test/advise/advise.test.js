import { describe, expect, test } from '@jest/globals';
import { advise } from '../../src/advise/advise.js';
import { parseSlo } from '../../src/advise/slo.js';
import { createScenarioLoad } from '../../src/load/scenario-load.js';
import { simulateHere } from '../../src/runs/simulation-runs.js';
import { scenarioOf } from '../load/sample-scenarios.js';

/** @import { Service } from '../../src/simulator/service-time.js' */

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

/** @import { Run, SimulateRuns } from '../../src/runs/simulation-runs.js' */

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

  test('takes the smallest pool that meets the goal at both loads', () => {
    expect(advice).toMatchObject({ verdict: 'size', seeds: 59 });
    const { poolSize, loads, rows } = advice;
    expect(loads.map(({ factor }) => factor)).toEqual([1, 1.3]);
    expect(poolSize).toBe(Math.max(...loads.map(({ smallest }) => Number(smallest))));
    expect(rows.map((row) => [row.poolSize - Number(poolSize), row.factor])).toEqual([
      [-1, 1],
      [-1, 1.3],
      [0, 1],
      [0, 1.3],
      [1, 1],
      [1, 1.3],
    ]);
    expect(rows.filter((row) => row.poolSize >= Number(poolSize)).every(({ isMet }) => isMet)).toBe(true);
    expect(rows.filter((row) => row.poolSize < Number(poolSize)).every(({ isMet }) => isMet)).toBe(false);
    for (const {
      goals: [{ medianMs, upperMs }],
    } of rows)
      expect(upperMs).toBeGreaterThanOrEqual(medianMs);
  });

  test('fewer connections are enough when the slow queries are limited', () => {
    const [split, limited, timeout] = advice.remedies;
    expect(split).toMatchObject({ kind: 'split', slowRoutes: ['/slow'], connections: 2, slowSize: 1 });
    expect(limited).toMatchObject({ kind: 'limited', connections: 2, slowSize: 1 });
    expect(split.slow[0].p95Ms).toBeGreaterThan(600);
    expect(timeout).toMatchObject({ kind: 'timeout', connections: Number(advice.poolSize) - 1, timeoutMs: 50 });
    expect(timeout.failureShare).toBeGreaterThan(0);
  });

  test('gives the same advice again', async () => {
    const simulateRuns = simulateHere({ load: ordinary, services: services(500) });
    expect(await adviseOn(['/fast p99 < 50ms'], { simulateRuns })).toEqual(advice);
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
      services: { '/livez': { kind: 'none' }, '/orders': { kind: 'fixed', ms: 40, queries } },
    });
  expect(await adviseFor(1, '/livez max < 100ms')).toMatchObject({ verdict: 'size', poolSize: 1 });
  const [one, five] = await Promise.all(
    [1, 5].map((queries) => adviseFor(queries, '/orders p90 < 250ms', '/livez max < 100ms')),
  );
  expect(five.poolSize).toBeGreaterThan(Number(one.poolSize));
  // A wait-queue timeout can't help /livez.
  expect(five.remedies.find(({ kind }) => kind === 'timeout')).toMatchObject({ timeoutMs: 250 });
});

const [modest, bold] = await Promise.all([1, 3].map((headroom) => adviseOn(['/fast p99 < 50ms'], { headroom })));

describe('more load', () => {
  test('needs more connections, and headroom 1 adds none', () => {
    expect(modest.loads.map(({ factor }) => factor)).toEqual([1]);
    expect(bold.poolSize).toBeGreaterThan(Number(modest.poolSize));
  });

  test('is the load that remedies and the benefit of more connections are judged by', () => {
    expect(bold.remedies.map(({ kind }) => kind)).toEqual(modest.remedies.map(({ kind }) => kind));
    const [usual, most] = [modest, bold].map(({ remedies }) => remedies.map(({ slowSize }) => Number(slowSize)));
    expect(most[0]).toBeGreaterThan(usual[0]);
    expect(most[1]).toBeGreaterThan(usual[1]);
    expect(bold.noBenefitAfter).toBeGreaterThan(Number(modest.noBenefitAfter));
  });
});

test('a long load gets the smallest number of runs', async () => {
  const load = createScenarioLoad({
    phases: [{ durationMs: 60_000, arrivalCount: 10_001 }],
    scenarios: [{ weight: 1e5, ...scenarioOf('/fast') }, scenarioOf('/slow')],
  });
  const { verdict, seeds } = await adviseOn(['/slow p99 < 1s'], { load, seeds: undefined });
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
  expect(advice).toMatchObject({ verdict: 'notEnoughData', poolSize: null, loads: [] });
  expect(advice.samples.map(({ needed, isEnough }) => [needed, isEnough])).toEqual([
    [299, true],
    [299, false],
  ]);
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
      loads: [],
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
    expect(Math.abs(advice.loads[0].bestMs[0] / (2 + overheadMs) - 1)).toBeLessThan(0.15);
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

test('progress counts every run, and ends with nothing left', async () => {
  /** @type {import('../../src/runs/simulation-runs.js').RunProgress[]} */
  const seen = [];
  await adviseOn(['/fast p99 < 50ms'], { headroom: 1, onProgress: (progress) => void seen.push(progress) });
  expect(seen.map(({ done }) => done)).toEqual(seen.map((_, index) => index + 1));
  expect(seen[0].step).toBe('load x1, no limit');
  expect(seen.every(({ done, total }) => total >= done)).toBe(true);
  expect(seen[0].total).toBeGreaterThan(seen.length / 2);
});

describe('a load that is not random', () => {
  test('needs one run', async () => {
    const advice = await advise({
      load: article,
      services: services(5000),
      slos: [parseSlo('/fast max < 100ms')],
      headroom: 1,
    });
    expect(advice).toMatchObject({ verdict: 'size', poolSize: 5, seeds: 1, noBenefitAfter: 5 });
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
    expect(advice.remedies).toMatchObject([{ kind: 'timeout', connections: 1 }]);
  });

  // 40 clients with 2 connections and 2 monitors each; a second client has monitors of its own.
  test.each([
    [3000, ['split', 'limited', 'timeout']],
    [239, ['limited', 'timeout']],
    [159, ['timeout']],
    [119, []],
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

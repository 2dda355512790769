import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from '@jest/globals';
import { upperLimit } from '../src/advise/confidence.js';
import { createScenarioLoad } from '../src/load/scenario-load.js';
import { checkTrace } from '../src/predict/check-trace.js';
import { predict } from '../src/predict/predict.js';
import { createRuns, simulateHere } from '../src/runs/simulation-runs.js';
import { quantile } from '../src/base/sample-statistics.js';
import { readWorkload } from '../src/scenario/read-workload.js';
import { createRandom } from '../src/simulator/random.js';
import { recordMixed, responseMs, toTrace } from './trace/traces.js';
import { createTraceLoad } from '../src/load/trace-load.js';
import { findFollowUps } from '../src/trace/follow-ups.js';
import { compareRounded, KINDS } from './trace/rounded-loads.js';
import { checkSockets, SOCKET_LOADS } from './trace/socket-loads.js';
import { shareServer } from '../src/server/share-server.js';
import { simulate } from '../src/simulator/simulate.js';
import { record, WAITS } from './server/recordings.js';
import { adviseOnServer, OVERHEAD, SATURATED, SERVICES } from './advise/saturated-server.js';
import { scenarioOf } from './load/sample-scenarios.js';
import { findBand } from '../src/runs/prediction-interval.js';
import { UNLIMITED } from '../src/simulator/create-pool.js';
import { createServiceTime } from '../src/simulator/service-time.js';

/** @import { Service } from '../src/simulator/service-time.js' */
/** @import { SimulatedRequest } from '../src/simulator/tally.js' */
/** @import { Trace } from '../src/trace/trace.js' */

test('the check of a steady load by another recording passes in nine of ten checks or more', async () => {
  let held = 0;
  for (let seed = 1; seed <= 20; seed++) {
    const [trace, other] = [0, 100].map((more) => recordMixed({ seed: seed + more, count: 500 }));
    const options = { pool: { maxPoolSize: 3 }, followUps: findFollowUps(trace), widening: 0 };
    if ((await checkTrace(trace, { other, ...options })).status === 'holds') held++;
  }
  // The binomial of 20 and 0.9 is below 15 in 1 of 90 cases.
  expect(held).toBeGreaterThanOrEqual(15);
});

test('the band of a small sample is wide: it contains the next percentile about as often as it should', async () => {
  const load = createScenarioLoad(
    readWorkload(`
config:
  phases: [{ duration: 50, arrivalCount: 100 }]
scenarios: [{ flow: [{ get: { url: /fast } }] }]
`),
  );
  let within = 0;
  for (let trial = 0; trial < 60; trial++) {
    const random = createRandom(trial, 'measured');
    const measure = (/** @type {number} */ length) => Array.from({ length }, () => 2 * Math.exp(0.5 * random.normal()));
    const {
      variants: [
        {
          predicted: { low, high },
        },
      ],
    } = await predict({
      load,
      poolSizes: [10],
      services: { '/fast': { kind: 'sample', valuesMs: measure(50) } },
      seeds: 59,
    });
    const p95Ms = quantile(measure(100), 0.95);
    if (p95Ms >= Number(low?.routes['/fast'].p95Ms) && p95Ms <= Number(high?.routes['/fast'].p95Ms)) within++;
  }
  // 54 of 60 on average; the binomial has 95 of 100 between 49 and 58.
  expect(within).toBeGreaterThan(48);
});

test('the mean wait is that of all runs: waits are skewed, and the median of their means is far lower', async () => {
  // M/M/1 at a utilisation of 0.8 has a mean wait of 400 ms.
  const load = createScenarioLoad({
    phases: [{ durationMs: 60_000, arrivalRate: 8, mode: 'poisson' }],
    scenarios: [scenarioOf('/fast')],
  });
  /** @type {Record<string, Service>} */
  const services = { '/fast': { kind: 'exponential', meanMs: 100 } };
  const [{ predicted }] = (await predict({ load, services, poolSizes: [1], seeds: 399 })).variants;
  const { meanWaitMs, routes, low, high } = predicted;
  expect(meanWaitMs).toBeGreaterThan(300);
  expect(Math.abs(routes['/fast'].meanMs - meanWaitMs - 100)).toBeLessThan(2);
  expect(meanWaitMs).toBeGreaterThan(Number(low?.meanWaitMs));
  expect(meanWaitMs).toBeLessThan(Number(high?.meanWaitMs));
  const runs = await createRuns({ simulateRuns: simulateHere({ load, services }), seeds: 399 }).simulateAll({
    maxPoolSize: 1,
  });
  const means = runs.map((run) => run.routes['/fast'].wait.meanMs);
  expect(meanWaitMs).toBeGreaterThan(1.05 * quantile(means, 0.5));
});

test('the limit that 95 of 100 runs keep holds with the stated confidence', () => {
  const random = createRandom(7);
  let held = 0;
  for (let trial = 0; trial < 2000; trial++) {
    if (upperLimit(Array.from({ length: 100 }, random.uniform)) >= 0.95) held++;
  }
  // P(the second of 100 exceeds the 95th percentile) = 0.963; three standard errors of 2000 trials are 0.013.
  expect(Math.abs(held / 2000 - 0.963)).toBeLessThan(0.013);
});

test('a 90 % prediction interval has nine of ten further values in it, whatever their distribution', () => {
  const random = createRandom(7);
  for (const draw of [random.uniform, random.exponential, () => Math.exp(2 * random.normal())]) {
    let inside = 0;
    for (let trial = 0; trial < 4000; trial++) {
      const [low, high] = findBand(Array.from({ length: 19 }, draw));
      const value = draw();
      if (value >= low && value <= high) inside++;
    }
    // Three standard errors of 0.9 in 4000 trials are 0.014.
    expect(Math.abs(inside / 4000 - 0.9)).toBeLessThan(0.015);
  }
});

test('where a load fills the server, the advice is a range whose upper end is right', async () => {
  const { verdict, poolSize, saturation } = await adviseOnServer(['/report p95 < 900ms']);
  expect(verdict).toBe('size');
  expect(saturation?.usedShare).toBeGreaterThan(0.7);
  expect(saturation?.usedShare).toBeLessThan(0.95);
  const slowdown = /** @type {NonNullable<NonNullable<typeof saturation>['slowdown']>} */ (saturation?.slowdown);
  expect(slowdown.poolSize).toBeGreaterThanOrEqual(Number(poolSize));
  // Other runs say the same.
  const {
    variants: [upper, twice],
  } = await predict({
    load: createScenarioLoad(SATURATED, { server: { cores: 2 } }),
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

describe('the simulator', () => {
  // 95 % confidence limits from the means of ten independent runs: Student's t for them is 2.262.
  test.each([
    { servers: 1, meanMs: 7 },
    { servers: 4, meanMs: 32 },
    { servers: 10, meanMs: 80 },
  ])("$servers connections: mean wait and share of waiters are Erlang's", ({ servers, meanMs }) => {
    const runs = Array.from({ length: 10 }, (_, seed) =>
      simulate({
        workload: {
          phases: [{ durationMs: 200_000, arrivalRate: 100, mode: 'poisson' }],
          scenarios: [scenarioOf('/x')],
        },
        pool: { maxPoolSize: servers },
        services: { '/x': { kind: 'exponential', meanMs } },
        seed,
        keepRequests: true,
      }),
    );
    const offered = meanMs / 10;
    const waiters = erlangC(servers, offered);
    expectWithinLimits(
      runs.map((run) => run.routes['/x'].wait.meanMs),
      (waiters * meanMs) / (servers - offered),
    );
    expectWithinLimits(runs.map(shareOfWaiters), waiters);
  });

  /** @param {{ records?: SimulatedRequest[] }} run */
  function shareOfWaiters({ records = [] }) {
    return records.filter(({ waitMs }) => waitMs > 0).length / records.length;
  }

  /** @param {number[]} means @param {number} truth */
  function expectWithinLimits(means, truth) {
    const mean = means.reduce((sum, value) => sum + value) / means.length;
    const variance = means.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (means.length - 1);
    expect(Math.abs(mean - truth)).toBeLessThan(2.262 * Math.sqrt(variance / means.length));
  }

  test('processor sharing takes S / (1 - rho) on average, whatever the times vary like', () => {
    // L. Kleinrock, Queueing Systems II (1976), 4.4.
    const random = createRandom(3);
    let atMs = 0;
    const arrivals = Array.from({ length: 40_000 }, () => {
      atMs += 10 * random.exponential();
      return { atMs, route: '/x' };
    });
    for (const service of /** @type {Service[]} */ ([
      { kind: 'fixed', ms: 6, workShare: 1 },
      { kind: 'exponential', meanMs: 6, workShare: 1 },
    ])) {
      const { routes } = simulate({
        arrivals,
        pool: UNLIMITED,
        services: { '/x': service },
        server: { cores: 1, sliceMs: 0.2 },
      });
      expect(routes['/x'].meanMs / (6 / (1 - 0.6))).toBeGreaterThan(0.94);
      expect(routes['/x'].meanMs / (6 / (1 - 0.6))).toBeLessThan(1.06);
    }
  });

  test('memory does not grow with finished requests', () => {
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc');
    const sizes = [20_000, 400_000].map((count) => {
      let heapBytes = 0;
      function* arrivals() {
        for (let i = 0; i < count; i++) yield { atMs: i, route: '/a' };
        collectGarbage();
        heapBytes = process.memoryUsage().heapUsed + process.memoryUsage().arrayBuffers;
      }
      simulate({ arrivals: arrivals(), pool: { maxPoolSize: 20 }, services: { '/a': { kind: 'fixed', ms: 10 } } });
      return heapBytes;
    });
    // Twenty bytes for each further request would already be 7.6 MB.
    expect(sizes[1] - sizes[0]).toBeLessThan(4e6);
  });
});

/**
 * Erlang C: the share of arrivals that must wait in M/M/k, from the recursion of Erlang B.
 * https://en.wikipedia.org/wiki/Erlang_(unit)#Erlang_C_formula
 *
 * @param {number} servers
 * @param {number} offered the arrival rate times the mean service time, below `servers`
 */
function erlangC(servers, offered) {
  let blocked = 1;
  for (let n = 1; n <= servers; n++) blocked = (offered * blocked) / (n + offered * blocked);
  return blocked / (1 - (offered / servers) * (1 - blocked));
}

describe('random numbers', () => {
  const draw = (/** @type {number} */ seed) => {
    const { uniform } = createRandom(seed);
    return Array.from({ length: 1000 }, uniform);
  };

  test('are uniform in [0, 1), and streams of nearby seeds are not correlated', () => {
    const values = Array.from({ length: 100 }, (_, seed) => draw(seed)).flat();
    expect(Math.min(...values)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...values)).toBeLessThan(1);
    // Ten classes: chi-squared with 9 degrees of freedom is below 27.9 in 999 of 1000 cases.
    const classes = new Array(10).fill(0);
    for (const value of values) classes[Math.floor(value * 10)]++;
    expect(classes.reduce((sum, count) => sum + (count - 10_000) ** 2 / 10_000, 0)).toBeLessThan(27.9);
    // The correlation of 1000 independent pairs is within four standard deviations of 0.
    const second = draw(2);
    const covariance = draw(1).reduce((sum, value, i) => sum + (value - 0.5) * (second[i] - 0.5), 0) / 1000;
    expect(Math.abs(covariance * 12)).toBeLessThan(4 / Math.sqrt(1000));
  });

  test.each(
    /** @type {[Service, { meanMs: number, scv: number, medianMs: number }][]} */ ([
      [
        { kind: 'exponential', meanMs: 3 },
        { meanMs: 3, scv: 1, medianMs: 3 * Math.LN2 },
      ],
      [
        { kind: 'lognormal', medianMs: 2, sigma: 0.5 },
        { meanMs: 2 * Math.exp(0.125), scv: Math.exp(0.25) - 1, medianMs: 2 },
      ],
    ]),
  )('%j give times of the right mean, variance and median', (service, { meanMs, scv, medianMs }) => {
    const draw = createServiceTime(service, createRandom(3), '/x');
    const values = Array.from({ length: 200_000 }, draw).sort((a, b) => a - b);
    const mean = values.reduce((sum, ms) => sum + ms, 0) / values.length;
    const variance = values.reduce((sum, ms) => sum + (ms - mean) ** 2, 0) / values.length;
    expect(Math.abs(mean / meanMs - 1)).toBeLessThan(0.01);
    expect(Math.abs(variance / mean ** 2 - scv)).toBeLessThan(0.03);
    expect(Math.abs(values[100_000] / medianMs - 1)).toBeLessThan(0.01);
  });
});

describe('users of a trace', () => {
  describe('sockets', () => {
    test.each(SOCKET_LOADS)('$name', (load) => checkSockets(load));
  });

  describe('rounded times', () => {
    const SEEDS = Array.from({ length: 4 }, (_, index) => index + 1);
    /**
     * Callers who come back a little later meet others, so a p95 of 2000 requests differs by up to 3 % for this reason
     * alone.
     */
    const REQUESTS = 5000;
    /** Shorter waits than this many steps of the clock are mostly rounding. */
    const MIN_WAIT_STEPS = 10;

    test.each(Object.keys(KINDS).flatMap((kind) => [0.01, 0.1, 1].map((stepMs) => [kind, stepMs])))(
      'random loads of %s, rounded to %s ms: mean wait and p95 within 5 %',
      async (kind, stepMs) => {
        const compared = [];
        for (const seed of SEEDS)
          compared.push(await compareRounded(String(kind), { seed, count: REQUESTS, stepMs: Number(stepMs) }));
        const clear = compared.filter(({ meanWaitMs }) => meanWaitMs >= MIN_WAIT_STEPS * Number(stepMs));
        expect(clear.length).toBeGreaterThan(SEEDS.length / 2);
        for (const { waitRatio, p95Ratios } of clear)
          for (const ratio of [waitRatio, ...p95Ratios]) expect(Math.abs(ratio - 1)).toBeLessThan(0.05);
      },
    );
  });
});

describe('a shared server', () => {
  /** @param {Trace} trace @param {number} maxPoolSize */
  function replay(trace, maxPoolSize) {
    const load = createTraceLoad(trace);
    return simulate({
      arrivals: load.arrivals(1, 1),
      services: load.services,
      pool: { maxPoolSize },
      server: load.server,
    });
  }

  describe('how the queries of a trace share the server', () => {
    test.each([8, 16])('an open load at pool %d shows the cores, and what other sizes do', (size) => {
      const trace = shareServer([toTrace(record('open', size), size)], { pool: { maxPoolSize: size } });
      expect(trace.sharing).toMatchObject({ source: 'fitted', workShares: { '/heavy': 1, '/cheap': 1 } });
      expect(trace.sharing?.cores).toBeGreaterThan(1.6);
      expect(trace.sharing?.cores).toBeLessThan(2.5);
      for (const other of [2, 4, 32]) {
        const measured = record('open', other);
        const { routes } = replay(trace, other);
        for (const share of [0.5, 0.95]) {
          const ms = responseMs(measured, '/heavy', share);
          expect(Math.abs((share === 0.5 ? routes['/heavy'].p50Ms : routes['/heavy'].p95Ms) / ms - 1)).toBeLessThan(
            0.15,
          );
        }
      }
    });

    test('callers who keep all connections busy: if the server reports its cores, sizes can be predicted', () => {
      const recorded = toTrace(record('closed', 4), 4);
      expect(shareServer([recorded]).sharing).toBeUndefined();
      const told = { ...recorded, server: { cores: 2, busyCores: 1.98 } };
      const trace = shareServer([told], { pool: { maxPoolSize: 4 } });
      expect(trace.sharing).toMatchObject({ source: 'recorded', seen: 4 });
      for (const other of [1, 16, 48]) {
        const measured = record('closed', other);
        const { routes } = replay(trace, other);
        for (const route of ['/heavy', '/cheap']) {
          const ms = responseMs(measured, route, 0.5);
          expect(Math.abs(routes[route].p50Ms - ms)).toBeLessThan(Math.max(0.15 * ms, 2));
        }
      }
    });

    test('two traces of other sizes show the cores at once', () => {
      const [four, one] = [4, 1].map((size) => toTrace(record('closed', size), size));
      const { sharing } = shareServer([four, one], { pool: { maxPoolSize: 4 } });
      expect(sharing?.cores).toBeGreaterThan(1.6);
      expect(sharing?.cores).toBeLessThan(2.5);
      const [low, high] = sharing?.range ?? [];
      expect(low).toBeLessThan(2);
      expect(high).toBeGreaterThan(2);
    });

    test('the cores that the user says are taken', () => {
      const { sharing } = shareServer([toTrace(record('closed', 4), 4)], { cores: 3, pool: { maxPoolSize: 4 } });
      expect(sharing).toMatchObject({ source: 'given', cores: 3, range: null });
    });

    test.each(/** @type {const} */ (['open', 'closed']))(
      'a replay at the recorded size has the recorded uses, %s',
      (kind) => {
        const recorded = { ...toTrace(record(kind, 8), 8), server: { cores: 2, busyCores: 1.7 } };
        const { routes } = replay(shareServer([recorded], { pool: { maxPoolSize: 8 } }), 8);
        for (const [route, name] of recorded.routes.entries()) {
          const uses = Array.from(recorded.useMs).filter((_, index) => recorded.routeOf[index] === route);
          const mean = uses.reduce((sum, ms) => sum + ms, 0) / uses.length;
          expect((routes[name].meanMs - routes[name].wait.meanMs) / mean).toBeCloseTo(1, 1);
        }
      },
    );

    test.each(/** @type {const} */ (['open', 'closed']))(
      'queries that do not slow each other down are left alone, %s',
      (kind) => {
        for (let seed = 1; seed <= (kind === 'open' ? 10 : 1); seed++) {
          for (const size of [2, 8, 32]) {
            const trace = toTrace(
              record(kind, size, { services: WAITS, seed, untilMs: kind === 'open' ? 4000 : 1000 }),
              size,
            );
            expect(shareServer([trace])).toBe(trace);
            // The server is idle, however many connections are in use.
            const idle = { ...trace, server: { cores: 2, busyCores: 0.2 } };
            expect(shareServer([idle])).toBe(idle);
          }
        }
      },
    );
  });
});

import { describe, expect, test } from '@jest/globals';
import { simulate } from '../../src/simulator/simulate.js';

/** @import { FlowStep } from '../../src/simulator/flow.js' */
/** @import { SimulationOptions } from '../../src/simulator/simulate.js' */
/** @import { Service } from '../../src/simulator/service-time.js' */

/** @type {Record<string, Service>} */
const services = { '/a': { kind: 'fixed', ms: 10 }, '/b': { kind: 'fixed', ms: 20 } };
/** @type {FlowStep} */
const a = { kind: 'request', route: '/a' };
/** @type {FlowStep} */
const b = { kind: 'request', route: '/b' };

/** The requests of one user, alone. @param {FlowStep[]} steps @param {object} [options] */
function follow(steps, options) {
  const run = simulate({
    workload: { phases: [], scenarios: [{ steps }] },
    arrivals: [{ atMs: 0 }],
    pool: { maxPoolSize: 1 },
    services,
    keepRequests: true,
    ...options,
  });
  const records = run.records ?? [];
  return records.map(({ route, arrivedAtMs, finishedAtMs }) => `${route} ${arrivedAtMs}-${finishedAtMs}`);
}

describe('a user', () => {
  test('sends a request when the last is answered, and pauses in between', () => {
    expect(follow([a, { kind: 'think', ms: 100 }, b])).toEqual(['/a 0-10', '/b 110-130']);
  });

  test('follows loops, also nested ones', () => {
    const routes = follow([{ kind: 'loop', count: 2, steps: [a, { kind: 'loop', count: 3, steps: [b] }] }, a])
      .map((request) => request.split(' ')[0])
      .join('');
    expect(routes).toBe('/a/b/b/b/a/b/b/b/a');
  });

  test('skips a loop with count 0', () => {
    expect(follow([{ kind: 'loop', count: 0, steps: [a] }, b])).toEqual(['/b 0-20']);
  });

  test('gets its answer after an overhead drawn for each request', () => {
    const { records = [] } = simulate({
      arrivals: Array.from({ length: 50 }, (_, index) => ({ atMs: index * 100, route: '/x', serviceMs: 10 })),
      pool: { maxPoolSize: 1 },
      overhead: { kind: 'sample', valuesMs: [3, 7] },
      keepRequests: true,
    });
    const took = records.map(({ arrivedAtMs, finishedAtMs }) => Math.round(finishedAtMs - arrivedAtMs));
    expect([...new Set(took)].toSorted((a, b) => a - b)).toEqual([13, 17]);
  });

  test("is measured in ticks of the client's clock, which are right on average", () => {
    const { routes } = simulate({
      arrivals: Array.from({ length: 4000 }, (_, index) => ({ atMs: index * 100, route: '/fast', serviceMs: 4.25 })),
      pool: { maxPoolSize: 1 },
      resolutionMs: 1,
    });
    const { p50Ms, p95Ms, maxMs, meanMs } = routes['/fast'];
    expect([p50Ms, p95Ms, maxMs].map(Math.round)).toEqual([4, 5, 5]);
    // The standard error of the mean is 0.007 ms.
    expect(Math.abs(meanMs - 4.25)).toBeLessThan(0.03);
  });

  test('takes its turn-around from an answer to its next request, unless an overhead includes it', () => {
    const steps = [a, b, { kind: 'think', ms: 100 }, a];
    const workload = { phases: [], scenarios: [{ steps }], turnaroundMs: 4 };
    expect(follow([], { workload })).toEqual(['/a 0-10', '/b 14-34', '/a 138-148']);
    const overhead = { kind: 'fixed', ms: 7 };
    expect(follow([], { workload, overhead })).toEqual(['/a 0-17', '/b 17-44', '/a 144-161']);
  });

  test('gets its answer after the overhead; the connection is checked in before', () => {
    const { records = [] } = simulate({
      arrivals: [0, 1].map((atMs) => ({ atMs, route: '/a' })),
      pool: { maxPoolSize: 1 },
      services,
      overhead: { kind: 'fixed', ms: 5 },
      keepRequests: true,
    });
    expect(records).toMatchObject([
      { startedAtMs: 0, finishedAtMs: 15 },
      { startedAtMs: 10, finishedAtMs: 25 },
    ]);
  });

  test('pauses within the jitter', () => {
    const rests = Array.from({ length: 50 }, (_, seed) => {
      const [, second] = follow([a, { kind: 'think', ms: 100, jitterMs: 20 }, b], { seed });
      return parseFloat(second.split(' ')[1]) - 10;
    });
    expect(Math.min(...rests)).toBeGreaterThanOrEqual(80);
    expect(Math.max(...rests)).toBeLessThanOrEqual(120);
    expect(new Set(rests).size).toBeGreaterThan(40);
  });

  test('that times out leaves, and its query is aborted', () => {
    const run = simulate({
      workload: { phases: [], scenarios: [{ steps: [b, a] }], timeoutMs: 25 },
      arrivals: [{ atMs: 0 }, { atMs: 0 }, { atMs: 30 }],
      pool: { maxPoolSize: 1 },
      services,
      keepRequests: true,
    });
    const { records = [] } = run;
    const ends = records.map((it) => `${it.user}${it.route} ${it.outcome} ${it.finishedAtMs}`);
    expect(ends).toEqual(['0/b ok 20', '1/b clientTimeout 25', '0/a ok 35', '2/b ok 55', '2/a ok 65']);
    expect(run.meanActive * run.durationMs).toBe(65);
  });

  test('that leaves takes no place in the queue, and no connection', () => {
    const run = simulate({
      workload: { phases: [], scenarios: [], timeoutMs: 25 },
      arrivals: [
        { atMs: 0, route: '/x', serviceMs: 24 },
        { atMs: 0, route: '/x', serviceMs: 24 },
        { atMs: 1, route: '/x', serviceMs: 5 },
        { atMs: 2, route: '/x', serviceMs: 5 },
      ],
      pool: { maxPoolSize: 1, connectMs: 3 },
      keepRequests: true,
    });
    const { records = [] } = run;
    // The second one leaves at 25, the third and fourth at 26 and 27: the new connection is ready at 28, too late for
    // all.
    const ends = records.map(({ user, outcome, finishedAtMs }) => `${user} ${outcome} ${finishedAtMs}`);
    expect(ends).toEqual(['0 ok 24', '1 clientTimeout 25', '2 clientTimeout 26', '3 clientTimeout 27']);
    expect(run).toMatchObject({ connections: 1, peakWaiting: 3 });
    expect(run.meanActive * run.durationMs).toBeCloseTo(25, 9);
  });

  test('that leaves the pool of 2020 does not abort its query', () => {
    const run = simulate({
      workload: { phases: [], scenarios: [], timeoutMs: 25 },
      arrivals: [
        { atMs: 0, route: '/x', serviceMs: 40 },
        { atMs: 20, route: '/x', serviceMs: 4 },
      ],
      pool: { kind: 'pipelining', maxPoolSize: 1 },
      keepRequests: true,
    });
    const { records = [] } = run;
    const ends = records.map(({ user, outcome, finishedAtMs }) => `${user} ${outcome} ${finishedAtMs}`);
    expect(ends).toEqual(['0 clientTimeout 25', '1 ok 44']);
  });

  test('times out on a slow query, even without a wait', () => {
    const workload = { phases: [], scenarios: [{ steps: [b, a] }], timeoutMs: 15 };
    expect(follow([], { workload })).toEqual(['/b 0-15']);
  });

  test('that reuses the object of one that left in a loop starts a new loop', () => {
    const { records = [] } = simulate({
      workload: {
        phases: [],
        scenarios: [{ steps: [{ kind: 'loop', count: 3, steps: [a] }] }, { steps: [b] }],
        timeoutMs: 25,
      },
      arrivals: [
        { atMs: 0, scenario: 0 },
        { atMs: 5, scenario: 1 },
        { atMs: 100, scenario: 0 },
      ],
      pool: { maxPoolSize: 1 },
      services,
      keepRequests: true,
    });
    const ends = records.map(({ user, outcome }) => `${user} ${outcome}`);
    expect(ends).toEqual(['0 ok', '1 ok', '0 clientTimeout', '2 ok', '2 ok', '2 ok']);
  });
});

describe('a run', () => {
  /** @param {number} seed @param {object} [options] */
  const run = (seed, options) =>
    simulate({
      workload: {
        phases: [{ durationMs: 10_000, arrivalRate: 20, mode: 'poisson' }],
        scenarios: [
          { weight: 3, steps: [a, b] },
          { weight: 1, steps: [{ kind: 'request', route: '/c' }] },
        ],
      },
      pool: { maxPoolSize: 2 },
      services: { ...services, '/c': { kind: 'lognormal', medianMs: 100, sigma: 1 } },
      seed,
      ...options,
    });

  test('depends on its seed', () => {
    expect(run(1, { keepRequests: true })).toEqual(run(1, { keepRequests: true }));
    expect(run(1)).not.toEqual(run(2));
  });

  test('has the same users at every pool size', () => {
    const loads = [1, 2, 20].map((maxPoolSize) => {
      const { users, routes } = run(7, { pool: { maxPoolSize } });
      return [users, routes['/a'].count, routes['/c'].count];
    });
    expect(loads[1]).toEqual(loads[0]);
    expect(loads[2]).toEqual(loads[0]);
  });

  test('picks scenarios by weight', () => {
    const { routes, users } = run(3, {
      workload: {
        phases: [{ durationMs: 100_000, arrivalRate: 100 }],
        scenarios: [
          { weight: 3, steps: [a] },
          { steps: [b] },
          { weight: 0, steps: [{ kind: 'request', route: '/c' }] },
        ],
      },
    });
    expect(users).toBe(10_000);
    expect(routes['/c'].count).toBe(0);
    // Four standard deviations of a share of 3 in 4.
    expect(Math.abs(routes['/a'].count / users - 0.75)).toBeLessThan(4 * Math.sqrt((0.75 * 0.25) / users));
  });

  test('skips arrivals above maxVusers', () => {
    const { users, skipped, peakActive } = run(1, {
      workload: {
        phases: [{ durationMs: 1000, arrivalCount: 100, maxVusers: 1 }],
        scenarios: [{ steps: [b] }],
      },
    });
    // One every 10 ms, each for 20 ms, until the one after next arrives.
    expect({ users, skipped, peakActive }).toEqual({ users: 50, skipped: 50, peakActive: 1 });
  });

  test('adds up', () => {
    const { requests, failures, maxMs, routes, durationMs, ratePerSec, utilisation, meanActive } = run(5);
    const each = Object.values(routes);
    expect(requests).toBe(each.reduce((sum, { count }) => sum + count, 0));
    expect(failures).toBe(0);
    expect(maxMs).toBe(Math.max(...each.map((route) => route.maxMs)));
    expect(ratePerSec).toBeCloseTo((requests / durationMs) * 1000, 9);
    expect(utilisation).toBeCloseTo(meanActive / 2, 9);
  });

  test('without users is empty', () => {
    const { requests, maxMs, routes } = run(1, { arrivals: [] });
    expect(requests).toBe(0);
    expect(maxMs).toBeNaN();
    expect(routes['/a'].p95Ms).toBeNaN();
  });
});

describe('bad input is refused', () => {
  const scenarios = [{ name: 'one', steps: [a, { kind: 'request', route: '/x' }, b] }];
  const workload = { phases: [], scenarios };
  const pool = { maxPoolSize: 1 };
  const some = services['/a'];

  test.each([
    [{ workload, pool, services }, 'There is no service time for /x'],
    [{ arrivals: [{ atMs: 0, route: '/y' }], pool }, 'There is no service time for /y'],
    [
      {
        arrivals: [
          { atMs: 5, route: '/a' },
          { atMs: 4, route: '/a' },
        ],
        pool,
        services,
      },
      'Arrivals must be in order of time, from 0 ms on: 4 came after 5',
    ],
    [
      { arrivals: [{ atMs: NaN, route: '/a' }], pool, services },
      'Arrivals must be in order of time, from 0 ms on: NaN came after 0',
    ],
    [
      { workload, arrivals: [{ atMs: 0, scenario: 'two' }], pool, services: { ...services, '/x': some } },
      'Unknown scenario "two": the workload has one',
    ],
    [{ arrivals: [{ atMs: 0 }], pool }, 'No scenario to pick: there must be one with a weight above 0'],
    [
      { workload, pool, services: { ...services, '/x': { kind: 'fixed', ms: -1 } } },
      'The service time of /x must have a mean of at least 0 ms, not -1',
    ],
    [
      { workload, pool, services: { ...services, '/x': { kind: 'sample', valuesMs: [] } } },
      'The service time of /x must have a mean of at least 0 ms, not NaN',
    ],
    [
      { workload, pool, services: { ...services, '/x': { kind: 'gamma' } } },
      'Unknown kind of service time "gamma": allowed are fixed, exponential, lognormal, sample, requests and none',
    ],
  ])('%#: %j', (/** @type {any} */ options, message) => {
    expect(() => simulate(options)).toThrow(new Error(message));
  });
});

const PAUSES = { route: '/a', serviceMs: 10, thinkMs: 5 };

/** @param {Partial<SimulationOptions>} options */
function startsOf(options) {
  return simulate({ pool: { maxPoolSize: 1 }, keepRequests: true, ...options }).records?.map(
    ({ arrivedAtMs }) => arrivedAtMs,
  );
}

test('a caller sends its requests one after another, each some time after the query before it', () => {
  expect(startsOf({ arrivals: [{ atMs: 3, requests: [PAUSES, PAUSES, { ...PAUSES, thinkMs: 0 }] }] })).toEqual([
    3, 18, 28,
  ]);
});

test('it begins again until a given time', () => {
  expect(startsOf({ arrivals: [{ atMs: 0, requests: [PAUSES], untilMs: 45 }] })).toEqual([0, 15, 30, 45]);
});

test('it pauses after a refusal, too', () => {
  const limited = { kind: /** @type {const} */ ('limited'), maxPoolSize: 2, slowRoutes: ['/a'], slowSize: 1 };
  const arrivals = [
    { atMs: 0, route: '/a', serviceMs: 12 },
    { atMs: 1, requests: [PAUSES], untilMs: 14 },
  ];
  // In the order in which they ended: refused at 1, 6 and 11 ms, while the first query runs until 12 ms.
  expect(startsOf({ arrivals, pool: limited })).toEqual([1, 6, 11, 0]);
});

/** Two queries, the second one 5 ms after the first. */
const TWO = {
  servicesMs: [10, 10],
  handoversMs: null,
  startsAfter: [0, 1],
  gapsMs: [0, 5],
  endsAfter: 2,
  restMs: 0,
  leadMs: 0,
  isMeasured: false,
};

test("it can't go on before its answer, which comes after all queries of the request", () => {
  const overhead = /** @type {const} */ ({ kind: 'fixed', ms: 8 });
  const requests = [{ ...PAUSES, known: TWO }, PAUSES];
  expect(startsOf({ overhead, arrivals: [{ atMs: 0, requests }] })).toEqual([0, 33]);
  // A measured response has no more overhead than it had.
  const measured = requests.map((request) => ({ ...request, known: { ...TWO, restMs: 4, isMeasured: true } }));
  expect(startsOf({ overhead, arrivals: [{ atMs: 0, requests: measured }] })).toEqual([0, 34]);
});

describe('a known request', () => {
  /** @param {object} known @param {number} maxPoolSize @param {number[]} [arrivals] */
  const run = (known, maxPoolSize, arrivals = [0]) =>
    simulate({
      arrivals: arrivals.map((atMs) => ({ atMs, route: '/a', known: { ...TWO, isMeasured: true, ...known } })),
      services: { '/a': { kind: 'fixed', ms: 1 } },
      pool: { maxPoolSize },
      keepRequests: true,
    });
  // Two at once, and one 2 ms after both.
  const forked = { servicesMs: [20, 30, 10], startsAfter: [0, 0, 2], gapsMs: [0, 1, 2], endsAfter: 3, restMs: 4 };

  test('forks and joins, with the gaps between its queries', () => {
    const { records = [], checkouts, routes } = run({ ...forked, leadMs: 3 }, 2);
    expect(records).toMatchObject([{ arrivedAtMs: 0, finishedAtMs: 31 + 2 + 10 + 4, responseMs: 3 + 47 }]);
    expect(checkouts).toBe(3);
    expect(routes['/a']).toMatchObject({ count: 1, meanUseMs: 20 });
  });

  test('takes its turns where the pool has no room for a fork', () => {
    // The second one starts after the first one; the last one waits for both.
    expect(run(forked, 1).records).toMatchObject([{ finishedAtMs: 20 + 30 + 2 + 10 + 4 }]);
  });

  test('shares the pool with others', () => {
    // One connection: 20 of each, 30 of each until 100 ms, then what joins them. The first one's has waited since 72
    // ms.
    expect(run(forked, 1, [0, 0]).records).toMatchObject([{ finishedAtMs: 114 }, { finishedAtMs: 124 }]);
  });

  test('does not wait for a query that it did not wait for, which keeps its connection', () => {
    const { records = [], checkouts } = run({ endsAfter: 1, startsAfter: [0, 0], gapsMs: [0, 5] }, 1, [0, 16]);
    // The first is answered after 10 ms, the second one waits for the rest of it: 20 ms.
    expect(records).toMatchObject([{ finishedAtMs: 10 }, { finishedAtMs: 30 }]);
    expect(checkouts).toBe(4);
  });

  test('may wait for none of its queries', () => {
    const { records = [], checkouts } = run({ endsAfter: 0, restMs: 3 }, 1, [0, 100]);
    expect(records.map(({ arrivedAtMs, finishedAtMs }) => finishedAtMs - arrivedAtMs)).toEqual([3, 3]);
    expect(checkouts).toBe(2);
  });

  test('starts no more queries after a failure', () => {
    const { checkouts, failures, records } = simulate({
      arrivals: [
        { atMs: 0, route: '/b', serviceMs: 100 },
        { atMs: 1, route: '/a', known: { ...TWO, restMs: 2 } },
        { atMs: 150, route: '/a', known: TWO },
      ],
      services: { '/a': { kind: 'fixed', ms: 1 }, '/b': { kind: 'fixed', ms: 1 } },
      pool: { maxPoolSize: 1, waitQueueTimeoutMS: 20 },
      keepRequests: true,
    });
    expect({ checkouts, failures }).toEqual({ checkouts: 4, failures: 1 });
    expect(records?.map(({ finishedAtMs }) => finishedAtMs)).toEqual([23, 100, 175]);
  });
});

describe('a limit on the requests of a route at once', () => {
  const ONE = { ...TWO, servicesMs: [10], startsAfter: [0], gapsMs: [0], endsAfter: 1, restMs: 5, isMeasured: true };
  /**
   * One after another, the first of them with other times.
   * @param {object} [limit]
   * @param {object} [options]
   * @param {{ first?: object, others?: object, lastMs?: number }} [more]
   */
  const run = (limit, options, { first, others, lastMs = 3 } = {}) =>
    simulate({
      arrivals: [0, 1, 2, lastMs].map((atMs) => ({
        ...{ atMs, route: '/a', known: { ...ONE, ...(atMs === 0 ? first : others) } },
      })),
      services: { '/a': { kind: 'none', limit: { places: 1, untilAnswer: false, ...limit } } },
      pool: { maxPoolSize: 4 },
      keepRequests: true,
      ...options,
    });
  const endsOf = (/** @type {ReturnType<typeof run>} */ { records = [] }) =>
    records.map(({ finishedAtMs, outcome }) => `${outcome} ${finishedAtMs}`).join(', ');

  test.each([
    ['until its last query ends', {}, 'ok 15, ok 25, ok 35, ok 45'],
    ['until its answer', { untilAnswer: true }, 'ok 15, ok 30, ok 45, ok 60'],
    ['as one of two', { places: 2 }, 'ok 15, ok 16, ok 25, ok 26'],
  ])('each keeps its place %s, and the next gets it in turn', (_, limit, ends) => {
    const result = run(limit);
    expect(endsOf(result)).toBe(ends);
    // Nobody waited for a connection.
    expect(result).toMatchObject({ checkouts: 4, peakWaiting: 0, meanWaiting: 0, routes: { '/a': { count: 4 } } });
  });

  test('no place is needed without a query', () => {
    const first = { servicesMs: [], startsAfter: [], gapsMs: [], endsAfter: 0, restMs: 4 };
    expect(endsOf(run({}, {}, { first }))).toBe('ok 4, ok 16, ok 26, ok 36');
  });

  const first = { servicesMs: [100] };
  const pool = { maxPoolSize: 4, requestTimeoutMs: 20 };
  const workload = { phases: [], scenarios: [], timeoutMs: 12 };

  test.each([
    [
      'that the request deadline ends passes its place on',
      run({}, { pool }, { first, lastMs: 15 }),
      'requestTimeout 25, requestTimeout 26, requestTimeout 27, ok 37',
    ],
    [
      'that the request deadline ends leaves the queue',
      run({ untilAnswer: true }, { pool }, { first, lastMs: 16 }),
      'requestTimeout 25, requestTimeout 26, requestTimeout 27, ok 40',
    ],
    [
      'whose client gives up passes its place on',
      run({}, { workload }, { first, others: { servicesMs: [4], restMs: 0 }, lastMs: 10 }),
      'clientTimeout 12, clientTimeout 13, clientTimeout 14, ok 18',
    ],
    [
      'whose client gives up leaves the queue',
      run(
        { untilAnswer: true },
        { workload },
        { first: { restMs: 30 }, others: { servicesMs: [4], restMs: 0 }, lastMs: 35 },
      ),
      'clientTimeout 12, clientTimeout 13, clientTimeout 14, ok 44',
    ],
  ])('one %s', (_, result, ends) => {
    expect(endsOf(result)).toBe(ends);
  });

  test('a long queue that is refused is no deep recursion', () => {
    // The second query of the first request is refused, and then every one of those that wait for its place.
    const known = { ...ONE, servicesMs: [10, 10], startsAfter: [0, 1], gapsMs: [0, 5], endsAfter: 2 };
    const arrivals = [
      { atMs: 0, route: '/a', known },
      ...Array.from({ length: 30_000 }, () => ({ atMs: 1, route: '/a', known: ONE })),
      { atMs: 12, route: '/b', serviceMs: 1000 },
    ];
    const limited = { kind: /** @type {const} */ ('limited'), maxPoolSize: 2, slowRoutes: ['/a', '/b'], slowSize: 1 };
    expect(run({}, { arrivals, pool: limited, keepRequests: false })).toMatchObject({ failures: 30_001 });
  });
});

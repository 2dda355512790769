import { describe, expect, test } from '@jest/globals';
import { simulate } from '../../src/simulator/simulate.js';
import { scenarioOf } from '../load/sample-scenarios.js';
import { UNLIMITED } from '../../src/simulator/create-pool.js';

/** @import { PoolOptions } from '../../src/simulator/create-pool.js' */
/** @import { Service } from '../../src/simulator/service-time.js' */
/** @import { PipeliningPoolOptions } from '../../src/simulator/pipelining-pool.js' */

describe('a divided pool', () => {
  const arrivals = [
    { atMs: 0, route: '/slow', serviceMs: 100 },
    { atMs: 1, route: '/slow', serviceMs: 100 },
    { atMs: 2, route: '/fast', serviceMs: 5 },
    { atMs: 3, route: '/fast', serviceMs: 5 },
    { atMs: 150, route: '/slow', serviceMs: 100 },
  ];

  /** @param {PoolOptions} pool */
  function waitsIn(pool) {
    const { records = [], ...result } = simulate({ arrivals, pool, keepRequests: true });
    return { ...result, waits: records.toSorted((a, b) => a.user - b.user).map(({ waitMs }) => waitMs) };
  }

  /** @param {Parameters<typeof simulate>[0]} options ends: each request with its outcome, as they end */
  function runEnds(options) {
    const { records = [], ...result } = simulate({ arrivals, ...options, keepRequests: true });
    const ends = records.map(({ user, outcome, finishedAtMs }) => `${user} ${outcome} ${finishedAtMs}`);
    return { ...result, ends: ends.join(', ') };
  }

  /** @param {Parameters<typeof simulate>[0]} options */
  const endsOf = (options) => runEnds(options).ends;

  /** @type {Record<string, Service>} */
  const services = { '/slow': { kind: 'fixed', ms: 100 }, '/fast': { kind: 'fixed', ms: 5 } };
  const division = { slowRoutes: ['/slow'], slowSize: 1 };

  test('in one pool, fast requests wait for slow ones', () => {
    expect(waitsIn({ maxPoolSize: 2 }).waits).toEqual([0, 0, 98, 98, 0]);
  });

  test('split: slow requests wait for slow ones, fast requests for fast ones', () => {
    const { waits, peakActive, connections } = waitsIn({ kind: 'split', maxPoolSize: 2, ...division });
    expect(waits).toEqual([0, 99, 0, 4, 50]);
    expect({ peakActive, connections }).toEqual({ peakActive: 2, connections: 2 });
  });

  test('split: a wait-queue timeout ends the waits in both pools', () => {
    expect(endsOf({ pool: { kind: 'split', maxPoolSize: 2, ...division, waitQueueTimeoutMS: 3 } })).toBe(
      '1 waitQueueTimeout 4, 3 waitQueueTimeout 6, 2 ok 7, 0 ok 100, 4 ok 250',
    );
  });

  test('split: the slow pool may have a limit, too', () => {
    expect(endsOf({ pool: { kind: 'split', maxPoolSize: 2, ...division, slowLimit: 1 } })).toBe(
      '1 refused 1, 2 ok 7, 3 ok 12, 0 ok 100, 4 ok 250',
    );
  });

  test('split: a pool that opens its connections on demand fills up to its minimum', () => {
    const { connections } = simulate({
      arrivals: [{ atMs: 1000, route: '/fast', serviceMs: 1 }],
      pool: { kind: 'split', maxPoolSize: 4, ...division, minPoolSize: 2, warm: false },
    });
    expect(connections).toBe(2);
  });

  test('limited: a slow request over the limit is refused at once, and fast ones do not wait for slow ones', () => {
    expect(endsOf({ pool: { kind: 'limited', maxPoolSize: 2, ...division } })).toBe(
      '1 refused 1, 2 ok 7, 3 ok 12, 0 ok 100, 4 ok 250',
    );
  });

  test('limited: requests that wait for a connection count, so the limit may be larger than the pool', () => {
    expect(endsOf({ pool: { kind: 'limited', maxPoolSize: 1, slowRoutes: ['/slow'], slowSize: 2 } })).toBe(
      '0 ok 100, 1 ok 200, 2 ok 205, 3 ok 210, 4 ok 310',
    );
    expect(
      endsOf({ pool: { kind: 'limited', maxPoolSize: 1, slowRoutes: ['/slow'], slowSize: 2, waitQueueTimeoutMS: 50 } }),
    )
      // The second gives up at 51 and makes room, so the last is not refused.
      .toBe('1 waitQueueTimeout 51, 2 waitQueueTimeout 52, 3 waitQueueTimeout 53, 0 ok 100, 4 ok 250');
  });

  test('a refused user gets its answer after the overhead, and goes on', () => {
    const { failuresBy, routes, users } = simulate({
      workload: {
        phases: [{ durationMs: 2, arrivalCount: 2 }],
        scenarios: [scenarioOf('/slow', '/fast')],
      },
      services,
      overhead: { kind: 'fixed', ms: 3 },
      pool: { kind: 'limited', maxPoolSize: 2, ...division },
    });
    expect(failuresBy).toMatchObject({ refused: 1, waitQueueTimeout: 0, requestTimeout: 0, clientTimeout: 0 });
    expect({ users, fast: routes['/fast'].maxMs }).toEqual({ users: 2, fast: 8 });
  });

  describe('the request deadline', () => {
    /** @param {Partial<PoolOptions>} more */
    const endsWith = (more) =>
      endsOf({ pool: /** @type {PoolOptions} */ ({ maxPoolSize: 1, requestTimeoutMs: 60, ...more }) });

    test('ends waits and queries, and a query that it aborts frees its place', () => {
      expect(endsWith({})).toBe(
        '0 requestTimeout 60, 1 requestTimeout 61, 2 requestTimeout 62, 3 requestTimeout 63, 4 requestTimeout 210',
      );
      expect(endsWith({ requestTimeoutMs: 104 })).toBe(
        '0 ok 100, 1 requestTimeout 105, 2 requestTimeout 106, 3 requestTimeout 107, 4 ok 250',
      );
    });

    test('an aborted query closes its connection, and the next one takes as long to open', () => {
      expect(
        endsOf({
          arrivals: [
            { atMs: 0, route: '/slow', serviceMs: 100 },
            { atMs: 10, route: '/fast', serviceMs: 5 },
          ],
          pool: { maxPoolSize: 1, requestTimeoutMs: 60, connectMs: 4 },
        }),
      ).toBe('0 requestTimeout 60, 1 ok 69');
    });

    test('in a divided pool, too', () => {
      expect(endsWith({ kind: 'split', maxPoolSize: 2, ...division })).toBe(
        '2 ok 7, 3 ok 12, 0 requestTimeout 60, 1 requestTimeout 61, 4 requestTimeout 210',
      );
      expect(endsWith({ kind: 'limited', maxPoolSize: 2, ...division })).toBe(
        '1 refused 1, 2 ok 7, 3 ok 12, 0 requestTimeout 60, 4 requestTimeout 210',
      );
    });

    test("is the app's: the user goes on, which a client's timeout does not let it", () => {
      const workload = {
        phases: [{ durationMs: 1, arrivalCount: 1 }],
        scenarios: [scenarioOf('/slow', '/fast')],
      };
      const { requests, failuresBy } = simulate({ workload, services, pool: { maxPoolSize: 1, requestTimeoutMs: 60 } });
      expect({ requests, ...failuresBy }).toMatchObject({ requests: 2, requestTimeout: 1, clientTimeout: 0 });
      const pool = { maxPoolSize: 1, requestTimeoutMs: 60 };
      const impatient = simulate({ workload: { ...workload, timeoutMs: 50 }, services, pool });
      expect(impatient.requests).toBe(1);
      expect(impatient.failuresBy).toMatchObject({ requestTimeout: 0, clientTimeout: 1 });
    });
  });

  describe('invalid sizes', () => {
    test.each([
      [{ kind: 'split', maxPoolSize: 2, slowSize: 2 }, /slowSize must be a whole number from 1 to 1, not 2/],
      [{ kind: 'limited', maxPoolSize: 2, slowSize: 0 }, /slowSize must be a whole number of at least 1, not 0/],
      [
        { kind: 'split', maxPoolSize: 2, slowSize: 1, slowLimit: 0 },
        /slowLimit must be a whole number of at least 1, not 0/,
      ],
      [
        { kind: 'split', maxPoolSize: 2, slowSize: 1, minPoolSize: 2 },
        /minPoolSize must be a whole number from 0 to 1, not 2/,
      ],
      [
        { kind: 'limited', maxPoolSize: 2, slowSize: 1, waitQueueTimeoutMS: -1 },
        /waitQueueTimeoutMS must be at least 0 \(no timeout\), not -1/,
      ],
      [{ maxPoolSize: 2, requestTimeoutMs: NaN }, /requestTimeoutMs must be at least 0 \(no deadline\), not NaN/],
      [
        { kind: 'torn', maxPoolSize: 2 },
        /Unknown kind of pool "torn": allowed are driver, pipelining, split and limited/,
      ],
    ])('%j', (options, message) => {
      const pool = /** @type {PoolOptions} */ ({ slowRoutes: ['/slow'], ...options });
      expect(() => simulate({ arrivals, pool })).toThrow(message);
    });
  });

  test('split: a user who gives up makes room for the next, on a connection opened on demand', () => {
    const { ends, connections } = runEnds({
      workload: { phases: [], scenarios: [], timeoutMs: 50 },
      arrivals: [
        { atMs: 0, route: '/slow', serviceMs: 100 },
        { atMs: 10, route: '/slow', serviceMs: 100 },
        { atMs: 30, route: '/slow', serviceMs: 5 },
      ],
      pool: { kind: 'split', maxPoolSize: 2, ...division },
    });
    // The first gives up at 50 while it is served, the second at 60 too; the third gets its place.
    expect(ends).toBe('0 clientTimeout 50, 1 clientTimeout 60, 2 ok 65');
    expect(connections).toBe(2);
  });

  test('limited: a user who gives up, in the wait queue or while it is served, makes room for the next', () => {
    expect(
      endsOf({
        workload: { phases: [], scenarios: [], timeoutMs: 50 },
        arrivals: [
          { atMs: 0, route: '/fast', serviceMs: 60 },
          { atMs: 1, route: '/slow', serviceMs: 5 },
          { atMs: 2, route: '/slow', serviceMs: 5 },
          { atMs: 52, route: '/slow', serviceMs: 100 },
          { atMs: 110, route: '/slow', serviceMs: 5 },
        ],
        pool: { kind: 'limited', maxPoolSize: 1, ...division },
      }),
    ).toBe('2 refused 2, 0 clientTimeout 50, 1 clientTimeout 51, 3 clientTimeout 102, 4 ok 115');
  });
});

describe('the pool of 2020', () => {
  /** @param {Omit<PipeliningPoolOptions, 'kind'>} pool */
  function runMixed(pool) {
    return simulate({
      workload: {
        phases: [{ durationMs: 5000, arrivalCount: 5 }],
        scenarios: [scenarioOf('/slow', '/fast')],
      },
      services: { '/slow': { kind: 'fixed', ms: 5000 }, '/fast': { kind: 'fixed', ms: 2 } },
      pool: { kind: 'pipelining', ...pool },
      keepRequests: true,
    });
  }

  test.each([
    [1, 21],
    [3, 9],
    [10, 5],
  ])('a fresh pool of %i gives the %i s of 2020', (maxPoolSize, seconds) => {
    const { maxMs } = runMixed({ maxPoolSize, warm: false, connectMs: 3 });
    expect(Math.abs(maxMs - seconds * 1000)).toBeLessThan(20);
  });

  test('with 3 connections, the start of its round robin decides between 7, 8 and 9 s', () => {
    const seconds = [0, 1, 2, 3].map((operationsBefore) =>
      Math.round(runMixed({ maxPoolSize: 3, warm: false, operationsBefore }).maxMs / 1000),
    );
    expect(seconds).toEqual([9, 7, 8, 9]);
  });

  test('a query waits behind a slow one although another connection becomes idle', () => {
    const { records = [] } = simulate({
      arrivals: [100, 10, 5].map((serviceMs, user) => ({ atMs: user < 2 ? 0 : 1, serviceMs, route: '/x' })),
      pool: { kind: 'pipelining', maxPoolSize: 2 },
      keepRequests: true,
    });
    const starts = records.map(({ user, connection, startedAtMs }) => `${user} on ${connection} at ${startedAtMs}`);
    expect(starts).toEqual(['1 on 1 at 0', '0 on 0 at 0', '2 on 0 at 100']);
  });

  test('the server answers the queries of a connection in order', () => {
    const { records = [] } = runMixed({ maxPoolSize: 1 });
    const users = [0, 1, 2, 3, 4];
    expect(records.map(({ user, route }) => `${user}${route}`)).toEqual(
      ['/slow', '/fast'].flatMap((route) => users.map((user) => `${user}${route}`)),
    );
  });
});

describe('shared cores', () => {
  /** @param {number} ms @param {number} [workShare] @returns {Service} */
  const fixed = (ms, workShare = 1) => ({ kind: 'fixed', ms, workShare });

  /** @param {number} count @param {string} route */
  const burst = (count, route) => Array.from({ length: count }, () => ({ atMs: 0, route }));

  describe('queries that share the cores of a server', () => {
    test.each([
      [1, 2, 60],
      [2, 2, 60],
      [4, 2, 120],
      [8, 2, 240],
      [3, 1, 180],
      [4, 0.5, 480],
      [2, 1.5, 80],
      [6, 4, 90],
    ])('%d queries of 60 ms on %d cores take %d ms', (queries, cores, expectedMs) => {
      const { maxMs } = simulate({
        arrivals: burst(queries, '/work'),
        pool: UNLIMITED,
        services: { '/work': fixed(60) },
        server: { cores, sliceMs: 1 },
      });
      expect(maxMs).toBeGreaterThan(expectedMs - 3);
      expect(maxMs).toBeLessThanOrEqual(expectedMs + 3);
    });

    test('a delay is not slowed down, work is', () => {
      const { routes } = simulate({
        arrivals: [...burst(8, '/work'), ...burst(8, '/sleep'), ...burst(1, '/both')],
        pool: UNLIMITED,
        services: { '/work': fixed(40), '/sleep': fixed(100, 0), '/both': fixed(1000, 0.01) },
        server: { cores: 2, sliceMs: 1 },
      });
      expect(routes['/sleep'].maxMs).toBe(100);
      expect(routes['/work'].maxMs).toBeCloseTo(160, 0);
      // Its work begins when the others are done.
      expect(routes['/both'].maxMs).toBe(1000);
    });

    test('a short query waits for one turn of each other on its core', () => {
      const { routes } = simulate({
        arrivals: [...burst(20, '/long'), { atMs: 100, route: '/short' }],
        pool: UNLIMITED,
        services: { '/long': fixed(500), '/short': fixed(0.5) },
        server: { cores: 2, sliceMs: 3 },
      });
      expect(routes['/short'].maxMs).toBeGreaterThan(8 * 3);
      expect(routes['/short'].maxMs).toBeLessThan(10 * 3 + 1);
    });

    test('a smaller pool keeps others off the server', () => {
      const at = (/** @type {number} */ maxPoolSize) =>
        simulate({
          arrivals: [...burst(30, '/long')],
          pool: { maxPoolSize },
          services: { '/long': fixed(10) },
          server: { cores: 2, sliceMs: 1 },
        });
      expect(at(2).routes['/long'].p50Ms).toBeLessThan(0.6 * at(30).routes['/long'].p50Ms);
      expect(at(2).maxMs).toBeCloseTo(at(30).maxMs, 0);
      expect(at(2).meanActive).toBeCloseTo(2, 1);
    });

    test('a query that its user gave up makes room for the others', () => {
      const pool = { ...UNLIMITED, requestTimeoutMs: 50 };
      const options = { services: { '/long': fixed(1000), '/short': fixed(20) }, server: { cores: 1, sliceMs: 1 } };
      const { routes } = simulate({
        arrivals: [...burst(4, '/long'), { atMs: 60, route: '/short' }],
        pool,
        ...options,
      });
      expect(routes['/long'].failures).toBe(4);
      expect(routes['/short']).toMatchObject({ failures: 0 });
      expect(routes['/short'].maxMs).toBeCloseTo(20, 6);
    });

    test('without work the server changes nothing', () => {
      const load = {
        arrivals: burst(50, '/x'),
        pool: { maxPoolSize: 3 },
        services: { '/x': /** @type {Service} */ ({ kind: 'exponential', meanMs: 9 }) },
      };
      expect(simulate({ ...load, server: { cores: 1 } })).toEqual(simulate(load));
      // And work without a server is just time.
      expect(simulate({ ...load, services: { '/x': { kind: 'exponential', meanMs: 9, workShare: 1 } } })).toEqual(
        simulate(load),
      );
    });

    test.each([
      [{ cores: 0 }, 'cores must be a number above 0, not 0'],
      [{ cores: 2, sliceMs: -1 }, 'sliceMs must be a number of ms above 0'],
    ])('%j is refused', (server, message) => {
      expect(() =>
        simulate({ arrivals: burst(1, '/x'), pool: UNLIMITED, services: { '/x': fixed(1) }, server }),
      ).toThrow(message);
    });
  });
});

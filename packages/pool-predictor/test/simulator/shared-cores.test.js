import { describe, expect, test } from '@jest/globals';
import { UNLIMITED } from '../../src/simulator/create-pool.js';
import { createRandom } from '../../src/simulator/random.js';
import { simulate } from '../../src/simulator/simulate.js';

/** @import { Service } from '../../src/simulator/service-time.js' */

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

  test('processor sharing takes S / (1 - rho) on average, whatever the times vary like', () => {
    // L. Kleinrock, Queueing Systems II (1976), 4.4.
    const random = createRandom(3);
    let atMs = 0;
    const arrivals = Array.from({ length: 40_000 }, () => {
      atMs += 10 * random.exponential();
      return { atMs, route: '/x' };
    });
    for (const service of /** @type {Service[]} */ ([fixed(6), { kind: 'exponential', meanMs: 6, workShare: 1 }])) {
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

  test('a query that its user gave up makes room for the others', () => {
    const pool = { ...UNLIMITED, requestTimeoutMs: 50 };
    const options = { services: { '/long': fixed(1000), '/short': fixed(20) }, server: { cores: 1, sliceMs: 1 } };
    const { routes } = simulate({ arrivals: [...burst(4, '/long'), { atMs: 60, route: '/short' }], pool, ...options });
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
    expect(() => simulate({ arrivals: burst(1, '/x'), pool: UNLIMITED, services: { '/x': fixed(1) }, server })).toThrow(
      message,
    );
  });
});

import { describe, expect, test } from '@jest/globals';
import { quantile } from '../../src/quantile.js';
import { shareServer } from '../../src/server/share-server.js';
import { createRandom } from '../../src/simulator/random.js';
import { simulate } from '../../src/simulator/simulate.js';
import { createTraceLoad } from '../../src/trace/trace-load.js';
import { TIMES, callers, responseMs, run, toTrace } from '../trace/traces.js';

/** @import { Trace } from '../../src/node/trace.js' */

/** What the traces do not say. */
const SERVER = { cores: 2, sliceMs: 2 };
const WORKS = { '/heavy': { kind: /** @type {const} */ ('fixed'), ms: 30, workShare: 1 }, '/cheap': { kind: /** @type {const} */ ('fixed'), ms: 0.5, workShare: 1 } };
const WAITS = { '/heavy': { ...WORKS['/heavy'], workShare: 0 }, '/cheap': { ...WORKS['/cheap'], workShare: 0 } };

/**
 * A quarter are heavy.
 * @param {'closed' | 'open'} kind @param {number} poolSize
 * @param {{ services?: typeof WORKS, seed?: number, untilMs?: number }} [options]
 */
function record(kind, poolSize, { services = WORKS, seed = 1, untilMs = kind === 'open' ? 8000 : 6000 } = {}) {
  const random = createRandom(seed, 'open');
  const of = (/** @type {number} */ ms) => TIMES.lognormal(ms);
  const open = () => {
    const [heavy, cheap] = [of(30)(random), of(0.5)(random)];
    const arrivals = [];
    for (let atMs = 0; atMs < untilMs; atMs += 5.5 * random.exponential()) {
      const isHeavy = random.uniform() < 0.25;
      arrivals.push({ atMs, route: isHeavy ? '/heavy' : '/cheap', serviceMs: isHeavy ? heavy() : cheap() });
    }
    return arrivals;
  };
  const closed = () => [
    ...callers({ count: 24, untilMs, service: of(30), think: TIMES.exponential(0.3), route: '/heavy', seed }),
    ...callers({ count: 24, untilMs, service: of(0.5), think: TIMES.exponential(1), route: '/cheap', seed }),
  ];
  const sharing = { server: SERVER, services };
  return run(kind === 'open' ? open() : closed(), poolSize, Infinity, sharing);
}

/** @param {Trace} trace @param {number} maxPoolSize */
function replay(trace, maxPoolSize) {
  const load = createTraceLoad(trace);
  return simulate({ arrivals: load.arrivals(1, 1), services: load.services, pool: { maxPoolSize }, server: load.server });
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
        expect(Math.abs((share === 0.5 ? routes['/heavy'].p50Ms : routes['/heavy'].p95Ms) / ms - 1)).toBeLessThan(0.15);
      }
    }
  });

  test('callers who keep all connections busy: the server must tell its cores, and then sizes can be predicted', () => {
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

  test.each(/** @type {const} */ (['open', 'closed']))('a replay at the recorded size has the recorded uses, %s', (kind) => {
    const recorded = { ...toTrace(record(kind, 8), 8), server: { cores: 2, busyCores: 1.7 } };
    const { routes } = replay(shareServer([recorded], { pool: { maxPoolSize: 8 } }), 8);
    for (const [route, name] of recorded.routes.entries()) {
      const uses = Array.from(recorded.useMs).filter((_, index) => recorded.routeOf[index] === route);
      const mean = uses.reduce((sum, ms) => sum + ms, 0) / uses.length;
      expect((routes[name].meanMs - routes[name].wait.meanMs) / mean).toBeCloseTo(1, 1);
    }
  });

  test.each(/** @type {const} */ (['open', 'closed']))('queries that do not slow each other down are left alone, %s', (kind) => {
    for (let seed = 1; seed <= (kind === 'open' ? 10 : 1); seed++) {
      for (const size of [2, 8, 32]) {
        const trace = toTrace(record(kind, size, { services: WAITS, seed, untilMs: kind === 'open' ? 4000 : 1000 }), size);
        expect(shareServer([trace])).toBe(trace);
        // The server is idle, however many connections are in use.
        const idle = { ...trace, server: { cores: 2, busyCores: 0.2 } };
        expect(shareServer([idle])).toBe(idle);
      }
    }
  });

  test('a query that only waits is told from those that work', () => {
    const random = createRandom(5);
    const steady = Array.from({ length: 200 }, (_, index) => ({ atMs: index * 40, route: '/sleep', serviceMs: 100 + random.uniform() }));
    const open = record('open', 64).map(({ route, arrivedAtMs }) => ({ atMs: arrivedAtMs, route }));
    const records = run([...open, ...steady], 64, Infinity, {
      server: SERVER, services: { ...WORKS, '/sleep': { kind: 'fixed', ms: 100 } } });
    const { sharing } = shareServer([toTrace(records, 64)], { pool: { maxPoolSize: 64 } });
    expect(sharing?.workShares).toMatchObject({ '/heavy': 1, '/sleep': 0 });
    expect(sharing?.cores).toBeGreaterThan(1.5);
    expect(sharing?.cores).toBeLessThan(2.5);
  });

  test('what is at work at once', () => {
    const { sharing } = shareServer([toTrace(record('open', 8), 8)], { pool: { maxPoolSize: 8 } });
    expect(sharing?.seen).toBe(8);
    expect(quantile(Array.from(sharing?.aloneMs ?? []), 1)).toBeLessThan(200);
  });
});

import { describe, expect, test } from '@jest/globals';
import { shareServer } from '../../src/server/share-server.js';
import { simulate } from '../../src/simulator/simulate.js';
import { createTraceLoad } from '../../src/load/trace-load.js';
import { responseMs, toTrace } from '../trace/traces.js';
import { WAITS, record } from './recordings.js';

/** @import { Trace } from '../../src/trace/trace.js' */

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

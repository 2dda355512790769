import { expect, test } from '@jest/globals';
import { shareServer } from '../../src/server/share-server.js';
import { createRandom } from '../../src/simulator/random.js';
import { TIMES, callers, run, toTrace } from '../trace/traces.js';
import { SERVER, WAITS, WORKS, record } from './recordings.js';

// statistics.release.test.js has the predictions for other sizes.

test('an open load shows the cores, and what was at work at once', () => {
  const trace = shareServer([toTrace(record('open', 8, { untilMs: 5000 }), 8)], { pool: { maxPoolSize: 8 } });
  expect(trace.sharing).toMatchObject({ source: 'fitted', workShares: { '/heavy': 1, '/cheap': 1 }, seen: 8 });
  expect(trace.sharing?.cores).toBeGreaterThan(1.6);
  expect(trace.sharing?.cores).toBeLessThan(2.5);
});

test('what the server or the user says is taken, where the trace does not show it', () => {
  const trace = toTrace(record('closed', 4, { untilMs: 1000 }), 4);
  expect(shareServer([trace]).sharing).toBeUndefined();
  const told = { ...trace, server: { cores: 2, busyCores: 1.98 } };
  expect(shareServer([told], { pool: { maxPoolSize: 4 } }).sharing).toMatchObject({
    source: 'recorded',
    cores: 1.98,
    seen: 4,
  });
  expect(shareServer([trace], { cores: 3, pool: { maxPoolSize: 4 } }).sharing).toMatchObject({
    source: 'given',
    cores: 3,
    range: null,
  });
});

test('a route that the replay never comes to changes nothing for the others', () => {
  const trace = toTrace(record('closed', 4, { untilMs: 1000 }), 4);
  const shareOf = (/** @type {typeof trace} */ one) =>
    shareServer([one], { cores: 3, pool: { maxPoolSize: 4 } }).sharing?.aloneMs;
  expect(shareOf({ ...trace, routes: [...trace.routes, '/never'] })).toEqual(shareOf(trace));
});

test('a server is not full where all its queries have a core, and only the way to the app keeps that idle', () => {
  const coresOf = (/** @type {number} */ size) => {
    const trace = { ...toTrace(record('closed', size, { untilMs: 1000 }), size), server: { cores: 2, busyCores: 1.3 } };
    return shareServer([trace], { pool: { maxPoolSize: size } }).sharing?.cores;
  };
  expect([2, 4].map(coresOf)).toEqual([2, 1.3]);
});

test('cores that other programs on its machine use are not for the server', () => {
  const trace = toTrace(record('open', 8, { untilMs: 3000 }), 8);
  const server = { cores: 8, busyCores: 1.4 };
  const alone = { ...trace, server };
  expect(shareServer([alone])).toBe(alone);
  expect(shareServer([{ ...trace, server: { ...server, otherBusyCores: 6 } }]).sharing?.cores).toBeLessThan(2.5);
});

test('queries that do not slow each other down are left alone, also where an idle server says so', () => {
  for (const size of [2, 8]) {
    const trace = toTrace(record('open', size, { services: WAITS, untilMs: 3000 }), size);
    expect(shareServer([trace])).toBe(trace);
    const idle = { ...trace, server: { cores: 2, busyCores: 0.2 } };
    expect(shareServer([idle])).toBe(idle);
  }
});

test('a load that is far from filling pool and server is left alone, also if the server does all the work', () => {
  const arrivals = Array.from({ length: 300 }, (_, index) => ({ atMs: 10 * index, route: '/cheap', serviceMs: 4 }));
  const trace = {
    ...toTrace(run(arrivals, 8, Infinity, { server: SERVER, services: WORKS }), 8),
    server: { cores: 2, busyCores: 0.4 },
  };
  expect(shareServer([trace])).toBe(trace);
});

test('a query that only waits is told from those that work', () => {
  const random = createRandom(5);
  const steady = Array.from({ length: 100 }, (_, index) => ({
    atMs: index * 40,
    route: '/sleep',
    serviceMs: 100 + random.uniform(),
  }));
  const open = record('open', 64, { untilMs: 4000 }).map(({ route, arrivedAtMs }) => ({ atMs: arrivedAtMs, route }));
  const records = run([...open, ...steady], 64, Infinity, {
    server: SERVER,
    services: { ...WORKS, '/sleep': { kind: 'fixed', ms: 100 } },
  });
  const { sharing } = shareServer([toTrace(records, 64)], { pool: { maxPoolSize: 64 } });
  expect(sharing?.workShares).toMatchObject({ '/heavy': 1, '/sleep': 0 });
  expect(sharing?.cores).toBeGreaterThan(1.5);
  expect(sharing?.cores).toBeLessThan(2.5);
});

test('nothing is taken for a delay if all queries ran beside as many others', () => {
  const work = { '/heavy': { kind: /** @type {const} */ ('fixed'), ms: 20, workShare: 1 } };
  const arrivals = callers({
    count: 16,
    untilMs: 2000,
    service: TIMES.fixed(20),
    think: TIMES.fixed(0),
    route: '/heavy',
  });
  const trace = {
    ...toTrace(run(arrivals, 8, Infinity, { server: SERVER, services: work }), 8),
    server: { cores: 2, busyCores: 1.99 },
  };
  expect(shareServer([trace], { pool: { maxPoolSize: 8 } }).sharing?.workShares).toEqual({ '/heavy': 1 });
});

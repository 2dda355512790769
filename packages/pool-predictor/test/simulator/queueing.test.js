import { describe, expect, test } from '@jest/globals';
import { createEventHeap } from '../../src/simulator/event-heap.js';
import { createRandom } from '../../src/simulator/random.js';
import { simulate } from '../../src/simulator/simulate.js';
import { scenarioOf } from '../load/sample-scenarios.js';

/** @import { SimulatedRequest } from '../../src/simulator/tally.js' */

/** A few long requests among many short ones. @param {number} seed @param {number} count */
function knownArrivals(seed, count) {
  const random = createRandom(seed, 'known arrivals');
  let atMs = 0;
  return Array.from({ length: count }, () => {
    atMs += random.exponential() * 10;
    const isSlow = random.uniform() < 0.1;
    return { atMs, route: isSlow ? '/slow' : '/fast', serviceMs: random.exponential() * (isSlow ? 200 : 5) };
  });
}

/** @param {SimulatedRequest[]} requests in the order they arrived */
function byArrival(requests) {
  return requests.toSorted((a, b) => a.user - b.user);
}

describe('against theory', () => {
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

  test.each([1, 2, 3, 7])('pool %i: waits equal the Kiefer-Wolfowitz recursion, to 1 us', (servers) => {
    const arrivals = knownArrivals(servers, 5000);
    const { records = [] } = simulate({ arrivals, pool: { maxPoolSize: servers }, keepRequests: true });
    const expected = kieferWolfowitz(
      arrivals.map(({ atMs }) => atMs),
      arrivals.map(({ serviceMs }) => serviceMs),
      servers,
    );
    const errors = byArrival(records).map(({ waitMs }, i) => Math.abs(waitMs - expected[i]));
    expect(errors).toHaveLength(5000);
    expect(Math.max(...errors)).toBeLessThan(0.001);
  });
});

describe('whatever the load', () => {
  const seeds = Array.from({ length: 20 }, (_, seed) => seed);

  test.each(seeds)('every request ends once, after its wait and its service (seed %i)', (seed) => {
    const arrivals = knownArrivals(seed, 300);
    const run = simulate({ arrivals, pool: { maxPoolSize: 1 + (seed % 5) }, keepRequests: true });
    const records = byArrival(run.records ?? []);
    expect(records.map(({ user }) => user)).toEqual(arrivals.map((_, index) => index));
    for (const [i, { arrivedAtMs, startedAtMs, finishedAtMs, waitMs, outcome, route }] of records.entries()) {
      expect(outcome).toBe('ok');
      expect(route).toBe(arrivals[i].route);
      expect(arrivedAtMs).toBe(arrivals[i].atMs);
      expect(waitMs).toBe(startedAtMs - arrivedAtMs);
      expect(waitMs).toBeGreaterThanOrEqual(0);
      expect(finishedAtMs - startedAtMs).toBeCloseTo(arrivals[i].serviceMs, 6);
    }
    const busyMs = arrivals.reduce((sum, { serviceMs }) => sum + serviceMs, 0);
    expect(run.meanActive * run.durationMs).toBeCloseTo(busyMs, 3);
  });

  test.each(seeds)('a connection serves one request at a time (seed %i)', (seed) => {
    const maxPoolSize = 1 + (seed % 5);
    const { records = [], peakActive } = simulate({
      arrivals: knownArrivals(seed, 300),
      pool: { maxPoolSize, warm: false, connectMs: 20 },
      keepRequests: true,
    });
    const used = new Set(records.map(({ connection }) => connection));
    expect(used.size).toBeLessThanOrEqual(maxPoolSize);
    expect(peakActive).toBeLessThanOrEqual(maxPoolSize);
    for (const connection of used) {
      const busy = records
        .filter((record) => record.connection === connection)
        .sort((a, b) => a.startedAtMs - b.startedAtMs);
      for (let i = 1; i < busy.length; i++) {
        expect(busy[i].startedAtMs).toBeGreaterThanOrEqual(busy[i - 1].finishedAtMs);
      }
    }
  });

  test.each(seeds)('a warm pool serves in the order of arrival (seed %i)', (seed) => {
    const { records = [] } = simulate({
      arrivals: knownArrivals(seed, 300),
      pool: { maxPoolSize: 1 + (seed % 5) },
      keepRequests: true,
    });
    const starts = byArrival(records).map(({ startedAtMs }) => startedAtMs);
    expect(starts).toEqual(starts.toSorted((a, b) => a - b));
  });

  test.each(seeds)('more connections never make the total wait longer (seed %i)', (seed) => {
    const arrivals = knownArrivals(seed, 300);
    const totals = [1, 2, 3, 4, 6, 10].map((maxPoolSize) => {
      const run = simulate({ arrivals, pool: { maxPoolSize } });
      return run.meanWaiting * run.durationMs;
    });
    for (let i = 1; i < totals.length; i++) expect(totals[i]).toBeLessThanOrEqual(totals[i - 1] + 1e-6);
    expect(totals[0]).toBeGreaterThan(totals[5]);
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

/**
 * How long each of a known list of requests waits for one of `servers` connections: a warm pool, first in
 * first out, and no request depends on another's answer. Each takes the connection that is free first, and
 * starts then or when it arrives, whichever is later (J. Kiefer and J. Wolfowitz, 1955).
 *
 * @param {ArrayLike<number>} atMs when requests arrive, ascending
 * @param {ArrayLike<number>} serviceMs how long each keeps its connection
 * @param {number} servers
 * @returns {Float64Array} waits in ms
 */
function kieferWolfowitz(atMs, serviceMs, servers) {
  const free = createEventHeap();
  for (let server = 0; server < servers; server++) free.push(-Infinity, server);
  const waitMs = new Float64Array(atMs.length);
  for (let i = 0; i < atMs.length; i++) {
    const startMs = Math.max(atMs[i], free.nextMs());
    waitMs[i] = startMs - atMs[i];
    free.push(startMs + serviceMs[i], free.pop());
  }
  return waitMs;
}

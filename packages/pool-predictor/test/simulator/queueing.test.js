import { describe, expect, test } from '@jest/globals';
import { createEventHeap } from '../../src/simulator/event-heap.js';
import { createRandom } from '../../src/simulator/random.js';
import { simulate } from '../../src/simulator/simulate.js';

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

test.each([1, 2, 3, 7])('pool %i: waits equal the Kiefer-Wolfowitz recursion, to 1 us', (servers) => {
  const arrivals = knownArrivals(servers, 2000);
  const { records = [] } = simulate({ arrivals, pool: { maxPoolSize: servers }, keepRequests: true });
  const expected = kieferWolfowitz(
    arrivals.map(({ atMs }) => atMs),
    arrivals.map(({ serviceMs }) => serviceMs),
    servers,
  );
  const errors = byArrival(records).map(({ waitMs }, i) => Math.abs(waitMs - expected[i]));
  expect(errors).toHaveLength(2000);
  expect(Math.max(...errors)).toBeLessThan(0.001);
});

describe('whatever the load', () => {
  /** Each pool size with two loads. */
  const loads = Array.from({ length: 10 }, (_, seed) => {
    const arrivals = knownArrivals(seed, 300);
    const maxPoolSize = 1 + (seed % 5);
    const run = simulate({ arrivals, pool: { maxPoolSize }, keepRequests: true });
    return { arrivals, maxPoolSize, run, records: byArrival(run.records ?? []) };
  });

  test('every request ends once, after its wait and its service', () => {
    for (const { arrivals, run, records } of loads) {
      expect(records.map(({ user, outcome, route, arrivedAtMs }) => [user, outcome, route, arrivedAtMs])).toEqual(
        arrivals.map(({ route, atMs }, index) => [index, 'ok', route, atMs]),
      );
      const waits = records.map(({ waitMs }) => waitMs);
      expect(waits).toEqual(records.map(({ startedAtMs, arrivedAtMs }) => startedAtMs - arrivedAtMs));
      expect(Math.min(...waits)).toBeGreaterThanOrEqual(0);
      const errors = records.map((each, i) => Math.abs(each.finishedAtMs - each.startedAtMs - arrivals[i].serviceMs));
      expect(Math.max(...errors)).toBeLessThan(5e-7);
      const busyMs = arrivals.reduce((sum, { serviceMs }) => sum + serviceMs, 0);
      expect(run.meanActive * run.durationMs).toBeCloseTo(busyMs, 3);
    }
  });

  test('a warm pool serves in the order of arrival', () => {
    for (const { records } of loads) {
      const starts = records.map(({ startedAtMs }) => startedAtMs);
      expect(starts).toEqual(starts.toSorted((a, b) => a - b));
    }
  });

  test('a connection serves one request at a time, also in a pool that grows', () => {
    for (const { arrivals, maxPoolSize } of loads) {
      const { records = [], peakActive } = simulate({
        arrivals,
        pool: { maxPoolSize, warm: false, connectMs: 20 },
        keepRequests: true,
      });
      expect(peakActive).toBeLessThanOrEqual(maxPoolSize);
      /** @type {Map<number, number>} */
      const freeAtMs = new Map();
      const early = records
        .toSorted((a, b) => a.startedAtMs - b.startedAtMs)
        .filter(({ connection, startedAtMs, finishedAtMs }) => {
          const isEarly = startedAtMs < (freeAtMs.get(connection) ?? 0);
          freeAtMs.set(connection, finishedAtMs);
          return isEarly;
        });
      expect(early).toEqual([]);
      expect(freeAtMs.size).toBeLessThanOrEqual(maxPoolSize);
    }
  });

  test('more connections never make the total wait longer', () => {
    for (const { arrivals } of loads) {
      const totals = [1, 2, 3, 4, 6, 10].map((maxPoolSize) => {
        const run = simulate({ arrivals, pool: { maxPoolSize } });
        return run.meanWaiting * run.durationMs;
      });
      for (let i = 1; i < totals.length; i++) expect(totals[i]).toBeLessThanOrEqual(totals[i - 1] + 1e-6);
      expect(totals[0]).toBeGreaterThan(totals[5]);
    }
  });
});

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

import { describe, expect, test } from '@jest/globals';
import { RECORDED_SEED, createTraceLoad } from '../../src/load/trace-load.js';
import { simulate } from '../../src/simulator/simulate.js';
import { run, toTrace } from '../trace/traces.js';

/** @import { PoolOptions } from '../../src/simulator/create-pool.js' */

const OUTAGE = { atMs: 100, readyMs: 500, losesUses: true };

/**
 * @param {[atMs: number, serviceMs: number, route?: string][]} requests
 * @param {Partial<PoolOptions>} pool
 */
function serve(requests, pool) {
  const { records = [] } = simulate({
    arrivals: requests.map(([atMs, serviceMs, route = '/a']) => ({ atMs, serviceMs, route })),
    pool: /** @type {PoolOptions} */ ({ maxPoolSize: 1, outages: [OUTAGE], ...pool }),
    keepRequests: true,
  });
  return records
    .toSorted((a, b) => a.user - b.user)
    .map(({ finishedAtMs, waitMs, outcome }) => [finishedAtMs, waitMs, outcome]);
}

describe('when the server is lost', () => {
  test('those that wait, those that are served, and those that come wait for the server, and start again', () => {
    expect(
      serve(
        [
          [50, 80],
          [60, 10],
          [200, 10],
          [495, 10],
        ],
        {},
      ),
    ).toEqual([
      // The driver refuses its queue first.
      [590, 460, 'ok'],
      [510, 440, 'ok'],
      [600, 390, 'ok'],
      [610, 105, 'ok'],
    ]);
  });

  test('an operation goes on where the connections hold', () => {
    const outages = [{ ...OUTAGE, losesUses: false }];
    expect(serve([[50, 80]], { outages })).toEqual([[130, 0, 'ok']]);
  });

  test('each is tried once more only', () => {
    const outages = [OUTAGE, { atMs: 550, readyMs: 600, losesUses: true }];
    expect(
      serve(
        [
          [50, 80],
          [200, 80],
        ],
        { maxPoolSize: 2, outages },
      ),
    ).toEqual([
      [550, 500, 'connectionError'],
      // It asked for a server only, and for a connection when there was one.
      [680, 400, 'ok'],
    ]);
  });

  test('nobody waits longer for a server than the driver does', () => {
    const outages = [{ ...OUTAGE, readyMs: 40_000 }];
    expect(
      serve(
        [
          [50, 80],
          [9_900, 5],
          [10_001, 5],
        ],
        { outages },
      ),
    ).toEqual([
      [100, 50, 'connectionError'],
      [9900, 0, 'connectionError'],
      [40_005, 29_999, 'ok'],
    ]);
  });

  test('a time-out of the queue counts from when there is a server', () => {
    expect(
      serve(
        [
          [50, 80],
          [60, 10],
          [200, 10],
        ],
        { waitQueueTimeoutMS: 45 },
      ),
    ).toEqual([
      [590, 460, 'ok'],
      [510, 440, 'ok'],
      [545, 345, 'waitQueueTimeout'],
    ]);
  });

  test('connections are opened again', () => {
    expect(serve([[600, 10]], { warm: 1, connectMs: 30 })).toEqual([[640, 30, 'ok']]);
  });

  test('a divided pool loses both its parts, and a limit for slow routes holds', () => {
    const slow = { slowRoutes: ['/slow'], slowSize: 1, maxPoolSize: 2 };
    const requests = /** @type {[number, number, string][]} */ ([
      [50, 80, '/slow'],
      [60, 80, '/a'],
      [520, 5, '/slow'],
    ]);
    expect(serve(requests, { kind: 'split', ...slow })).toEqual([
      [580, 450, 'ok'],
      [580, 440, 'ok'],
      [585, 60, 'ok'],
    ]);
    expect(serve(requests, { kind: 'limited', ...slow })).toEqual([
      [580, 450, 'ok'],
      [580, 440, 'ok'],
      [520, 0, 'refused'],
    ]);
  });
});

test('a run that is put together from pieces has the outages of its pieces', () => {
  const arrivals = Array.from({ length: 400 }, (_, index) => ({ atMs: 10 * index, route: '/a', serviceMs: 5 }));
  const openings = {
    openAtStart: 1,
    fromMs: new Float64Array([1600]),
    durationsMs: new Float64Array([1]),
    settings: {},
  };
  const outages = [{ atMs: 1500, readyMs: 1600, losesUses: true }];
  const load = createTraceLoad({ ...toTrace(run(arrivals, 2), 2), openings, outages }, { resample: true });
  /** @param {number} seed @param {number} [factor] @returns {typeof outages} */
  const outagesOf = (seed, factor = 1) => {
    /** @type {any} */
    const pool = load.withOpenings?.({ maxPoolSize: 2 }, seed, factor);
    return pool.outages;
  };
  expect(outagesOf(RECORDED_SEED)).toEqual(outages);
  expect(outagesOf(RECORDED_SEED, 2)).toEqual([{ atMs: 750, readyMs: 850, losesUses: true }]);
  const runs = Array.from({ length: 300 }, (_, index) => outagesOf(RECORDED_SEED + 1 + index));
  // As many as in the recording, on average.
  const mean = runs.flat().length / runs.length;
  expect(mean).toBeGreaterThan(0.7);
  expect(mean).toBeLessThan(1.3);
  expect(new Set(runs.map((each) => each.length)).size).toBeGreaterThan(2);
  for (const each of runs) {
    expect(each.map(({ atMs, readyMs }) => Math.round(readyMs - atMs)).every((ms) => ms === 100)).toBe(true);
    expect(each.every(({ atMs }, index) => index === 0 || atMs > each[index - 1].readyMs)).toBe(true);
  }
});

import { describe, expect, test } from '@jest/globals';
import { estimateP95, readRecentLoad } from 'mongodb-pool-page/page/recent-load.js';
import { createRouteSecond, createSecond } from './sample-pool.js';

/** @param {number} count @param {number} p50Ms @param {number} [maxMs] */
const figures = (count, p50Ms, maxMs = p50Ms) => createRouteSecond(count, p50Ms, { p95Ms: maxMs, maxMs });

describe('the load of the last minute', () => {
  test('requests arrived their p50 before they ended', () => {
    const { arrivals, requests } = readRecentLoad([
      createSecond({ atMs: 11_000, routes: { '/fast': figures(3, 2) } }),
      createSecond({ atMs: 12_000, routes: {} }),
      createSecond({ atMs: 14_000, routes: { '/fast': figures(4, 2), '/slow': figures(1, 5000) } }),
    ]);

    // The bus ended last but arrived first.
    expect(arrivals).toEqual([{ '/slow': 1 }, { '/fast': 3 }, {}, {}, { '/fast': 4 }]);
    expect(requests).toEqual({ '/fast': 7, '/slow': 1 });
  });

  test('it is the minute before the last request, without anything earlier', () => {
    const { atMs, requests } = readRecentLoad([
      createSecond({ atMs: 10_000, routes: { '/fast': figures(5, 2) } }),
      createSecond({ atMs: 10_001, routes: { '/fast': figures(3, 2) } }),
      createSecond({ atMs: 70_000, routes: { '/fast': figures(1, 2) } }),
      createSecond({ atMs: 100_000, routes: {} }),
    ]);

    expect(atMs).toBe(70_000);
    expect(requests).toEqual({ '/fast': 4 });
  });

  test('requests that arrived at another pool size count as load, but not as measured', () => {
    const load = readRecentLoad([
      createSecond({ atMs: 1000, max: 1, routes: { '/fast': figures(9, 900) } }),
      createSecond({ atMs: 2000, max: 6, routes: { '/fast': figures(9, 800) } }),
      createSecond({ atMs: 4000, max: 6, routes: { '/fast': figures(9, 3), '/slow': figures(1, 1500) } }),
    ]);

    expect(load.max).toBe(6);
    expect(load.requests).toEqual({ '/fast': 27, '/slow': 1 });
    expect(load.p95Ms).toEqual({ '/fast': 3 });
  });

  test('without requests it is empty', () => {
    expect(readRecentLoad([createSecond()])).toMatchObject({ requests: {}, arrivals: [], p95Ms: {} });
    expect(readRecentLoad([])).toMatchObject({ requests: {}, arrivals: [], p95Ms: {} });
  });
});

describe('the p95 over several seconds', () => {
  test('is exact where each second has all of its values', () => {
    const one = Array.from({ length: 20 }, (_, index) => figures(1, 20 - index));
    const two = Array.from({ length: 10 }, (_, index) => figures(2, 2 * index + 1, 2 * index + 2));

    expect(estimateP95(one)).toBe(19);
    expect(estimateP95(two)).toBe(19);
  });

  test('weights seconds by their requests', () => {
    expect(estimateP95([figures(960, 2), figures(40, 500)])).toBe(2);
    expect(estimateP95([figures(940, 2), figures(60, 500)])).toBe(500);
  });

  test('assumes that values between the known ones lie evenly', () => {
    const second = { count: 100, p50Ms: 2, p95Ms: 452, maxMs: 500 };

    expect(estimateP95([second])).toBeCloseTo(452);
    // 25 of the 250 are above: those of the first second's upper quarter.
    const estimate = estimateP95([second, { count: 400, p50Ms: 2, p95Ms: 2, maxMs: 2 }]);
    expect(estimate).toBeCloseTo(2 + (450 * (0.75 - 0.5)) / 0.45);
  });
});

import { expect, test } from '@jest/globals';
import { SecondSummary } from '../src/second-summary.js';

/** @param {{ route?: string, status?: number, totalMs?: number, waitMs?: number, useMs?: number }} [request] */
const ended = (request) => ({ route: '/a', status: 200, totalMs: 1, waitMs: 0, useMs: 1, ...request });

test('a second has the requests of each route, by nearest-rank percentiles', () => {
  const summary = new SecondSummary();
  for (let ms = 1; ms <= 20; ms++) summary.add(ended({ totalMs: ms, waitMs: ms / 2, useMs: ms / 4 }));
  for (const route of ['/a', '/b']) summary.add(ended({ route, status: 503, totalMs: 5000, useMs: 0 }));
  expect(summary.summarise(1000)).toEqual({
    ratePerSec: 22,
    routes: {
      '/a': { count: 21, failures: 1, p50Ms: 10, p95Ms: 19, maxMs: 20, waitP95Ms: 9.5, useP50Ms: 2.5, useP95Ms: 4.75 },
      // How long a failure took is no measurement.
      '/b': { count: 1, failures: 1 },
    },
  });
});

test('of very many requests a sample stands for all, but all are counted', () => {
  const summary = new SecondSummary();
  for (let index = 0; index < 10_000; index++) summary.add(ended({ totalMs: 100 + index / 1000 }));
  const { count, p50Ms, maxMs } = summary.summarise(1000).routes['/a'];
  expect([count, maxMs]).toEqual([10_000, 109.999]);
  expect(p50Ms).toBeGreaterThan(103);
  expect(p50Ms).toBeLessThan(107);
});

test('routes without end share one name', () => {
  const summary = new SecondSummary();
  for (let index = 0; index < 1000; index++) summary.add(ended({ route: `/${index}` }));
  const { routes } = summary.summarise(1000);
  expect(Object.keys(routes)).toHaveLength(51);
  expect(routes.other.count).toBe(950);
});

import { describe, expect, test } from '@jest/globals';
import { choosePoolSizes, createRecentLoad, predictPoolSizes } from '../../src/predict/predict-recent-load.js';

/** @import { Service } from '../../src/simulator/service-time.js' */

/** @type {Record<string, Service>} */
const services = { '/slow': { kind: 'fixed', ms: 500 }, '/fast': { kind: 'sample', valuesMs: [2, 3] } };

test('buses starve Ferraris on one connection, and a larger pool sets them free', async () => {
  const arrivals = Array.from({ length: 60 }, () => ({ '/slow': 1, '/fast': 10 }));
  const { poolSizes, p95Ms } = await predictPoolSizes({ arrivals, max: 1 }, services);

  expect(poolSizes).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  expect(p95Ms['/fast'][0]).toBeGreaterThan(400);
  expect(p95Ms['/fast'].at(-1)).toBeCloseTo(3, 1);
  expect(p95Ms['/slow'].at(-1)).toBeCloseTo(500, -1);
  expect(p95Ms['/fast']).toEqual([...p95Ms['/fast']].sort((a, b) => b - a));
});

test('a route without a service time is left out', async () => {
  const { p95Ms } = await predictPoolSizes({ arrivals: [{ '/slow': 1, '/other': 5 }], max: 1 }, services);

  expect(Object.keys(p95Ms)).toEqual(['/slow']);
});

test('each second has its requests, in order, at different times in each run', () => {
  const load = createRecentLoad([{ '/slow': 2, '/fast': 3 }, {}, { '/fast': 4 }], ['/slow', '/fast']);
  const [one, other] = [1, 2].map((seed) => [...load.arrivals(seed, 1)]);

  expect(one.map(({ atMs }) => Math.floor(atMs / 1000))).toEqual([0, 0, 0, 0, 0, 2, 2, 2, 2]);
  expect(one.slice(0, 5).filter(({ route }) => route === '/slow')).toHaveLength(2);
  expect(one.map(({ atMs }) => atMs)).toEqual(one.map(({ atMs }) => atMs).sort((a, b) => a - b));
  expect(other).not.toEqual(one);
  expect([...load.arrivals(1, 1)]).toEqual(one);
});

describe('the sizes to try', () => {
  test.each([
    [1, 0.5, 10],
    [6, 0.5, 12],
    [1, 22, 50],
    [0, 1, 10],
    [100, 1, 200],
    [700, 1, 1000],
  ])('with %i connections and %d busy go up to %i', (max, needed, largest) => {
    expect(choosePoolSizes(max, needed).at(-1)).toBe(largest);
  });

  test('include the present one', () => {
    expect(choosePoolSizes(13, 1)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 13, 15, 20, 25, 30]);
    expect(choosePoolSizes(5000, 1).at(-1)).toBe(5000);
  });
});

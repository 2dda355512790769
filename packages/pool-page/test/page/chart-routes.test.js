import { expect, test } from '@jest/globals';
import { chooseRoutes } from 'mongodb-pool-page/page/chart-routes.js';
import { findKinds } from 'mongodb-pool-page/universal/route-kinds.js';
import { QUERIES, createRouteSecond, createSecond } from './sample-pool.js';

/** @import { ChartRoute } from 'mongodb-pool-page/page/chart-routes.js' */
/** @import { Second } from 'mongodb-pool-page' */

/** @param {Record<string, [count: number, useMs: number]>} routes */
function second(routes) {
  return createSecond({
    routes: Object.fromEntries(
      Object.entries(routes).map(([route, [count, useMs]]) => [route, createRouteSecond(count, useMs)]),
    ),
  });
}

/** @param {Second[]} seconds @param {ChartRoute[]} [before] */
const choose = (seconds, before = []) => chooseRoutes(seconds, findKinds(seconds, {}), before);

test('four routes have a line each: those whose requests hold connections longest, quick ones first; the rest share one', () => {
  const seconds = [
    second({ '/a': [1, 900], '/b': [500, 4], '/c': [1, 1], '/d': [2, 300], '/e': [100, 1], other: [9, 9] }),
    second({ '/c': [1, 1], '/f': [2, 2] }),
  ];
  expect(choose(seconds).map(({ label, names }) => [label, names])).toEqual([
    ['/e', ['/e']],
    ['/b', ['/b']],
    ['/d', ['/d']],
    ['/a', ['/a']],
    ['other', ['/f', '/c', 'other']],
  ]);
});

test('of four lines, two are of routes that wait, however shortly they hold a connection', () => {
  const waits = { '/victim': 9000, '/other-victim': 500, '/slow': 9000 };
  const busy = second({
    '/slow': [9, 900],
    '/b': [500, 4],
    '/c': [9, 9],
    '/d': [9, 8],
    '/other-victim': [1, 1],
    '/victim': [1, 1],
  });
  for (const [route, waitP95Ms] of Object.entries(waits)) Object.assign(busy.routes[route], { waitP95Ms });
  expect(choose([busy]).map(({ label }) => label)).toEqual(['/other-victim', '/victim', '/b', '/slow', 'other']);
});

test('one route more needs no line for others', () => {
  const routes = choose([second({ '/a': [1, 1], '/b': [1, 1], '/c': [1, 1], '/d': [1, 1], '/e': [1, 1] })]);
  expect(routes.map(({ label }) => label)).toEqual(['/a', '/b', '/c', '/d', '/e']);
});

test('no two lines have one colour, and the first bus and the first Ferrari have those of their vehicles', () => {
  const routes = choose([second({ '/a': [1, 900], '/b': [1, 800], '/c': [1, 1], '/d': [1, 2], '/e': [1, 3] })]);
  expect(new Set(routes.map(({ color }) => color)).size).toBe(5);
  expect(Object.fromEntries(routes.map(({ label, color }) => [label, color]))).toMatchObject({
    '/b': 'measured-1',
    '/c': 'measured-2',
  });
});

test('a route keeps its colour when others come before it', () => {
  const before = choose([second({ '/m': [1, 900] })]);
  const after = choose([second({ '/m': [1, 900], '/a': [1, 800], '/z': [1, 1000] })], before);
  expect(after.find(({ label }) => label === '/m')?.color).toBe(before[0].color);
  expect(new Set(after.map(({ color }) => color)).size).toBe(3);
});

test('routes that the app knows are there before their first request', () => {
  expect(chooseRoutes([], findKinds([], QUERIES), [])).toEqual([
    { label: '/fast', names: ['/fast'], color: 'measured-2' },
    { label: '/slow', names: ['/slow'], color: 'measured-1' },
  ]);
});

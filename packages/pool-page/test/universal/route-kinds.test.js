import { describe, expect, test } from '@jest/globals';
import { findKinds, kindOf } from 'mongodb-pool-page/universal/route-kinds.js';
import { QUERIES, createRouteSecond, createSecond } from '../page/sample-pool.js';

/** @import { RouteKinds } from 'mongodb-pool-page/universal/route-kinds.js' */

/** @param {Record<string, number | undefined>} usesMs by route @param {number} [count] */
function second(usesMs, count = 10) {
  return createSecond({
    routes: Object.fromEntries(
      Object.entries(usesMs).map(([route, useMs]) => [route, createRouteSecond(count, useMs)]),
    ),
  });
}

/** @param {RouteKinds} kinds @param {string[]} routes */
const listKinds = (kinds, ...routes) => routes.map((route) => kindOf(kinds, route));

describe('a route is a bus', () => {
  test.each([
    ['if it holds its connection for 100 ms', { '/a': 100, '/b': 99 }, ['bus', 'ferrari']],
    [
      'if it holds it ten times as long as the quickest route',
      { '/a': 20, '/b': 2, '/c': 19 },
      ['bus', 'ferrari', 'ferrari'],
    ],
    ['but not below 10 ms', { '/a': 9, '/b': 0.3, '/c': 10 }, ['ferrari', 'ferrari', 'bus']],
    ['whatever the others do', { '/a': 300, '/b': 200, '/c': 5000 }, ['bus', 'bus', 'bus']],
    ['unless it needs no connection', { '/a': undefined, '/b': 5 }, ['ferrari', 'ferrari']],
  ])('%s: %j', (_, usesMs, kinds) => {
    expect(listKinds(findKinds([second(usesMs)], {}), ...Object.keys(usesMs))).toEqual(kinds);
  });

  test('by the median of all its requests, not of its seconds', () => {
    const kinds = findKinds([second({ '/a': 500 }, 1), second({ '/a': 600 }, 1), second({ '/a': 3 }, 100)], {});
    expect(kinds.useMs).toEqual({ '/a': 3 });
    expect(kindOf(kinds, '/a')).toBe('ferrari');
  });
});

test('what the app knows of its routes counts before what was measured', () => {
  const kinds = findKinds([second({ '/fast': 400, '/slow': 400, '/other': 400 })], QUERIES);
  expect(listKinds(kinds, '/fast', '/slow', '/other')).toEqual(['ferrari', 'bus', 'bus']);
  expect(kinds.useMs).toMatchObject({ '/fast': 1, '/slow': 5000 });
  expect(listKinds(findKinds([], { ...QUERIES, '/slow': { aloneMs: 50, isWork: true } }), '/slow')).toEqual(['bus']);
});

test('a route that nobody knows is a Ferrari, until it holds its connection like a bus', () => {
  const kinds = findKinds([second({ '/quick': 1 })], QUERIES);
  expect([kindOf(kinds, '/new', 99), kindOf(kinds, '/new', 100), kindOf(kinds, null, 5000)]).toEqual([
    'ferrari',
    'bus',
    'bus',
  ]);
  expect([kindOf(kinds, '/quick', 5000), kindOf(kinds, '/fast', 5000)]).toEqual(['bus', 'ferrari']);
});

import { describe, expect, test } from '@jest/globals';
import { explainClients } from 'mongodb-pool-page/universal/client-words.js';
import { formatQuantity, formatTenths } from 'mongodb-pool-page/universal/quantity.js';
import { findKinds, kindOf } from 'mongodb-pool-page/universal/route-kinds.js';
import { isServerBottleneck } from 'mongodb-pool-page/universal/server-bottleneck.js';
import { mean, median, percentile, weightedMedian } from 'mongodb-pool-page/universal/stats.js';
import { createRouteSecond, createSecond, QUERIES } from './page/sample-pool.js';

/** @import { RouteKinds } from 'mongodb-pool-page/universal/route-kinds.js' */
/** @import { Second } from 'mongodb-pool-page' */

describe('quantities', () => {
  test.each([
    [3.84, 'ms', '3.8 ms'],
    [6, 'ms', '6 ms'],
    [433.6, 'ms', '434 ms'],
    [21117, 'ms', '21.1 s'],
    [84428.4, 'docs/s', '84,428 docs/s'],
    [1.0056, '', '1.01'],
  ])('%d %s is said as %s', (value, unit, text) => {
    expect(formatQuantity(value, unit)).toBe(text);
  });

  test('tenths are zero only of none', () => {
    expect([0, 0.04, 0.05, 1.96].map(formatTenths)).toEqual(['0.0', 'under 0.1', '0.1', '2.0']);
  });
});

describe('statistics', () => {
  test('a percentile is the smallest value that at least this share do not exceed', () => {
    expect([0, 0.25, 0.26, 0.5, 0.95, 1].map((share) => percentile([1, 2, 3, 4], share))).toEqual([1, 1, 2, 2, 4, 4]);
    expect(percentile(new Float64Array([7]), 0.5)).toBe(7);
  });

  test('a median is the percentile of a half, in any order and with any weights', () => {
    expect([median([10, 2, 9]), median([4, 1, 3, 2])]).toEqual([9, 2]);
    const weighted = [
      { value: 9, count: 1 },
      { value: 1, count: 2 },
      { value: 5, count: 3 },
    ];
    expect(weightedMedian(weighted)).toBe(median([9, 1, 1, 5, 5, 5]));
    expect(mean([1, 2, 6])).toBe(3);
  });
});

describe('kinds of routes', () => {
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
});

describe('more clients than an app needs', () => {
  const USE = {
    ...{ process: 0, kind: /** @type {const} */ ('perRequest'), route: '/q', place: 'app.mjs:4', places: 1 },
    ...{ hosts: 'db:1', created: 78, open: 78, connections: 234, mayOpen: 7956, limit: 819 },
  };

  test.each([
    [
      {},
      'A new client in each request of /q: 78 clients from app.mjs:4 to one server (db:1). 78 are open, with 234 ' +
        'connections together. The server accepts 819. Share one.',
    ],
    [
      { open: 0, connections: 0 },
      'A new client in each request of /q: 78 clients from app.mjs:4 to one server (db:1). All of them were closed. ' +
        'Share one.',
    ],
    [
      { kind: 'againAndAgain', route: null, open: 1, connections: 3, limit: null, hosts: 'db:1,db:2' },
      'A new client again and again: 78 clients from app.mjs:4 to the same servers (db:1,db:2). 1 is open, with 3 ' +
        'connections together. Share one.',
    ],
    [
      { kind: 'stay', created: 0 },
      '78 clients from app.mjs:4 to one server (db:1) stay open, with 234 connections together and up to 7,956 under ' +
        'load. The server accepts 819. One client is enough, with a database for each tenant.',
    ],
    [
      { kind: 'stay', created: 18, places: 6, mayOpen: null },
      '78 clients from app.mjs:4 and 5 more to one server (db:1) stay open, 18 of them new, with 234 connections ' +
        'together. The server accepts 819. Share one.',
    ],
    [
      { kind: 'stay', created: 0, place: null, connections: null, mayOpen: null, limit: null },
      '78 clients to one server (db:1) stay open. One client is enough, with a database for each tenant.',
    ],
  ])('%j', (facts, words) => {
    expect(explainClients(/** @type {any} */ ({ ...USE, ...facts }))).toBe(words);
  });
});

describe('the server as the bottleneck', () => {
  /** @param {number} aloneMs */
  const workOf = (aloneMs) => ({ '/slow': { aloneMs, isWork: true } });
  /** @param {number} useMs */
  const slowRoute = (useMs) => ({ '/slow': createRouteSecond(20, useMs) });
  /** 64 queries that take 100 ms each alone share two cores. */
  const CROWDED = {
    active: 64,
    server: { cores: 2, busyCores: 1.9 },
    queries: workOf(100),
    heldMs: { '/slow': 1600 },
    routes: slowRoute(3200),
  };
  const IDLE = { active: 0, server: { cores: 2, busyCores: 0.1 }, queries: workOf(100), heldMs: {}, routes: {} };

  /** Seconds in a row. @param {...Partial<Second>} overrides */
  const listSeconds = (...overrides) => overrides.map((each, index) => createSecond({ atMs: index * 1000, ...each }));
  /** @param {number} count @param {Partial<Second>} second */
  const repeat = (count, second) => Array.from({ length: count }, () => second);

  test('64 queries that share two cores, and take much longer than alone, make the server the bottleneck', () => {
    expect(isServerBottleneck(listSeconds(...repeat(5, CROWDED)))).toBe(true);
  });

  test.each([
    ['queries sleep', { queries: { '/slow': { aloneMs: 100, isWork: false } }, heldMs: { '/slow': 5000 } }],
    ['the cores are idle: the time goes elsewhere', { server: { cores: 2, busyCores: 0.2 } }],
    ['the app is too busy to take the answers', { loopBusy: 1 }],
    ['each query has a core', { active: 2 }],
    ['queries take as long as alone', { routes: slowRoute(104), heldMs: { '/slow': 50 } }],
    ['no query of /slow ran: nobody knows how long the others take alone', { routes: {}, heldMs: {} }],
    ['the server does not tell its cores', { server: null }],
    ['there is no second reading yet', { server: { cores: 2, busyCores: null } }],
  ])('it is not when %s', (_, change) => {
    expect(isServerBottleneck(listSeconds(...repeat(10, { ...CROWDED, ...change })))).toBe(false);
  });

  test('it is known before the first query ends', () => {
    expect(isServerBottleneck(listSeconds(...repeat(5, { ...CROWDED, routes: {} })))).toBe(true);
  });

  test('on a machine that others use, the server may get less than half of the cores', () => {
    const readings = [1.1, 0.5, 0.8, 0.6, 0.7].map((busyCores) => ({ ...CROWDED, server: { cores: 2, busyCores } }));

    expect(isServerBottleneck(listSeconds(...readings))).toBe(true);
  });

  describe('the verdict does not flicker', () => {
    /** The verdict at the end of each second. @param {Second[]} seconds */
    const judgeEach = (seconds) => seconds.map((_, index) => isServerBottleneck(seconds.slice(0, index + 1)));

    test('it comes with the third reading', () => {
      expect(judgeEach(listSeconds(...repeat(4, CROWDED)))).toEqual([false, false, true, true]);
    });

    test('it lasts through a short pause, and ends some seconds after the load', () => {
      const paused = judgeEach(listSeconds(...repeat(5, CROWDED), ...repeat(2, IDLE), ...repeat(5, CROWDED)));
      expect(paused.slice(2)).toEqual(repeat(10, CROWDED).map(() => true));

      const over = judgeEach(listSeconds(...repeat(5, CROWDED), ...repeat(6, IDLE)));
      expect(over.slice(5)).toEqual([true, true, true, false, false, false]);
    });
  });

  test('queries that started before SLOW_MS became shorter are compared with the time they had', () => {
    const long = { ...CROWDED, queries: workOf(5000), routes: slowRoute(5100), heldMs: { '/slow': 2500 } };
    const shortened = { ...long, queries: workOf(500) };

    expect(isServerBottleneck(listSeconds(...repeat(5, long), ...repeat(4, shortened)))).toBe(false);
    expect(isServerBottleneck(listSeconds(...repeat(5, long), ...repeat(8, shortened)))).toBe(true);
  });
});

import { describe, expect, test } from '@jest/globals';
import { isServerBottleneck } from 'mongodb-pool-page/universal/server-bottleneck.js';
import { createRouteSecond, createSecond } from '../page/sample-pool.js';

/** @import { Second } from 'mongodb-pool-page' */

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

import { describe, expect, test } from '@jest/globals';
import { MIN_FOR_PERCENTILES as ofPredictor } from 'mongodb-pool-predictor';
import { chooseRoutes } from 'mongodb-pool-page/page/chart-routes.js';
import { findLatest, listPoints, slowestOf, SPECS } from 'mongodb-pool-page/page/chart-specs.js';
import { LOG_LABELS } from 'mongodb-pool-page/page/plot.js';
import { addDots, drawDots, findMostMs } from 'mongodb-pool-page/page/request-dots.js';
import { createState, takeHistory, takePool, takeSecond } from 'mongodb-pool-page/page/state.js';
import { findKinds } from 'mongodb-pool-page/universal/route-kinds.js';
import { MIN_FOR_PERCENTILES } from 'mongodb-pool-page/universal/stats.js';
import {
  createConnection,
  createEnded,
  createReading,
  createRouteSecond,
  createSecond,
  QUERIES,
} from './sample-pool.js';

/** @import { ChartRoute } from 'mongodb-pool-page/page/chart-routes.js' */
/** @import { Second } from 'mongodb-pool-page' */

describe('state', () => {
  test('the colours of routes are those of their vehicles before the first reading, and stay after a reload', () => {
    const routes = { '/slow': createRouteSecond(1, 5), '/fast': createRouteSecond(1, 1) };
    const seconds = [createSecond({ routes, queries: QUERIES })];
    const colorsOf = (/** @type {ReturnType<typeof createState>} */ state) =>
      Object.fromEntries(takeHistory(state, seconds).routes.map(({ label, color }) => [label, color]));
    expect(colorsOf(createState())).toEqual({ '/fast': 'measured-2', '/slow': 'measured-1' });
    const before = takeHistory(createState(), [
      createSecond({ routes: { '/other': createRouteSecond(1, 900), ...routes } }),
    ]);
    expect(colorsOf(createState(before.routes))['/slow']).toBe(
      before.routes.find(({ label }) => label === '/slow')?.color,
    );
  });

  describe('the last two minutes', () => {
    test('new seconds are added, and old ones are dropped', () => {
      const seconds = Array.from({ length: 120 }, (_, index) => createSecond({ atMs: index * 1000 }));
      let state = takeHistory(createState(), seconds);
      state = takeSecond(state, createSecond({ atMs: 120_000 }));

      expect(state.seconds).toHaveLength(120);
      expect(state.seconds[0].atMs).toBe(1000);
      expect(state.seconds.at(-1)?.atMs).toBe(120_000);
    });

    test('a second that the history already has does not appear twice', () => {
      let state = takeHistory(createState(), [createSecond({ atMs: 1000 }), createSecond({ atMs: 2000 })]);
      state = takeSecond(state, createSecond({ atMs: 2000, active: 7 }));

      expect(state.seconds.map(({ active }) => active)).toEqual([1, 7]);
    });

    test("after a lost connection, the app's history counts", () => {
      const before = takeHistory(createState(), [createSecond({ atMs: 1000 })]);
      const { seconds } = takeHistory(before, [createSecond({ atMs: 5000 })]);

      expect(seconds.map(({ atMs }) => atMs)).toEqual([5000]);
    });
  });

  test('the bottleneck has the last reading of the server', () => {
    const crowded = {
      active: 64,
      server: { cores: 2, busyCores: 2 },
      queries: { '/slow': { aloneMs: 100, isWork: true } },
      routes: { '/slow': createRouteSecond(9, 900) },
    };
    const seconds = [1, 2, 3].map((n) => createSecond({ atMs: n * 1000, ...crowded }));
    expect(takeHistory(createState(), seconds).bottleneck).toEqual({ queries: 64, cores: 2 });

    const unread = createSecond({ ...crowded, atMs: 4000, server: null });
    expect(takeSecond(takeHistory(createState(), seconds), unread).bottleneck).toEqual({ queries: 64, cores: 2 });
    expect(takeHistory(createState(), [...seconds.slice(1), unread]).bottleneck).toBeNull();
  });

  test('each client is a view of its own, and each vehicle leaves through its own tunnel', () => {
    const [bus, ferrari] = ['/slow', '/fast'].map((route) => ({ id: 9, requestId: 'gone', route }));
    const slow = { name: 'slow', max: 3, lanes: [createConnection({ requestId: 'bus' })], left: [bus] };
    const state = takePool(createState(), createReading({ max: 2, left: [ferrari] }, slow), 250);

    expect(state).toMatchObject({ receivedAtMs: 250, pool: { max: 2, left: [{ route: '/fast' }] } });
    expect(state.others).toMatchObject([
      { receivedAtMs: 250, pool: { name: 'slow', max: 3, left: [{ route: '/slow' }] } },
    ]);
    expect([[...state.laneIndexes], ...state.others.map(({ laneIndexes }) => [...laneIndexes])]).toEqual([
      [],
      [['bus/1', 0]],
    ]);
    expect(takePool(state, createReading(), 500).others).toEqual([]);
  });

  test('requests keep their lanes from one event to the next', () => {
    const [a, b] = ['a', 'b'].map((requestId) => createConnection({ requestId }));
    const first = takePool(createState(), createReading({ lanes: [a, b] }), 0);
    const second = takePool(first, createReading({ lanes: [b] }), 250);

    expect([...second.laneIndexes]).toEqual([['b/1', 1]]);
  });
});

describe('charts', () => {
  const fast = { count: 10, failures: 3, p50Ms: 4, p95Ms: 900, maxMs: 901, waitP95Ms: 890 };
  const seconds = [
    createSecond({ atMs: 1000, routes: { '/fast': fast } }),
    createSecond({ atMs: 2003, routes: {} }),
    createSecond({ atMs: 2998, routes: { '/slow': { ...fast, failures: 1 } } }),
  ];

  /** Requests per second, and failures. @param {string[]} names of routes that are one */
  const listRates = (names) => SPECS[2].listSeries([{ label: 'both', names, color: 'measured-1' }]);

  test('points count back from the latest second, and a route without requests leaves a gap', () => {
    const points = listPoints(seconds, (second) => slowestOf(['/fast'], second)?.ms);

    expect(points).toEqual([
      { x: -2, y: 901 },
      { x: -1, y: null },
      { x: 0, y: null },
    ]);
    expect(findLatest(points.map(({ y }) => y))).toBe(0);
    expect(findLatest([])).toBe(-1);
  });

  test('a request counts as a success or a failure, never both', () => {
    const [successes, failures] = listRates(['/fast']).map(({ value }) => listPoints(seconds, value));
    expect(successes.map(({ y }) => y)).toEqual([7, 0, 0]);
    expect(failures.map(({ y }) => y)).toEqual([3, 0, 1]);
  });

  test('of several routes in one line the slowest counts, and all their requests', () => {
    const both = createSecond({ routes: { '/a': fast, '/b': { ...fast, maxMs: 20 } } });
    expect(slowestOf(['/a', '/b', '/c'], both)?.ms).toBe(901);
    expect(slowestOf(['/c'], both)).toBeUndefined();
    expect(listRates(['/a', '/b', '/c'])[0].value(both)).toBe(14);
  });

  test('a route has a 95th percentile from 20 responses on, and below its maximum', () => {
    const figureOf = (/** @type {object} */ change) =>
      slowestOf(['/fast'], createSecond({ routes: { '/fast': { ...fast, ...change } } }));
    expect(figureOf({ count: 22 })).toEqual({ ms: 901, figure: 'max' });
    expect(figureOf({ count: 23 })).toEqual({ ms: 900, figure: 'p95' });
    // One rule for what the page measured and what it predicts.
    expect(MIN_FOR_PERCENTILES).toBe(ofPredictor);
    const [series] = SPECS[0].listSeries([{ label: '/fast', names: ['/fast'], color: 'measured-2' }]);
    expect([series.label, series.figure?.(seconds[0]), series.figure?.(seconds[1])]).toEqual(['/fast', 'max', '']);
  });

  test('a logarithmic axis has ticks at the powers of ten', () => {
    const plot = /** @type {any} */ ({ scales: { y: { max: 10_000 } } });
    expect(LOG_LABELS.values(plot, LOG_LABELS.splits(plot))).toEqual(['1 ms', '10 ms', '100 ms', '1 s', '10 s']);
  });

  test('each request is a dot for two minutes: a wait, a use or a failure', () => {
    const finished = [
      createEnded({ totalMs: 900, waitMs: 890, useMs: 5 }),
      createEnded({ totalMs: 5000, waitMs: 0, useMs: 4990 }),
      createEnded({ totalMs: 9000, waitMs: 9000, useMs: 0, status: 503 }),
    ];
    const dots = addDots([], { atMs: 1000, finished });
    expect(dots.map(({ isWait, isFailed }) => [isWait, isFailed])).toEqual([
      [true, false],
      [false, false],
      [true, true],
    ]);
    // The time of a failure is no response time.
    expect(findMostMs(dots)).toBe(5000);
    expect(addDots(dots, { atMs: 120_999, finished: [] })).toHaveLength(3);
    expect(addDots(dots, { atMs: 121_000, finished: [] })).toEqual([]);
  });

  describe('which dots are on top', () => {
    const nothing = () => {};
    const palette = /** @type {any} */ ({ paper: 'paper', bus: 'bus', ferrari: 'ferrari' });
    const routes = /** @type {any} */ ([
      { names: ['/slow'], color: 'bus' },
      { names: ['/fast'], color: 'ferrari' },
    ]);
    const [used, waited] = [
      { waitMs: 0, useMs: 5000 },
      { waitMs: 4988, useMs: 2 },
    ];

    /** @param {import('mongodb-pool-monitor').EndedRequest[]} finished @returns {string[]} colours, the lowest first */
    function listDrawn(finished) {
      /** @type {string[]} */
      const drawn = [];
      const context = {
        ...{ globalAlpha: 1, fillStyle: '', fill: () => drawn.push(context.fillStyle) },
        ...{ save: nothing, restore: nothing, beginPath: nothing, rect: nothing, clip: nothing, arc: nothing },
      };
      const plot = /** @type {any} */ ({ ctx: context, bbox: {}, valToPos: () => 0 });
      Object.assign(globalThis, { devicePixelRatio: 1 });
      drawDots(plot, addDots([], { atMs: 1000, finished }), { nowMs: 1000, routes, palette });
      return drawn.filter((color) => color !== 'paper');
    }

    test('those that used a connection, over those that waited for it and ended in the same moment', () => {
      const finished = [createEnded({ route: '/slow', ...used }), createEnded({ route: '/fast', ...waited })];
      expect(listDrawn(finished)).toEqual(['ferrari', 'bus']);
    });

    test('those of the rarer route, whatever it did', () => {
      const [slow, fast] = [createEnded({ route: '/slow', ...waited }), createEnded({ route: '/fast', ...used })];
      expect(listDrawn([slow, fast, fast])).toEqual(['ferrari', 'ferrari', 'bus']);
      expect(listDrawn([slow, slow, slow, fast])).toEqual(['bus', 'bus', 'bus', 'ferrari']);
    });
  });
});

describe('routes in charts', () => {
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

  test('those that hold connections longest have a line each, and the one that came last; the rest share one', () => {
    const seconds = [
      second({ '/a': [1, 900], '/b': [500, 4], '/c': [1, 1], '/d': [2, 300], '/e': [100, 1], other: [9, 9] }),
      second({ '/c': [1, 1], '/f': [2, 2] }),
    ];
    expect(choose(seconds).map(({ label, names }) => [label, names])).toEqual([
      ['/e', ['/e']],
      ['/f', ['/f']],
      ['/b', ['/b']],
      ['/d', ['/d']],
      ['/a', ['/a']],
      ['other', ['/c', 'other']],
    ]);
    expect(choose(seconds.toReversed()).map(({ label }) => label)).toEqual(['/e', '/b', '/d', '/a', 'other']);
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

  test('a reload changes no colour, and a vehicle never has that of the other one, even where colours run out', () => {
    const seconds = [second({ '/a': [1, 1], '/b': [1, 2], '/c': [1, 3], '/d': [1, 4], '/e': [1, 5] })];
    const routes = choose(seconds);
    expect(routes.map(({ color }) => color)).toEqual(['measured-2', 'measured-3', 'measured-4', 'measured-5', 'muted']);
    expect(choose(seconds, routes)).toEqual(routes);
  });

  test('a route keeps its colour when others come before it', () => {
    const before = choose([second({ '/m': [1, 900] })]);
    const after = choose([second({ '/m': [1, 900], '/a': [1, 800], '/z': [1, 1000] })], before);
    expect(after.find(({ label }) => label === '/m')?.color).toBe(before[0].color);
    expect(new Set(after.map(({ color }) => color)).size).toBe(3);
  });

  test('a route that was judged by a slow start gives up the colour of the other vehicle', () => {
    const start = choose([second({ '/fast': [1, 400] })]);
    expect(start).toMatchObject([{ label: '/fast', color: 'measured-1' }]);
    const seconds = [second({ '/fast': [1, 400] }), second({ '/fast': [50, 2], '/slow': [1, 900] })];
    expect(choose(seconds, start)).toMatchObject([
      { label: '/fast', color: 'measured-2' },
      { label: '/slow', color: 'measured-1' },
    ]);
  });

  test('routes that the app knows are there before their first request', () => {
    expect(chooseRoutes([], findKinds([], QUERIES), [])).toEqual([
      { label: '/fast', names: ['/fast'], color: 'measured-2' },
      { label: '/slow', names: ['/slow'], color: 'measured-1' },
    ]);
  });
});

import { beforeEach, describe, expect, test } from '@jest/globals';
import { assignLanes, listLanes, placeTunnel } from 'mongodb-pool-page/page/lanes.js';
import { addDepartures, OUT_OF_SIGHT, paceOf, progressOf, progressOfDeparture } from 'mongodb-pool-page/page/motion.js';
import { fitQueue } from 'mongodb-pool-page/page/queue-fit.js';
import { createState, takePool } from 'mongodb-pool-page/page/state.js';
import { findKinds } from 'mongodb-pool-page/universal/route-kinds.js';
import { createConnection, createPool, createReading, QUERIES } from './sample-pool.js';
import { createPlayback } from '../../page/playback.js';

describe('lanes', () => {
  /** @param {string[]} requestIds */
  const connectionsOf = (...requestIds) =>
    requestIds.map((requestId, index) => createConnection({ id: index + 1, requestId }));

  describe('which lane a request drives in', () => {
    test('a request keeps its lane until it ends, and a new one takes the first free lane', () => {
      const [a, b, c] = connectionsOf('a', 'b', 'c');
      const first = assignLanes(new Map(), [a, b, c]);
      const second = assignLanes(first, [a, c, createConnection({ id: 4, requestId: 'd' })]);

      expect(Object.fromEntries(first)).toEqual({ 'a/1': 0, 'b/2': 1, 'c/3': 2 });
      expect(Object.fromEntries(second)).toEqual({ 'a/1': 0, 'c/3': 2, 'd/4': 1 });
    });

    test.each([
      ['connections of two clients with the same id', [{ requestId: 'old' }, { requestId: 'new' }]],
      ['two connections of one request', [{ id: 1 }, { id: 2 }]],
    ])('%s have two lanes', (_, connections) => {
      expect(new Set(assignLanes(new Map(), connections.map(createConnection)).values()).size).toBe(2);
    });
  });

  describe('the lanes of the picture', () => {
    test('a lane that is not busy is idle, connecting or closed', () => {
      const lanes = connectionsOf('a', 'b');
      const pool = createPool({ max: 6, idle: 1, connecting: 1, lanes });

      const all = listLanes(pool, assignLanes(new Map([['b/2', 2]]), lanes));

      expect(all.map(({ state }) => state).join(' ')).toBe('busy idle busy connecting closed closed');
      expect(all[2].connection?.requestId).toBe('b');
    });

    test('no lane is open while the database is unreachable', () => {
      const database = { reachable: false, reason: null };

      const lanes = listLanes(createPool({ max: 2, idle: 1, connecting: 1, database }), new Map());
      expect(lanes.map(({ state }) => state)).toEqual(['closed', 'closed']);
    });

    test.each([
      ['that shrinks shows all lanes that are still busy', { max: 1, lanes: connectionsOf('a', 'b', 'c') }, 3],
      ['without a limit shows its current connections', { max: 0, total: 4, idle: 3, lanes: connectionsOf('a') }, 4],
    ])('a pool %s', (_, pool, count) => {
      expect(listLanes(createPool(pool), assignLanes(new Map(), pool.lanes))).toHaveLength(count);
    });
  });

  describe('the layout', () => {
    test.each([
      [1, 'large'],
      [3, 'large'],
      [12, 'large'],
      [13, 'small'],
      [100, 'small'],
      [1000, 'bar'],
    ])('on a projector, the vehicles in %i lanes are %s', (count, vehicles) => {
      expect(placeTunnel(count, 1000, 360).layout.vehicles).toBe(vehicles);
    });

    test.each([
      [1000, 360],
      [400, 240],
      [1600, 480],
    ])('all lanes fit into %i by %i pixels', (width, height) => {
      for (const count of [1, 2, 7, 12, 13, 64, 99, 100, 101, 500, 999, 1000]) {
        const { layout, box } = placeTunnel(count, width, height);
        const { columns, rows, laneWidth, laneHeight } = layout;

        expect(columns * rows).toBeGreaterThanOrEqual(count);
        expect(columns * laneWidth).toBeLessThanOrEqual(box.right - box.left + 0.001);
        expect(rows * laneHeight).toBeLessThanOrEqual(height - 2 * box.hill + 0.001);
        expect(Math.min(laneWidth, laneHeight)).toBeGreaterThan(6);
      }
    });

    test.each([
      [0, 0],
      [0, 360],
      [2560, 0],
      [91, 360],
      [900, 27],
      [354, 240],
      [2560, 600],
    ])('canvas can paint them at %i by %i pixels, laid out or not', (width, height) => {
      for (const count of [1, 3, 12, 13, 100, 1000]) {
        const { layout, box } = placeTunnel(count, width, height);
        const { rows, columns, laneWidth, laneHeight } = layout;

        for (const length of [laneWidth, laneHeight, box.right - box.left]) expect(length).toBeGreaterThan(0);
        expect([rows, columns, box.top].every(Number.isFinite)).toBe(true);
        expect(columns * laneWidth).toBeCloseTo(box.right - box.left);
      }
    });
  });
});

describe('the painter', () => {
  const colors = /** @type {any} */ (
    new Proxy({}, { get: (_, name) => ({ 'measured-1': 'bus', 'measured-2': 'ferrari' })[String(name)] ?? name })
  );

  /**
   * One frame with a Ferrari that leaves the first lane, and a bus behind it.
   * @param {number} count of lanes
   * @returns {Promise<{ what: string, y: number }[]>} what it painted, and how far down texts are
   */
  async function paintFrame(count) {
    Object.assign(globalThis, {
      ...{ devicePixelRatio: 1, Path2D: class {}, getComputedStyle: () => ({ fontFamily: 'serif' }) },
    });
    const { TunnelPainter } = await import('mongodb-pool-page/page/tunnel-painter.js');
    /** @type {{ what: string, y: number }[]} */
    const painted = [];
    const context = new Proxy(/** @type {Record<string, any>} */ ({}), {
      get: (styles, name) => {
        if (name === 'fill' || name === 'stroke')
          return () => painted.push({ what: `${styles[`${name}Style`]}`, y: NaN });
        if (name === 'fillText')
          return (/** @type {string} */ what, /** @type {number} */ _x, /** @type {number} */ y) =>
            painted.push({ what, y });
        if (name === 'clip') return (/** @type {string} */ rule) => painted.push({ what: `clip ${rule}`, y: NaN });
        return () => {};
      },
    });
    const canvas = /** @type {any} */ ({ width: 0, height: 0, getContext: () => context });
    const { layout, box } = placeTunnel(count, 900, 360);
    const painter = new TunnelPainter(canvas, colors, layout, box);
    painter.paintGround();
    painter.paintVehicle(0, { kind: 'ferrari', progress: 1.1 });
    painter.paintVehicle(0, { kind: 'bus', progress: 0.5, busyMs: 3600 });
    painter.paintPortals([]);
    return painted;
  }

  test.each([1, 3, 10])('of %i lanes, the walls of the tunnel are in front of the vehicles', async (count) => {
    const painted = (await paintFrame(count)).map(({ what }) => what);
    const ferrari = painted.indexOf('ferrari');
    // All but the inside of the tunnel.
    const wall = painted.indexOf('clip evenodd');
    expect(ferrari).toBeGreaterThan(painted.indexOf('hill'));
    expect(wall).toBeGreaterThan(ferrari);
    expect(painted.slice(wall + 1, wall + 3)).toEqual(['road', 'hill']);
  });

  test.each([1, 3, 10])(
    'of %i lanes, the time at the exit has a word above it, once, and nothing covers it',
    async (count) => {
      const painted = await paintFrame(count);
      const [word, time] = painted.slice(-2);
      expect([word.what, time.what]).toEqual(['in use', '3.6 s']);
      expect(time.y - word.y).toBeGreaterThan(12);
    },
  );

  test('tiny lanes have no times, and so no word', async () => {
    expect((await paintFrame(100)).filter(({ y }) => !Number.isNaN(y))).toEqual([]);
  });
});

describe('motion', () => {
  const KINDS = findKinds([], QUERIES);
  const [BUS, FERRARI] = [{ route: '/slow' }, { route: '/fast' }];

  describe('how far a vehicle has come', () => {
    test('a bus moves steadily while its query runs, and then waits at the exit', () => {
      const half = progressOf(BUS, 2500, KINDS);

      expect(progressOf(BUS, 0, KINDS)).toBe(0);
      expect(half).toBeCloseTo(progressOf(BUS, 5000, KINDS) / 2);
      expect(progressOf(BUS, 9000, KINDS)).toBe(progressOf(BUS, 5000, KINDS));
    });

    test('a Ferrari does not reach the exit before its request ends', () => {
      expect(progressOf(FERRARI, 250, KINDS)).toBeGreaterThan(0.4);
      expect(progressOf(FERRARI, 60_000, KINDS)).toBeLessThan(1);
    });
  });

  test('what stays for good parks well before the exit, and a route of unknown time never arrives', () => {
    const stream = progressOf({ ...BUS, kind: 'changeStream' }, 1e9, KINDS);
    expect(stream).toBeLessThan(0.4);
    expect(progressOf({ route: '/new' }, 60_000, KINDS)).toBeLessThan(1);
  });

  describe('the pace', () => {
    const crowd = {
      queries: { '/slow': { aloneMs: 5000, isWork: true } },
      active: 8,
      server: { cores: 2, busyCores: 2 },
    };

    test.each(
      /** @type {const} */ ([
        [{}, 1 / 4],
        // Others on its machine take the rest.
        [{ server: { cores: 2, busyCores: 1.2 } }, 1.2 / 8],
        // The load has just begun.
        [{ server: { cores: 2, busyCores: 0.1 } }, 1 / 8],
        [{ server: { cores: 2, busyCores: null } }, 1 / 4],
        [{ active: 2 }, 1],
        [{ queries: QUERIES }, 1],
        [{ server: null }, 1],
      ]),
    )('of eight queries that work on two cores, but %j, is %d', (change, pace) => {
      const pool = { ...crowd, ...change };
      expect(paceOf(pool, pool.active)).toBeCloseTo(pace);
    });

    test('a change changes how fast a bus drives on, and not where it is', () => {
      let state = createState();
      const driven = [{}, crowd, crowd, {}, {}].map((pool, index) => {
        const lanes = [createConnection({ busyMs: 100 + index * 200 })];
        state = takePool(state, createReading({ ...pool, lanes }), index * 200);
        return state.drivenMs.get('bus/1');
      });
      expect(driven).toEqual([100, 300, 350, 400, 600]);
    });
  });

  describe('driving out', () => {
    /** @param {Parameters<typeof createReading>[0]} reading the first one */
    function departAtOnce(reading) {
      const state = takePool(createState(), createReading(reading), 0);
      return addDepartures([], createState(), state);
    }

    test('a bus drives on from where it was, in the same lane', () => {
      const [other, bus] = [createConnection({ requestId: 'other' }), createConnection({ id: 2, busyMs: 4800 })];
      const before = takePool(createState(), createReading({ max: 2, lanes: [other, bus] }), 0);
      const state = takePool(before, createReading({ max: 2, lanes: [other], left: [bus] }), 250);

      const [departure] = addDepartures([], before, state);

      expect(departure).toMatchObject({ laneIndex: 1, kind: 'bus' });
      expect(progressOfDeparture(departure, 250)).toBeCloseTo(progressOf(BUS, 5050, KINDS));
      expect(progressOfDeparture(departure, 5000)).toBe(OUT_OF_SIGHT);
    });

    test('Ferraris that came and went between two events take the open lanes in turn', () => {
      const left = ['a', 'b', 'c'].map((requestId) => ({ id: 2, requestId, route: '/fast' }));
      const departures = departAtOnce({ max: 4, idle: 2, lanes: [createConnection()], left });

      expect(departures.map(({ laneIndex }) => laneIndex)).toEqual([1, 2, 1]);
      expect(departures[2].startsAtMs).toBeGreaterThan(departures[0].startsAtMs);
      expect(progressOfDeparture(departures[2], departures[2].startsAtMs - 1)).toBeLessThan(0);
    });

    test('without an open lane, a Ferrari drives ahead of the bus that came after it', () => {
      const left = [{ id: 1, requestId: 'ferrari', route: '/fast' }];
      const [{ laneIndex, from }] = departAtOnce({ lanes: [createConnection({ busyMs: 100 })], left });

      expect(laneIndex).toBe(0);
      expect(from).toBeGreaterThan(progressOf(BUS, 100, KINDS));
    });

    test('a Ferrari was in the lane of its connection; none drives through what parks for good', () => {
      const lanes = [createConnection({ kind: 'changeStream' }), ...[2, 3].map((id) => createConnection({ id }))];
      const left = [3, 1, 7, 3].map((id, index) => ({ id, requestId: `f${index}`, route: '/fast' }));

      expect(departAtOnce({ max: 3, lanes, left }).map(({ laneIndex }) => laneIndex)).toEqual([2, 1, 2, 2]);
    });

    test('of very many that left at once, only those that can be told apart are shown', () => {
      const left = Array.from({ length: 20 }, (_, id) => ({ id, requestId: `f${id}`, route: '/fast' }));

      expect(departAtOnce({ max: 2, idle: 2, left })).toHaveLength(6);
    });

    test('a vehicle that is out of sight is removed', () => {
      const departed = /** @type {const} */ ({ laneIndex: 0, kind: 'ferrari', from: 0, startsAtMs: 0 });
      const state = takePool(createState(), createReading(), 10_000);

      expect(addDepartures([departed], createState(), state)).toEqual([]);
    });
  });
});

describe('the queue', () => {
  describe('on the road of a laptop', () => {
    const fit = (/** @type {number} */ waiting) => fitQueue(waiting, Math.min(waiting, 50), 400, 330);

    test('a short queue is large, and fills a line before it starts the next', () => {
      expect(fit(2)).toEqual({ cell: 80, rows: 2, large: 2, shown: 2, more: 0 });
      expect(fit(3)).toEqual({ cell: 80, rows: 4, large: 3, shown: 3, more: 0 });
    });

    test('only the head of a longer queue is large', () => {
      expect(fit(7)).toEqual({ cell: 80, rows: 2, large: 1, shown: 7, more: 0 });
      expect(fit(10)).toEqual({ cell: 80, rows: 4, large: 2, shown: 10, more: 0 });
    });

    test('the last place counts the vehicles that do not fit', () => {
      expect(fit(203)).toEqual({ cell: 80, rows: 4, large: 2, shown: 13, more: 190 });
    });
  });

  test('vehicles that the app does not list are counted too', () => {
    expect(fitQueue(60, 50, 2000, 1500)).toMatchObject({ shown: 50, more: 10 });
  });

  test.each([
    [284, 136],
    [354, 136],
    [400, 360],
    [630, 600],
    [760, 480],
  ])('on %i by %i pixels, each time takes two fifths of the road, and all places fit', (width, height) => {
    for (let waiting = 1; waiting <= 200; waiting++) {
      const { cell, rows, large, shown, more } = fitQueue(waiting, Math.min(waiting, 50), width, height);
      const small = shown - large + Math.sign(more);
      const columns = 2 + Math.ceil(small / rows);

      expect(shown + more).toBe(waiting);
      expect(2 * cell).toBeGreaterThanOrEqual(Math.min(width * 0.4, 260));
      expect(large).toBeGreaterThanOrEqual(1);
      expect(rows * cell * 0.78).toBeLessThanOrEqual(height);
      expect((small > 0 ? columns : 2 * Math.ceil((2 * large) / rows)) * cell).toBeLessThanOrEqual(width + 0.001);
    }
  });

  test.each([
    [0, 0],
    [350, 136],
    [40, 10],
  ])('on %i by %i pixels, every vehicle is shown or counted', (width, height) => {
    for (const waiting of [0, 1, 2, 50, 1000]) {
      const { cell, shown, more } = fitQueue(waiting, Math.min(waiting, 50), width, height);

      expect(shown + more).toBe(waiting);
      expect(shown).toBeGreaterThanOrEqual(0);
      expect(cell).toBeGreaterThan(0);
    }
  });
});

describe('playback', () => {
  /** @type {number} */
  let realMs;
  /** Which changes were applied, and the page's time then. @type {[name: string, atMs: number][]} */
  let applied;
  /** @type {ReturnType<typeof createPlayback>} */
  let playback;

  beforeEach(() => {
    [realMs, applied] = [1000, []];
    playback = createPlayback(
      () => {},
      () => realMs,
    );
  });

  /** @param {number} atMs @returns {typeof applied} what has been applied by then */
  function listApplied(atMs) {
    realMs = atMs;
    playback.catchUp();
    return applied;
  }

  /** @param {string} name @param {number} atMs */
  function happen(name, atMs) {
    realMs = atMs;
    playback.add((ms) => applied.push([name, ms]));
  }

  test('live, a change is shown when it happens', () => {
    happen('a', 1200);
    expect(applied).toEqual([['a', 1200]]);
    expect(playback.behindMs()).toBe(0);
  });

  test('in a pause nothing is shown and the time stands still; afterwards it goes on from there', () => {
    playback.setRate(0);
    happen('a', 1200);
    happen('b', 1500);
    expect(applied).toEqual([]);
    expect(playback.nowMs()).toBe(1000);

    playback.setRate(1);
    expect(listApplied(1700)).toEqual([['a', 1200]]);
    expect(listApplied(2000).slice(1)).toEqual([['b', 1500]]);
    expect(playback.behindMs()).toBe(500);
  });

  test('slow motion shows changes in order, four times as late', () => {
    playback.setRate(0.25);
    happen('a', 1100);
    happen('b', 1200);
    expect(listApplied(1400)).toEqual([['a', 1100]]);
    expect(listApplied(1800).slice(1)).toEqual([['b', 1200]]);
  });

  test('back to live, everything has happened', () => {
    playback.setRate(0);
    happen('a', 1100);
    playback.goLive();
    expect(applied).toEqual([['a', 1100]]);
    happen('b', 1300);
    expect(applied.at(-1)).toEqual(['b', 1300]);
  });

  test('after ten minutes of pause the page is live again', () => {
    playback.setRate(0);
    happen('a', 601_000);
    expect(applied).toEqual([]);
    happen('b', 601_001);
    expect(applied.map(([name]) => name)).toEqual(['a', 'b']);
    expect(playback.behindMs()).toBe(0);
  });
});

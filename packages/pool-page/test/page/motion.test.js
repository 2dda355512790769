import { describe, expect, test } from '@jest/globals';
import { OUT_OF_SIGHT, addDepartures, paceOf, progressOf, progressOfDeparture } from 'mongodb-pool-page/page/motion.js';
import { createState, takePool } from 'mongodb-pool-page/page/state.js';
import { findKinds } from 'mongodb-pool-page/universal/route-kinds.js';
import { QUERIES, createConnection, createReading } from './sample-pool.js';

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

  test('a Ferrari whose connection another vehicle has now was in its lane, and none drives through what parks for good', () => {
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

import { describe, expect, test } from '@jest/globals';
import { OUT_OF_SIGHT, addDepartures, paceOf, progressOf, progressOfDeparture } from 'mongodb-pool-monitor/page/motion.js';
import { createState, takePool } from 'mongodb-pool-monitor/page/state.js';
import { findKinds } from 'mongodb-pool-monitor/universal/route-kinds.js';
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
  const crowd = { queries: { '/slow': { aloneMs: 5000, isWork: true } }, active: 8, server: { cores: 2, busyCores: 2 } };

  test.each(/** @type {const} */ ([
    [{}, 1 / 4],
    // Others on its machine take the rest.
    [{ server: { cores: 2, busyCores: 1.2 } }, 1.2 / 8],
    // The load has just begun.
    [{ server: { cores: 2, busyCores: 0.1 } }, 1 / 8],
    [{ server: { cores: 2, busyCores: null } }, 1 / 4],
    [{ active: 2 }, 1],
    [{ queries: QUERIES }, 1],
    [{ server: null }, 1],
  ]))('of eight queries that work on two cores, but %j, is %d', (change, pace) => {
    const pool = { ...crowd, ...change };
    expect(paceOf(pool, pool.active)).toBeCloseTo(pace);
  });

  test('a change changes how fast a bus drives on, and not where it is', () => {
    const busAfter = (/** @type {number} */ busyMs) => [createConnection({ busyMs })];
    let state = takePool(createState(), createReading({ lanes: busAfter(100) }), 0);
    state = takePool(state, createReading({ ...crowd, lanes: busAfter(300) }), 200);
    expect(state.drivenMs.get('bus/1')).toBe(300);
    state = takePool(state, createReading({ ...crowd, lanes: busAfter(500) }), 400);
    expect(state.drivenMs.get('bus/1')).toBe(350);
    state = takePool(state, createReading({ lanes: busAfter(700) }), 600);
    expect(state.drivenMs.get('bus/1')).toBe(400);
    state = takePool(state, createReading({ lanes: busAfter(900) }), 800);
    expect(state.drivenMs.get('bus/1')).toBe(600);
  });
});

describe('driving out', () => {
  test('a bus drives on from where it was, in the same lane', () => {
    const lanes = [createConnection({ requestId: 'other' }), createConnection({ id: 2, requestId: 'bus', busyMs: 4800 })];
    const before = takePool(createState(), createReading({ max: 2, lanes }), 0);
    const state = takePool(before, createReading({
      max: 2, lanes: [lanes[0]], left: [{ id: 2, requestId: 'bus', route: '/slow' }],
    }), 250);

    const [departure] = addDepartures([], before, state);

    expect(departure).toMatchObject({ laneIndex: 1, kind: 'bus' });
    expect(progressOfDeparture(departure, 250)).toBeCloseTo(progressOf(BUS, 5050, KINDS));
    expect(progressOfDeparture(departure, 5000)).toBe(OUT_OF_SIGHT);
  });

  test('Ferraris that came and went between two events take the open lanes in turn', () => {
    const state = takePool(createState(), createReading({
      max: 4, idle: 2, lanes: [createConnection()],
      left: ['a', 'b', 'c'].map((requestId) => ({ id: 2, requestId, route: '/fast' })),
    }), 0);

    const departures = addDepartures([], createState(), state);

    expect(departures.map(({ laneIndex }) => laneIndex)).toEqual([1, 2, 1]);
    expect(departures[2].startsAtMs).toBeGreaterThan(departures[0].startsAtMs);
    expect(progressOfDeparture(departures[2], departures[2].startsAtMs - 1)).toBeLessThan(0);
  });

  test('without an open lane, a Ferrari drives ahead of the bus that came after it', () => {
    const state = takePool(createState(), createReading({
      lanes: [createConnection({ busyMs: 100 })], left: [{ id: 1, requestId: 'ferrari', route: '/fast' }],
    }), 0);

    const [{ laneIndex, from }] = addDepartures([], createState(), state);

    expect(laneIndex).toBe(0);
    expect(from).toBeGreaterThan(progressOf(BUS, 100, KINDS));
  });

  test('a Ferrari whose connection another vehicle has now was in its lane, and none drives through what parks for good', () => {
    const lanes = [createConnection({ id: 1, kind: 'changeStream' }), createConnection({ id: 2 }), createConnection({ id: 3 })];
    const left = [3, 1, 7, 3].map((id, index) => ({ id, requestId: `f${index}`, route: '/fast' }));
    const state = takePool(createState(), createReading({ max: 3, lanes, left }), 0);

    expect(addDepartures([], createState(), state).map(({ laneIndex }) => laneIndex)).toEqual([2, 1, 2, 2]);
  });

  test('of very many that left at once, only those that can be told apart are shown', () => {
    const left = Array.from({ length: 20 }, (_, id) => ({ id, requestId: `f${id}`, route: '/fast' }));
    const state = takePool(createState(), createReading({ max: 2, idle: 2, left }), 0);

    expect(addDepartures([], createState(), state)).toHaveLength(6);
  });

  test('a vehicle that is out of sight is removed', () => {
    const departed = /** @type {const} */ ({ laneIndex: 0, kind: 'ferrari', from: 0, startsAtMs: 0 });
    const state = takePool(createState(), createReading(), 10_000);

    expect(addDepartures([departed], createState(), state)).toEqual([]);
  });
});

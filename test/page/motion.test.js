import { describe, expect, test } from '@jest/globals';
import { OUT_OF_SIGHT, addDepartures, paceOf, progressOf, progressOfDeparture } from 'mongodb-pool-monitor/page/motion.js';
import { createState, takePool } from 'mongodb-pool-monitor/page/state.js';
import { QUERIES, createEnded, createConnection, createReading } from './sample-pool.js';

describe('how far a vehicle has come', () => {
  test('a bus moves steadily while its query runs, and then waits at the exit', () => {
    const half = progressOf('/slow', 2500, 5000);

    expect(progressOf('/slow', 0, 5000)).toBe(0);
    expect(half).toBeCloseTo(progressOf('/slow', 5000, 5000) / 2);
    expect(progressOf('/slow', 9000, 5000)).toBe(progressOf('/slow', 5000, 5000));
  });

  test('a Ferrari does not reach the exit before its request ends', () => {
    expect(progressOf('/fast', 250, 5000)).toBeGreaterThan(0.4);
    expect(progressOf('/fast', 60_000, 5000)).toBeLessThan(1);
  });
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
    expect(state.drivenMs.get('bus')).toBe(300);
    state = takePool(state, createReading({ ...crowd, lanes: busAfter(500) }), 400);
    expect(state.drivenMs.get('bus')).toBe(350);
    state = takePool(state, createReading({ lanes: busAfter(700) }), 600);
    expect(state.drivenMs.get('bus')).toBe(400);
    state = takePool(state, createReading({ lanes: busAfter(900) }), 800);
    expect(state.drivenMs.get('bus')).toBe(600);
  });
});

describe('driving out', () => {
  test('a bus drives on from where it was, in the same lane', () => {
    const lanes = [createConnection({ requestId: 'other' }), createConnection({ requestId: 'bus', busyMs: 4800 })];
    const before = takePool(createState(), createReading({ max: 2, lanes }), 0);
    const state = takePool(before, createReading({
      max: 2, lanes: [lanes[0]], finished: [createEnded({ requestId: 'bus', route: '/slow' })],
    }), 250);

    const [departure] = addDepartures([], before, state);

    expect(departure.laneIndex).toBe(1);
    expect(progressOfDeparture(departure, 250)).toBeCloseTo(progressOf('/slow', 5050, 5000));
    expect(progressOfDeparture(departure, 5000)).toBe(OUT_OF_SIGHT);
  });

  test('Ferraris that came and went between two events take the open lanes in turn', () => {
    const state = takePool(createState(), createReading({
      max: 4, idle: 2, lanes: [createConnection()],
      finished: ['a', 'b', 'c'].map((requestId) => createEnded({ requestId })),
    }), 0);

    const departures = addDepartures([], createState(), state);

    expect(departures.map(({ laneIndex }) => laneIndex)).toEqual([1, 2, 1]);
    expect(departures[2].startsAtMs).toBeGreaterThan(departures[0].startsAtMs);
    expect(progressOfDeparture(departures[2], departures[2].startsAtMs - 1)).toBeLessThan(0);
  });

  test('without an open lane, a Ferrari drives ahead of the bus that came after it', () => {
    const state = takePool(createState(), createReading({
      lanes: [createConnection({ busyMs: 100 })], finished: [createEnded()],
    }), 0);

    const [{ laneIndex, from }] = addDepartures([], createState(), state);

    expect(laneIndex).toBe(0);
    expect(from).toBeGreaterThan(progressOf('/slow', 100, 5000));
  });

  test('a request that gave up waiting never enters the tunnel', () => {
    const state = takePool(createState(), createReading({ finished: [createEnded({ status: 503 })] }), 0);

    expect(addDepartures([], createState(), state)).toEqual([]);
  });

  test('a vehicle that is out of sight is removed', () => {
    const departed = { laneIndex: 0, route: '/fast', from: 0, startsAtMs: 0 };
    const state = takePool(createState(), createReading(), 10_000);

    expect(addDepartures([departed], createState(), state)).toEqual([]);
  });
});

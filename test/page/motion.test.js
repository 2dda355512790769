import { describe, expect, test } from '@jest/globals';
import { GONE, addDepartures, progressOf, progressOfDeparture } from '../../src/page/motion.js';
import { createState, takePool } from '../../src/page/state.js';
import { createFinished, createLane, createPool } from './sample-pool.js';

describe('how far a vehicle has come', () => {
  test('a bus drives evenly through the time its query takes, and waits at the exit', () => {
    const half = progressOf('/slow', 2500, 5000);

    expect(progressOf('/slow', 0, 5000)).toBe(0);
    expect(half).toBeCloseTo(progressOf('/slow', 5000, 5000) / 2);
    expect(progressOf('/slow', 9000, 5000)).toBe(progressOf('/slow', 5000, 5000));
  });

  test('a Ferrari never gets quite through before it has left', () => {
    expect(progressOf('/fast', 250, 5000)).toBeGreaterThan(0.4);
    expect(progressOf('/fast', 60_000, 5000)).toBeLessThan(1);
  });
});

describe('driving out', () => {
  test('a bus that was seen drives on from where it was, in its own lane', () => {
    const lanes = [createLane({ requestId: 'other' }), createLane({ requestId: 'bus', busyMs: 4800 })];
    const before = takePool(createState(), createPool({ max: 2, lanes }), 0);
    const state = takePool(before, createPool({
      max: 2, lanes: [lanes[0]], finished: [createFinished({ requestId: 'bus', route: '/slow' })],
    }), 250);

    const [departure] = addDepartures([], before, state);

    expect(departure.slot).toBe(1);
    expect(progressOfDeparture(departure, 250)).toBeCloseTo(progressOf('/slow', 5050, 5000));
    expect(progressOfDeparture(departure, 5000)).toBe(GONE);
  });

  test('Ferraris that nobody saw take the open lanes, one after the other', () => {
    const state = takePool(createState(), createPool({
      max: 4, idle: 2, lanes: [createLane()],
      finished: ['a', 'b', 'c'].map((requestId) => createFinished({ requestId })),
    }), 0);

    const departures = addDepartures([], createState(), state);

    expect(departures.map(({ slot }) => slot)).toEqual([1, 2, 1]);
    expect(departures[2].startsAtMs).toBeGreaterThan(departures[0].startsAtMs);
    expect(progressOfDeparture(departures[2], departures[2].startsAtMs - 1)).toBeLessThan(0);
  });

  test('where no lane is open, a Ferrari drives ahead of the bus that came in after it', () => {
    const state = takePool(createState(), createPool({
      lanes: [createLane({ busyMs: 100 })], finished: [createFinished()],
    }), 0);

    const [{ slot, from }] = addDepartures([], createState(), state);

    expect(slot).toBe(0);
    expect(from).toBeGreaterThan(progressOf('/slow', 100, 5000));
  });

  test('a request that gave up waiting never drives', () => {
    const state = takePool(createState(), createPool({ finished: [createFinished({ status: 503 })] }), 0);

    expect(addDepartures([], createState(), state)).toEqual([]);
  });

  test('what is out of sight is forgotten', () => {
    const gone = { slot: 0, route: '/fast', from: 0, startsAtMs: 0 };
    const state = takePool(createState(), createPool(), 10_000);

    expect(addDepartures([gone], createState(), state)).toEqual([]);
  });
});

import { describe, expect, test } from '@jest/globals';
import { assignSlots, layOutLanes, listSlots, placeTunnel } from '../../src/page/lanes.js';
import { createPool, createLane } from './sample-pool.js';

/** @param {string[]} requestIds */
const lanesOf = (...requestIds) => (
  requestIds.map((requestId, index) => createLane({ id: index + 1, requestId }))
);

describe('which lane a request drives in', () => {
  test('it keeps its lane until it is through, and the next one takes the first that is free', () => {
    const first = assignSlots(new Map(), lanesOf('a', 'b', 'c'));
    const second = assignSlots(first, lanesOf('a', 'c', 'd'));

    expect([...first]).toEqual([['a', 0], ['b', 1], ['c', 2]]);
    expect(Object.fromEntries(second)).toEqual({ a: 0, c: 2, d: 1 });
  });

  test('connections of two clients that have the same id are two lanes', () => {
    const lanes = [createLane({ id: 1, requestId: 'old' }), createLane({ id: 1, requestId: 'new' })];

    expect(new Set(assignSlots(new Map(), lanes).values()).size).toBe(2);
  });
});

describe('the lanes of the picture', () => {
  test('those that are not busy are open, in the making, or not opened yet', () => {
    const lanes = lanesOf('a', 'b');
    const pool = createPool({ max: 6, idle: 1, connecting: 1, lanes });

    const slots = listSlots(pool, assignSlots(new Map([['b', 2]]), lanes));

    expect(slots.map(({ state }) => state).join(' ')).toBe('busy idle busy connecting closed closed');
    expect(slots[2].lane?.requestId).toBe('b');
  });

  test('none is open while the database is gone', () => {
    const database = { reachable: false, reason: null };

    expect(listSlots(createPool({ max: 2, idle: 1, connecting: 1, database }), new Map()))
      .toEqual([{ state: 'closed' }, { state: 'closed' }]);
  });

  test('a pool that shrinks shows the lanes that are still busy', () => {
    const lanes = lanesOf('a', 'b', 'c');

    expect(listSlots(createPool({ max: 1, lanes }), assignSlots(new Map(), lanes))).toHaveLength(3);
  });

  test('a pool without a limit shows the connections that it has', () => {
    const lanes = lanesOf('a');

    const pool = createPool({ max: 0, total: 4, idle: 3, lanes });

    expect(listSlots(pool, assignSlots(new Map(), lanes))).toHaveLength(4);
  });
});

describe('where they lie', () => {
  test.each([
    [1, 'lane'], [3, 'lane'], [12, 'lane'], [13, 'row'], [100, 'row'], [1000, 'cell'],
  ])('%i lanes of a projector are each a %s', (count, kind) => {
    expect(layOutLanes(count, 900, 330).kind).toBe(kind);
  });

  test.each([[900, 330], [330, 210], [1500, 450]])('all fit into %i by %i pixels', (width, height) => {
    for (const count of [1, 2, 7, 12, 13, 64, 99, 100, 101, 500, 999, 1000]) {
      const { columns, rows, laneWidth, laneHeight } = layOutLanes(count, width, height);

      expect(columns * rows).toBeGreaterThanOrEqual(count);
      expect(columns * laneWidth).toBeLessThanOrEqual(width + 0.001);
      expect(rows * laneHeight).toBeLessThanOrEqual(height + 0.001);
      expect(Math.min(laneWidth, laneHeight)).toBeGreaterThan(6);
    }
  });

  test.each([[0, 0], [0, 360], [2560, 0], [91, 360], [900, 27], [354, 240], [2560, 600]])(
    'canvas can paint them in a room of %i by %i pixels, laid out or not', (width, height) => {
      for (const count of [1, 3, 12, 13, 100, 1000]) {
        const { layout: { rows, columns, laneWidth, laneHeight }, box } = placeTunnel(count, width, height);

        for (const length of [laneWidth, laneHeight, box.right - box.left]) expect(length).toBeGreaterThan(0);
        expect([rows, columns, box.top].every(Number.isFinite)).toBe(true);
        expect(columns * laneWidth).toBeCloseTo(box.right - box.left);
      }
    });
});

import { describe, expect, test } from '@jest/globals';
import { assignLanes, layOutLanes, listLanes, placeTunnel } from 'mongodb-pool-page/page/lanes.js';
import { createConnection, createPool } from './sample-pool.js';

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
    expect(layOutLanes(count, 900, 330).vehicles).toBe(vehicles);
  });

  test.each([
    [900, 330],
    [330, 210],
    [1500, 450],
  ])('all lanes fit into %i by %i pixels', (width, height) => {
    for (const count of [1, 2, 7, 12, 13, 64, 99, 100, 101, 500, 999, 1000]) {
      const { columns, rows, laneWidth, laneHeight } = layOutLanes(count, width, height);

      expect(columns * rows).toBeGreaterThanOrEqual(count);
      expect(columns * laneWidth).toBeLessThanOrEqual(width + 0.001);
      expect(rows * laneHeight).toBeLessThanOrEqual(height + 0.001);
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

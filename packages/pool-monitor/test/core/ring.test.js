import { expect, test } from '@jest/globals';
import { Ring } from '../../src/core/ring.js';

test('keeps the last ones, and writes over the oldest', () => {
  const ring = new Ring(3);
  expect(Array.from({ length: 5 }, () => ring.next())).toEqual([0, 1, 2, 0, 1]);
  expect([ring.lastId, ring.forgottenId]).toEqual([5, 2]);
  expect([0, 4, 5].map((id) => [...ring.idsAfter(id)])).toEqual([[3, 4, 5], [5], []]);
  expect(ring.rowOf(4)).toBe(0);
});

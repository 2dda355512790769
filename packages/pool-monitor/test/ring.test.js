import { expect, test } from '@jest/globals';
import { Ring } from '../src/ring.js';

test('keeps the last ones, and writes over the oldest', () => {
  const ring = new Ring(3, () => ({ id: 0 }));
  const [first] = Array.from({ length: 5 }, () => ring.next());
  expect([ring.lastId, ring.forgottenId]).toEqual([5, 2]);
  expect(ring.after(0).map(({ id }) => id)).toEqual([3, 4, 5]);
  expect(ring.after(4).map(({ id }) => id)).toEqual([5]);
  expect([0, 2, 4].map((id) => ring.find(id)?.id)).toEqual([undefined, undefined, 4]);
  expect(ring.find(4)).toBe(first);
});

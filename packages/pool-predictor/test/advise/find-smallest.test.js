import { expect, test } from '@jest/globals';
import { findFirst, findSmallest } from '../../src/advise/find-smallest.js';

test.each([1, 2, 7, 100])('finds %i among a hundred in a few steps', async (answer) => {
  let steps = 0;
  expect(await findSmallest(1, 100, async (number) => ++steps > 0 && number >= answer)).toBe(answer);
  expect(steps).toBeLessThanOrEqual(8);
});

test('finds nothing when nothing passes, or the range is empty', async () => {
  expect(await findSmallest(1, 100, async () => false)).toBeNull();
  expect(await findSmallest(2, 1, async () => true)).toBeNull();
});

test('where more may be worse, it also tries the numbers below', async () => {
  const passes = async (/** @type {number} */ number) => [3, 4, 60, 61].includes(number) || number > 80;
  expect(await findSmallest(1, 100, passes)).toBe(81);
  expect(await findSmallest(1, 100, passes, () => false)).toBe(3);
  expect(await findSmallest(1, 79, passes, () => false)).toBe(3);
  expect(await findSmallest(1, 79, passes)).toBeNull();
});

test('where only a range passes, its first number', async () => {
  const between = (/** @type {number} */ from, /** @type {number} */ to) => async (/** @type {number} */ number) => number >= from && number <= to;
  expect(await findFirst(1, 1000, between(1, 1))).toBe(1);
  expect(await findFirst(1, 1000, between(6, 9))).toBe(6);
  expect(await findFirst(1, 1000, between(90, 130))).toBe(90);
  expect(await findFirst(1, 1000, between(999, 1000))).toBe(999);
  expect(await findFirst(5, 4, between(1, 9))).toBeNull();
  expect(await findFirst(1, 1000, between(2000, 3000))).toBeNull();
});

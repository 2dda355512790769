import { expect, test } from '@jest/globals';
import { findFirst, findSmallest, listNumbers } from '../../src/advise/find-smallest.js';

test.each([1, 2, 7, 100])('finds %i among a hundred in a few steps, most of which fail', async (answer) => {
  let steps = 0;
  let passed = 0;
  const passes = async (/** @type {number} */ number) => {
    steps++;
    if (number >= answer) passed++;
    return number >= answer;
  };
  expect(await findSmallest(1, 100, passes)).toBe(answer);
  expect(steps).toBeLessThanOrEqual(13);
  // The largest, then one from below, and at most as many as it takes to halve the step to that.
  expect(passed).toBeLessThanOrEqual(4);
});

test('finds nothing when nothing passes, or the range is empty', async () => {
  expect(await findSmallest(1, 100, async () => false)).toBeNull();
  expect(await findSmallest(2, 1, async () => true)).toBeNull();
});

test('where more may be worse, it also tries the numbers below', async () => {
  const passes = async (/** @type {number} */ number) => [4, 5, 60, 61].includes(number) || number > 80;
  expect(await findSmallest(1, 100, passes)).toBe(81);
  expect(await findSmallest(1, 100, passes, () => false)).toBe(4);
  expect(await findSmallest(1, 79, passes, () => false)).toBe(4);
  expect(await findSmallest(1, 79, passes)).toBeNull();
  expect(await findSmallest(70, 80, passes, () => false)).toBeNull();
});

test('where only a range passes, its first number', async () => {
  const between = (/** @type {number} */ from, /** @type {number} */ to) => async (/** @type {number} */ number) =>
    number >= from && number <= to;
  expect(await findFirst(1, 1000, between(1, 1))).toBe(1);
  expect(await findFirst(1, 1000, between(6, 9))).toBe(6);
  expect(await findFirst(1, 1000, between(90, 130))).toBe(90);
  expect(await findFirst(1, 1000, between(999, 1000))).toBe(999);
  expect(await findFirst(5, 4, between(1, 9))).toBeNull();
  expect(await findFirst(1, 1000, between(2000, 3000))).toBeNull();
});

test('a range of one number, and the 100 numbers below', async () => {
  expect(await findSmallest(7, 7, async () => true)).toBe(7);
  expect(await findSmallest(7, 7, async () => false)).toBeNull();
  const passes = (/** @type {number} */ first) => async (/** @type {number} */ number) =>
    number === first || number > 400;
  expect(await findSmallest(1, 500, passes(301), () => false)).toBe(301);
  expect(await findSmallest(1, 500, passes(300), () => false)).toBe(401);
  expect(await findSmallest(301, 500, passes(300), () => false)).toBe(401);
  expect(await findSmallest(3, 500, passes(4), () => true)).toBe(401);
  expect(await findFirst(3, 3, async () => true)).toBe(3);
});

test('each number is 1.25 times the one before it, or one more', () => {
  expect(listNumbers(1, 12)).toEqual([1, 2, 3, 4, 5, 6, 8, 10]);
  expect(listNumbers(8, 10)).toEqual([8, 10]);
  expect(listNumbers(2, 1)).toEqual([]);
});

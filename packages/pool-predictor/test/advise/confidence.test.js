import { describe, expect, test } from '@jest/globals';
import { MIN_RUNS, samplesNeeded, upperLimit } from '../../src/advise/confidence.js';
import { createRandom } from '../../src/simulator/random.js';

test("samples needed are those of Wilks' tables", () => {
  expect([0.5, 0.9, 0.95, 0.99, 0.999, 1].map(samplesNeeded)).toEqual([5, 29, 59, 299, 2995, 1]);
  expect(MIN_RUNS).toBe(59);
});

describe('the limit that 95 of 100 runs keep', () => {
  const numbers = (/** @type {number} */ count) => Array.from({ length: count }, (_, index) => index + 1);

  // From tables of one-sided tolerance limits, 95 %/95 %: the largest of 59, the second of 93, the third of 124.
  test.each([
    [59, 59],
    [92, 92],
    [93, 92],
    [123, 122],
    [124, 122],
    [153, 150],
  ])('with %i runs it is number %i', (count, rank) => {
    expect(upperLimit(numbers(count))).toBe(rank);
  });

  test('holds with the stated confidence', () => {
    const random = createRandom(7);
    let held = 0;
    for (let trial = 0; trial < 2000; trial++) {
      if (upperLimit(Array.from({ length: 100 }, random.uniform)) >= 0.95) held++;
    }
    // P(the second of 100 exceeds the 95th percentile) = 0.963; three standard errors of 2000 trials are 0.013.
    expect(Math.abs(held / 2000 - 0.963)).toBeLessThan(0.013);
  });

  test('with a single run is that run', () => {
    expect(upperLimit([42])).toBe(42);
  });

  test('needs at least 59 runs', () => {
    expect(() => upperLimit(numbers(58))).toThrow('58 runs are too few');
  });

  test('is infinite when too many runs fail', () => {
    expect(upperLimit([...numbers(98), Infinity, Infinity])).toBe(Infinity);
    expect(upperLimit([...numbers(99), Infinity])).toBe(99);
  });
});

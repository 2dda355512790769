import { describe, expect, test } from '@jest/globals';
import { chooseRuns, findBand, requireBandRuns } from '../../src/runs/prediction-interval.js';
import { createRandom } from '../../src/simulator/random.js';

/** @param {number} length */
const upTo = (length) => Array.from({ length }, (_, index) => index + 1);

describe('a 90 % prediction interval', () => {
  test.each([
    [19, 1, 19],
    [39, 2, 38],
    [59, 3, 57],
    [79, 4, 76],
    [99, 5, 95],
  ])('of %i values goes from number %i to %i in order', (count, low, high) => {
    expect(findBand(upTo(count).reverse())).toEqual([low, high]);
    expect((count + 1 - 2 * low) / (count + 1)).toBe(0.9);
  });

  test('has no ends for fewer than 19 values, and wide ones where none is exact', () => {
    expect(findBand(upTo(18))).toEqual([NaN, NaN]);
    expect(findBand(upTo(38))).toEqual([1, 38]);
  });

  test('has nine of ten further values in it, whatever their distribution', () => {
    const random = createRandom(7);
    for (const draw of [random.uniform, random.exponential, () => Math.exp(2 * random.normal())]) {
      let inside = 0;
      for (let trial = 0; trial < 4000; trial++) {
        const [low, high] = findBand(Array.from({ length: 19 }, draw));
        const value = draw();
        if (value >= low && value <= high) inside++;
      }
      // Three standard errors of 0.9 in 4000 trials are 0.014.
      expect(Math.abs(inside / 4000 - 0.9)).toBeLessThan(0.015);
    }
  });
});

test.each([
  [1e9, 99],
  [99, 99],
  [98.9, 79],
  [50, 39],
  [20, 19],
  [0.1, 19],
])('of %f affordable runs %i are made', (affordable, runs) => expect(chooseRuns(affordable)).toBe(runs));

test('a number of runs must have an exact band', () => {
  for (const runs of [19, 39, 119]) requireBandRuns(runs);
  for (const runs of [-1, 0, 18, 20, 21, 19.5, 38, NaN, Infinity]) {
    expect(() => requireBandRuns(runs)).toThrow(
      `seeds ${runs}: so many runs have no exact 90 % band. Use 19, 39, 59, 79, 99 or another multiple of 20, minus 1`,
    );
  }
});

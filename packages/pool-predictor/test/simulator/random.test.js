import { describe, expect, test } from '@jest/globals';
import { createRandom } from '../../src/simulator/random.js';

/** @param {number} seed @param {string} [name] */
function draw(seed, name) {
  const { uniform } = createRandom(seed, name);
  return Array.from({ length: 1000 }, uniform);
}

describe('a random stream', () => {
  test('depends on seed and name', () => {
    expect(draw(1, 'a')).toEqual(draw(1, 'a'));
    expect(draw(1, 'b')).not.toEqual(draw(1, 'a'));
    expect(draw(2, 'a')).not.toEqual(draw(1, 'a'));
    expect(draw(1 + 2 ** 40, 'a')).not.toEqual(draw(1, 'a'));
  });

  test('is the same on every machine', () => {
    expect(draw(1).slice(0, 3)).toEqual([0.7213824954815209, 0.9982774262316525, 0.4712726064026356]);
  });

  test('is uniform in [0, 1), and streams of nearby seeds are not correlated', () => {
    const values = Array.from({ length: 100 }, (_, seed) => draw(seed)).flat();
    expect(Math.min(...values)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...values)).toBeLessThan(1);
    // Ten classes: chi-squared with 9 degrees of freedom is below 27.9 in 999 of 1000 cases.
    const classes = new Array(10).fill(0);
    for (const value of values) classes[Math.floor(value * 10)]++;
    expect(classes.reduce((sum, count) => sum + (count - 10_000) ** 2 / 10_000, 0)).toBeLessThan(27.9);
    // The correlation of 1000 independent pairs is within four standard deviations of 0.
    const second = draw(2);
    const covariance = draw(1).reduce((sum, value, i) => sum + (value - 0.5) * (second[i] - 0.5), 0) / 1000;
    expect(Math.abs(covariance * 12)).toBeLessThan(4 / Math.sqrt(1000));
  });
});

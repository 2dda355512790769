import { describe, expect, test } from '@jest/globals';
import { createLatencyHistogram } from '../../src/simulator/latency-histogram.js';
import { createRandom } from '../../src/simulator/random.js';

describe('a latency histogram', () => {
  const random = createRandom(1);
  /** @type {Record<string, () => number>} */
  const draws = {
    exponential: () => random.exponential() * 20,
    'lognormal, heavy tail': () => Math.exp(2 * random.normal()),
    'from microseconds to days': () => 10 ** (-3 + 11 * random.uniform()),
    'two kinds of query': () => (random.uniform() < 0.95 ? 2 : 5000) * (1 + random.uniform() / 10),
  };

  test.each(Object.keys(draws))('%s: percentiles are within 0.5 % of the sorted values', (name) => {
    const values = Array.from({ length: 20_000 }, draws[name]);
    const histogram = createLatencyHistogram();
    values.forEach(histogram.record);
    values.sort((a, b) => a - b);
    for (const share of [0.001, 0.1, 0.5, 0.9, 0.95, 0.99, 0.999, 1]) {
      const exact = values[Math.ceil(share * values.length) - 1];
      expect(Math.abs(histogram.percentile(share) / exact - 1)).toBeLessThan(0.005);
    }
    expect(histogram.min()).toBe(values[0]);
    expect(histogram.max()).toBe(values[19_999]);
    expect(histogram.count()).toBe(20_000);
    expect(histogram.mean()).toBeCloseTo(values.reduce((sum, value) => sum + value) / 20_000, 6);
  });

  test('takes the nearest rank, between minimum and maximum', () => {
    const histogram = createLatencyHistogram();
    [0, 0, 0, 7].forEach(histogram.record);
    expect([0.5, 0.75, 0.76, 1].map((fraction) => histogram.percentile(fraction))).toEqual([0, 0, 7, 7]);
  });

  test('counts failures as infinitely long', () => {
    const histogram = createLatencyHistogram();
    [1, 2, 3].forEach(histogram.record);
    expect(histogram.percentileAmong(0.6, 5)).toBeCloseTo(3, 1);
    expect(histogram.percentileAmong(0.61, 5)).toBe(Infinity);
    expect(createLatencyHistogram().percentileAmong(0.5, 1)).toBe(Infinity);
    expect(createLatencyHistogram().percentileAmong(0.5, 0)).toBeNaN();
  });

  test('puts values beyond its scale into the first or last bucket', () => {
    const histogram = createLatencyHistogram();
    [1e-9, 1e15].forEach(histogram.record);
    expect(histogram.percentile(0.5)).toBe(1e-9);
    expect(histogram.max()).toBe(1e15);
    expect(histogram.count()).toBe(2);
  });

  test('has no figures when empty', () => {
    const histogram = createLatencyHistogram();
    for (const read of [() => histogram.percentile(0.5), histogram.min, histogram.max, histogram.mean]) {
      expect(read()).toBeNaN();
    }
    expect(histogram.count()).toBe(0);
  });
});

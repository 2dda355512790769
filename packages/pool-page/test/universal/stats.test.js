import { expect, test } from '@jest/globals';
import { mean, median, percentile, weightedMedian } from 'mongodb-pool-page/universal/stats.js';

test('a percentile is the smallest value that at least this share do not exceed', () => {
  expect([0, 0.25, 0.26, 0.5, 0.95, 1].map((share) => percentile([1, 2, 3, 4], share))).toEqual([1, 1, 2, 2, 4, 4]);
  expect(percentile(new Float64Array([7]), 0.5)).toBe(7);
});

test('a median is the percentile of a half, in any order and with any weights', () => {
  expect([median([10, 2, 9]), median([4, 1, 3, 2])]).toEqual([9, 2]);
  const weighted = [
    { value: 9, count: 1 },
    { value: 1, count: 2 },
    { value: 5, count: 3 },
  ];
  expect(weightedMedian(weighted)).toBe(median([9, 1, 1, 5, 5, 5]));
  expect(mean([1, 2, 6])).toBe(3);
});

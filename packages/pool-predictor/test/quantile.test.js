import { expect, test } from '@jest/globals';
import { quantile } from '../src/quantile.js';

test('a quantile is one of the values, by nearest rank', () => {
  const values = [40, 10, 30, 20];
  expect([0, 0.25, 0.5, 0.51, 0.95, 1].map((share) => quantile(values, share))).toEqual([10, 10, 20, 30, 40, 40]);
  expect(values).toEqual([40, 10, 30, 20]);
});

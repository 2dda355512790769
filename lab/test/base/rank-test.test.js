import { expect, test } from '@jest/globals';
import { compareRanks } from '../../base/rank-test.js';

const apart = { before: [1, 2, 3], after: [4, 5, 6] };

test.each([
  // 20 orders of six values, one of them on each side.
  ['one stratum', [apart], 0.1, 0.1],
  ['two strata', [apart, apart], 2 / 400, 2 / 400],
  ['two strata that differ in opposite ways', [apart, { before: apart.after, after: apart.before }], 1, 2 / 400],
  // U is 8 of 9: 2 of the 20 orders have as many.
  ['one pair the other way', [{ before: [1, 2, 4], after: [3, 5, 6] }], 0.2, 0.1],
  ['only ties', [{ before: [1, 1], after: [1, 1] }], 1, 2 / 6],
  ['one value each', [{ before: [1], after: [2] }], 1, 1],
  [
    '21 of 25 pairs: 12 of the 252 orders have as many',
    [{ before: [1, 3, 5, 7, 9], after: [4, 8, 10, 12, 14] }],
    24 / 252,
    2 / 252,
  ],
])('%s', (_, strata, p, smallestP) => {
  const found = compareRanks(strata);
  expect(found.p).toBeCloseTo(p, 10);
  expect(found.smallestP).toBeCloseTo(smallestP, 10);
});

test('twenty repeats of many sizes are counted in a moment', () => {
  const values = Array.from({ length: 20 }, (_, index) => index);
  const stratum = { before: values, after: values.map((value) => value + 100) };
  expect(compareRanks(Array.from({ length: 10 }, () => stratum)).p).toBeLessThan(1e-50);
});

import { expect, test } from '@jest/globals';
import { PART } from '../../benchmarks/predicted-vs-measured/advice.js';
import { binomialTail, fisherTail } from '../../benchmarks/predicted-vs-measured/exact-tests.js';

test('advice agrees with brute force on a few loads', async () => {
  const [{ rows, isMet }] = await PART.run({ loads: 12 });
  expect(rows.find(({ load }) => load === 'all')).toMatchObject({ loads: 12, wrong: 0 });
  expect(isMet).toBe(true);
});

test('the tests are exact', () => {
  // By hand: P(2 heads of 2 coins); R. A. Fisher's lady tasting tea: 3 or 4 of 4 cups right, 17 of 70 ways.
  expect(binomialTail(2, 0.5, 2)).toBeCloseTo(0.25, 9);
  expect(fisherTail(3, 4, 1, 4)).toBeCloseTo(17 / 70, 9);
});

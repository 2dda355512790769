import { expect, test } from '@jest/globals';
import { parsePoolSizes } from '../../src/predict/pool-sizes.js';

test.each([
  ['3', [3]],
  ['10,1,3', [1, 3, 10]],
  ['1..4', [1, 2, 3, 4]],
  [' 2 , 1..3 ,20', [1, 2, 3, 20]],
  ['999999', [999999]],
])('"%s"', (text, sizes) => {
  expect(parsePoolSizes(text)).toEqual(sizes);
});

test.each([
  ['1,x', 'pool size "x" is not a whole number from 1, or a range such as 1..20'],
  ['', 'pool size "" is not'],
  ['5..3', 'pool size "5..3" is not'],
  ['1000000', 'pool size "1000000" is not'],
  ['1..2..3', '"1..2..3"'],
  ['0..3', 'pool size "0..3": 0 means "no limit" to the driver'],
  ['1..1001', 'pool sizes "1..1001": more than 1000 in total'],
  ['1..5, 1..999', 'pool sizes "1..999": more'],
])('"%s" is refused', (text, message) => {
  expect(() => parsePoolSizes(text)).toThrow(message);
});

test('even a very long list is refused quickly', () => {
  const startedAt = performance.now();
  expect(() => parsePoolSizes(Array(2000).fill('1..999999').join())).toThrow('more than 1000 in total');
  expect(performance.now() - startedAt).toBeLessThan(1000);
});

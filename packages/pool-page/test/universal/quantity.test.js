import { expect, test } from '@jest/globals';
import { formatQuantity } from 'mongodb-pool-page/universal/quantity.js';

test.each([
  [3.84, 'ms', '3.8 ms'],
  [6, 'ms', '6 ms'],
  [433.6, 'ms', '434 ms'],
  [21117, 'ms', '21.1 s'],
  [84428.4, 'docs/s', '84,428 docs/s'],
  [1.0056, '', '1.01'],
])('%d %s is said as %s', (value, unit, text) => {
  expect(formatQuantity(value, unit)).toBe(text);
});

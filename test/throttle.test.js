import { expect, test } from '@jest/globals';
import { createThrottle } from '../src/throttle.js';
import { until } from './support/until.js';

test('the first event of a kind is logged at once, and the rest of a period in one line with a count', async () => {
  /** @type {string[]} */
  const said = [];
  const throttle = createThrottle(50);
  for (let number = 1; number <= 500; number += 1) throttle('a', (count) => said.push(`a${number} ${count}`));
  throttle('b', (count) => said.push(`b ${count}`));
  expect(said).toEqual(['a1 1', 'b 1']);
  await until('the end of the period', () => said.length > 2);
  expect(said).toEqual(['a1 1', 'b 1', 'a500 499']);
  // The next period starts right away.
  throttle('a', (count) => said.push(`later ${count}`));
  expect(said).toHaveLength(3);
  await until('its end', () => said.length > 3);
  expect(said.at(-1)).toBe('later 1');
});

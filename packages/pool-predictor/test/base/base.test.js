import { expect, test } from '@jest/globals';
import { parseDurationMs } from '../../src/base/duration.js';
import { quantile } from '../../src/base/sample-statistics.js';

test.each([
  [5, 5000],
  ['5', 5000],
  [0, 0],
  ['500ms', 500],
  ['90s', 90_000],
  ['1.5m', 90_000],
  ['.5 s', 500],
  ['1 Minute', 60_000],
  ['2h', 7_200_000],
  ['1d', 86_400_000],
  ['10 msecs', 10],
])('%j is %i ms', (value, ms) => {
  expect(parseDurationMs(value)).toBe(ms);
});

test.each([
  1.5,
  '1.5',
  -1,
  '-5s',
  '5 weeks',
  'soon',
  '',
  null,
  undefined,
  {},
  '{{ $env.TIME }}',
  NaN,
  JSON.parse('{"toString":1}'),
])('%j is refused', (value) => {
  expect(() => parseDurationMs(value)).toThrow(/is not a duration: write whole seconds, or a number with/);
});

test.each(['366d', '9'.repeat(400)])('%s is longer than anything here lasts', (value) => {
  expect(() => parseDurationMs(value)).toThrow(/is too long: at most a year, 365d$/);
});

test('a quantile is one of the values, by nearest rank', () => {
  const values = [40, 10, 30, 20];
  expect([0, 0.25, 0.5, 0.51, 0.95, 1].map((share) => quantile(values, share))).toEqual([10, 10, 20, 30, 40, 40]);
  expect(values).toEqual([40, 10, 30, 20]);
});

import { describe, expect, test } from '@jest/globals';
import { parseSlo } from '../../src/advise/slo.js';

describe('a goal', () => {
  test.each([
    ['/fast p99 < 50ms', '/fast', 'p99Ms', 0.99, 50],
    ['/a/:id p99.9<1.5 s', '/a/:id', 'p999Ms', 0.999, 1500],
    ['checkout max < 2s', 'checkout', 'maxMs', 1, 2000],
    ['  /fast  p50  <  10ms ', '/fast', 'p50Ms', 0.5, 10],
    ['/fast p90 < 1ms', '/fast', 'p90Ms', 0.9, 1],
    ['/fast p95 < 1ms', '/fast', 'p95Ms', 0.95, 1],
  ])('%s', (text, route, figure, share, limitMs) => {
    expect(parseSlo(text)).toMatchObject({ route, figure, share, limitMs });
  });

  test('is normalised', () => {
    expect(parseSlo('/fast  p99<50ms').text).toBe('/fast p99 < 50 ms');
  });
});

test.each([
  ['', /is not a goal: write it like '\/fast p99 < 50ms'/],
  ['/fast 50ms', /not a goal/],
  ['/fast p99 > 50ms', /not a goal/],
  ['/fast p98 < 50ms', /"p98" is not one of p50, p90, p95, p99, p99\.9, max/],
  ['/fast constructor < 50ms', /"constructor" is not one of/],
  ['/fast p99 < 50', /needs a unit, ms or s/],
  ['/fast p99 < 50min', /needs a unit/],
  ['/fast p99 < 0ms', /above 0/],
  ['/fast p99 < 1.2.3ms', /above 0/],
])('%j is refused, with an example', (text, message) => {
  expect(() => parseSlo(text)).toThrow(message);
  expect(() => parseSlo(text)).toThrow("'/fast p99 < 50ms'");
});

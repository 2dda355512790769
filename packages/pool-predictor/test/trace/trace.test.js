import { describe, expect, test } from '@jest/globals';
import { foldRoutes, thinTrace } from '../../src/trace/trace.js';
import { recordCold, recordMixed } from './traces.js';

describe('a long trace', () => {
  const long = recordMixed({ count: 4000, poolSize: 4 });

  test('is shortened to pieces spread over it, with the same rate and waits', () => {
    const thinned = thinTrace(long, 1000);
    const { length } = thinned.waitMs;
    expect(Math.abs(length - 1000)).toBeLessThan(150);
    const rateOf = (/** @type {typeof long} */ { checkOutStartedMs: atMs }) => atMs.length / atMs[atMs.length - 1];
    expect(rateOf(thinned) / rateOf(long)).toBeCloseTo(1, 0);
    const ascending = Array.from(thinned.checkOutStartedMs);
    expect(ascending).toEqual(ascending.toSorted((a, b) => a - b));
    expect(thinned.useMs[length - 1]).not.toBe(long.useMs[length - 1]);
    const places = Array.from(thinned.useMs, (ms) => Array.from(long.useMs).indexOf(ms));
    expect(places[0]).toBe(0);
    expect(places[length - 1]).toBeGreaterThan(3500);
    expect(thinned.warnings).toEqual([
      `The trace is long: ${length} of its 4000 checkouts are replayed, in 20 pieces spread over it`,
    ]);
  });

  test('keeps the openings of its pieces, at their checkouts', () => {
    const { checkOutStartedMs, openings } = thinTrace(recordCold(), 80);
    expect(Array.from(openings?.fromMs ?? [])).toEqual(Array.from(checkOutStartedMs));
  });

  test('is the same trace if it is short', () => {
    expect(thinTrace(long, 4000)).toBe(long);
  });
});

test('of many routes, the rarest ones are one', () => {
  const trace = { ...recordMixed({ count: 6 }), routes: ['/a', '/b', '/c', '/d'], routeOf: [0, 1, 1, 2, 3, 3] };
  const folded = foldRoutes(trace, 3);
  expect(folded.routes).toEqual(['/b', '/d', '2 others']);
  expect([...Array.from(folded.routeOf)]).toEqual([2, 0, 0, 2, 1, 1]);
  expect(folded.warnings[0]).toBe('The trace has 4 routes: the 2 rarest ones are one, "2 others"');
  expect(foldRoutes(trace, 4)).toBe(trace);
});

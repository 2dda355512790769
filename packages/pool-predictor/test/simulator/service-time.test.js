import { expect, test } from '@jest/globals';
import { createRandom } from '../../src/simulator/random.js';
import { createServiceTime, meanServiceMs, resample } from '../../src/simulator/service-time.js';
import { findTail, resampleTail } from '../../src/simulator/tail.js';

/** @import { Service } from '../../src/simulator/service-time.js' */

/** @type {[Service, { meanMs: number, scv: number, medianMs: number }][]} */
const KNOWN = [
  [
    { kind: 'fixed', ms: 7 },
    { meanMs: 7, scv: 0, medianMs: 7 },
  ],
  [
    { kind: 'exponential', meanMs: 3 },
    { meanMs: 3, scv: 1, medianMs: 3 * Math.LN2 },
  ],
  [
    { kind: 'lognormal', medianMs: 2, sigma: 0.5 },
    { meanMs: 2 * Math.exp(0.125), scv: Math.exp(0.25) - 1, medianMs: 2 },
  ],
  [
    { kind: 'sample', valuesMs: [1, 1, 1, 5, 12] },
    { meanMs: 4, scv: 18.4 / 16, medianMs: 1 },
  ],
];

test.each(KNOWN)('%j has the right mean, variance and median', (service, { meanMs, scv, medianMs }) => {
  const draw = createServiceTime(service, createRandom(3), '/x');
  const values = Array.from({ length: 200_000 }, draw).sort((a, b) => a - b);
  const mean = values.reduce((sum, ms) => sum + ms, 0) / values.length;
  const variance = values.reduce((sum, ms) => sum + (ms - mean) ** 2, 0) / values.length;
  expect(Math.abs(mean / meanMs - 1)).toBeLessThan(0.01);
  expect(Math.abs(variance / mean ** 2 - scv)).toBeLessThan(0.03);
  expect(Math.abs(values[100_000] / medianMs - 1)).toBeLessThan(0.01);
  expect(meanServiceMs(service)).toBeCloseTo(meanMs, 9);
});

test('a resample has the same size and values, but other frequencies; the seed decides which', () => {
  const valuesMs = Array.from({ length: 100 }, (_, index) => index);
  const again = (/** @type {number} */ seed) => {
    const service = resample({ kind: 'sample', valuesMs }, createRandom(seed));
    return service.kind === 'sample' ? Array.from(service.valuesMs) : [];
  };
  expect(again(1)).toHaveLength(100);
  expect(valuesMs).toEqual(expect.arrayContaining(again(1)));
  // Of n values about n (1 - 1/e) are drawn at least once.
  expect(new Set(again(1)).size).toBeGreaterThan(50);
  expect(new Set(again(1)).size).toBeLessThan(80);
  expect(again(1)).toEqual(again(1));
  expect(again(1)).not.toEqual(again(2));
  expect(resample(KNOWN[1][0], createRandom(1))).toBe(KNOWN[1][0]);
});

test('a resample can exceed all measured values, but keeps their mean and their lower nine tenths', () => {
  const valuesMs = Array.from({ length: 100 }, (_, index) => -10 * Math.log((index + 0.5) / 100));
  const measured = { fromMs: valuesMs.toSorted((a, b) => a - b)[89], maxMs: Math.max(...valuesMs) };
  const tail = findTail(valuesMs);
  expect(tail).toMatchObject({ fromMs: measured.fromMs, count: 10 });
  const draw = createServiceTime({ kind: 'sample', valuesMs, tail }, createRandom(4), '/x');
  const drawn = Array.from({ length: 100_000 }, draw).sort((a, b) => a - b);
  const mean = drawn.reduce((sum, ms) => sum + ms) / drawn.length;
  expect(Math.abs(mean / meanServiceMs({ kind: 'sample', valuesMs }) - 1)).toBeLessThan(0.01);
  expect(valuesMs).toContain(drawn[89_000]);
  // The exponential's p99.9 is 69 ms; the largest measured value is 53 ms.
  expect(drawn[99_900]).toBeGreaterThan(measured.maxMs);
  expect(Math.abs(drawn[99_900] / 69 - 1)).toBeLessThan(0.1);
});

test('values that are all alike, or few, have no tail', () => {
  expect(findTail([2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2])).toBeUndefined();
  expect(findTail([1, 2, 3])).toBeUndefined();
  expect(findTail([])).toBeUndefined();
  const random = createRandom(5);
  const means = Array.from({ length: 2000 }, () => resampleTail({ fromMs: 3, meanMs: 6, count: 4 }, random).meanMs);
  expect(Math.abs(means.reduce((sum, ms) => sum + ms) / 2000 / 6 - 1)).toBeLessThan(0.05);
});

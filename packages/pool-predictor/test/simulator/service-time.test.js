import { expect, test } from '@jest/globals';
import { createRandom } from '../../src/simulator/random.js';
import { createServiceTime, resample, serviceMoments } from '../../src/simulator/service-time.js';

/** @import { Service } from '../../src/simulator/service-time.js' */

/** @type {[Service, { meanMs: number, scv: number, medianMs: number }][]} */
const KNOWN = [
  [{ kind: 'fixed', ms: 7 }, { meanMs: 7, scv: 0, medianMs: 7 }],
  [{ kind: 'exponential', meanMs: 3 }, { meanMs: 3, scv: 1, medianMs: 3 * Math.LN2 }],
  [{ kind: 'lognormal', medianMs: 2, sigma: 0.5 },
    { meanMs: 2 * Math.exp(0.125), scv: Math.exp(0.25) - 1, medianMs: 2 }],
  [{ kind: 'sample', valuesMs: [1, 1, 1, 5, 12] }, { meanMs: 4, scv: 18.4 / 16, medianMs: 1 }],
];

test.each(KNOWN)('%j has the right mean, variance and median', (service, { meanMs, scv, medianMs }) => {
  const draw = createServiceTime(service, createRandom(3), '/x');
  const values = Array.from({ length: 200_000 }, draw).sort((a, b) => a - b);
  const mean = values.reduce((sum, ms) => sum + ms, 0) / values.length;
  const variance = values.reduce((sum, ms) => sum + (ms - mean) ** 2, 0) / values.length;
  expect(Math.abs(mean / meanMs - 1)).toBeLessThan(0.01);
  expect(Math.abs(variance / mean ** 2 - scv)).toBeLessThan(0.03);
  expect(Math.abs(values[100_000] / medianMs - 1)).toBeLessThan(0.01);
  expect(serviceMoments(service).meanMs).toBeCloseTo(meanMs, 9);
  expect(serviceMoments(service).scv).toBeCloseTo(scv, 9);
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

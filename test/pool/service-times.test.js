import { expect, test } from '@jest/globals';
import { sampleServiceTimes } from '../../src/pool/service-times.js';

/**
 * @param {string | null} route
 * @param {number | null} gotAtMs
 * @param {number | null} returnedAtMs
 */
const checkout = (route, gotAtMs, returnedAtMs) => (
  /** @type {import('../../src/pool/checkouts.js').CheckoutRecord} */ ({ route, gotAtMs, returnedAtMs }));

test('the last uses of each route, without those of no route or no connection', () => {
  expect(sampleServiceTimes([
    checkout('/fast', 0, 2), checkout(null, 0, 50), checkout('/slow', 0, 5000), checkout('/fast', null, null),
    checkout('/fast', 10, 11.5),
  ])).toEqual({ '/fast': { kind: 'sample', valuesMs: [1.5, 2] }, '/slow': { kind: 'sample', valuesMs: [5000] } });
});

test('no more than a hundred a route, the newest', () => {
  const many = Array.from({ length: 150 }, (_, index) => checkout('/fast', 0, index));
  const { valuesMs } = sampleServiceTimes(many)['/fast'];
  expect(valuesMs).toHaveLength(100);
  expect(valuesMs[0]).toBe(149);
});

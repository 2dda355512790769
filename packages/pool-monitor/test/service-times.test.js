import { expect, test } from '@jest/globals';
import { sampleServiceTimes } from '../src/service-times.js';

let requests = 0;

/**
 * @param {string | null} route
 * @param {number | null} checkedOutAtMs
 * @param {number | null} checkedInAtMs
 * @param {{ outcome?: string, requestId?: string }} [rest]
 */
const checkout = (route, checkedOutAtMs, checkedInAtMs, { outcome = 'returned', requestId = `r${++requests}` } = {}) => (
  /** @type {import('../src/checkouts.js').CheckoutRecord} */ ({ route, requestId, outcome, checkedOutAtMs, checkedInAtMs }));

test('the last uses of each route, without those of no route or no connection', () => {
  expect(sampleServiceTimes([
    checkout('/fast', 0, 2), checkout(null, 0, 50), checkout('/slow', 0, 5000),
    checkout('/fast', null, null, { outcome: 'timeout' }), checkout('/fast', 10, 11.5),
  ])).toEqual({ '/fast': { kind: 'sample', valuesMs: [1.5, 2] }, '/slow': { kind: 'sample', valuesMs: [5000] } });
});

test('no more than a hundred a route, the newest', () => {
  const many = Array.from({ length: 150 }, (_, index) => checkout('/fast', 0, index));
  const { valuesMs } = sampleServiceTimes(many)['/fast'];
  expect(valuesMs).toHaveLength(100);
  expect(valuesMs[0]).toBe(149);
});

test('a request whose operation failed says nothing, nor do its other queries', () => {
  expect(sampleServiceTimes([
    checkout('/slow', 0, 1, { requestId: 'cut' }), checkout('/slow', 1, 2000, { requestId: 'cut', outcome: 'operationFailed' }),
    checkout('/fast', 0, 9, { outcome: 'operationFailed' }), checkout('/slow', 0, 5000),
  ])).toEqual({ '/slow': { kind: 'sample', valuesMs: [5000] } });
});

test('the queries of one request count together', () => {
  expect(sampleServiceTimes([
    checkout('/slow', 0, 1, { requestId: 'twice' }), checkout('/slow', 7, 5007, { requestId: 'twice' }),
  ])).toEqual({ '/slow': { kind: 'sample', valuesMs: [5001] } });
});

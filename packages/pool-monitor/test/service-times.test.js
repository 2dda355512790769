import { expect, test } from '@jest/globals';
import { sampleServiceTimes } from '../src/service-times.js';

let requests = 0;
let lastId = 0;

/**
 * @param {string | null} route
 * @param {number | null} checkedOutAtMs
 * @param {number | null} checkedInAtMs
 * @param {{ outcome?: string, requestId?: string | null }} [rest]
 */
const checkout = (route, checkedOutAtMs, checkedInAtMs, { outcome = 'checkedIn', requestId = `r${++requests}` } = {}) => (
  /** @type {import('../src/checkout-log.js').CheckoutRecord} */ ({ id: ++lastId, route, requestId, outcome, checkedOutAtMs, checkedInAtMs }));

test('samples the last uses of each route; a checkout without route or connection does not count', () => {
  expect(sampleServiceTimes([
    checkout('/fast', 0, 2), checkout(null, 0, 50), checkout('/slow', 0, 5000),
    checkout('/fast', null, null, { outcome: 'checkOutFailed' }), checkout('/fast', 10, 11.5),
  ])).toEqual({ '/fast': { kind: 'sample', valuesMs: [1.5, 2] }, '/slow': { kind: 'sample', valuesMs: [5000] } });
});

test('samples at most a hundred per route, the newest', () => {
  const many = Array.from({ length: 150 }, (_, index) => checkout('/fast', 0, index));
  const { valuesMs } = sampleServiceTimes(many)['/fast'];
  expect(valuesMs).toHaveLength(100);
  expect(valuesMs[0]).toBe(149);
});

test('a request with a failed operation does not count, nor do its other queries', () => {
  expect(sampleServiceTimes([
    checkout('/slow', 0, 1, { requestId: 'cut' }), checkout('/slow', 1, 2000, { requestId: 'cut', outcome: 'operationFailed' }),
    checkout('/fast', 0, 9, { outcome: 'operationFailed' }), checkout('/slow', 0, 5000),
  ])).toEqual({ '/slow': { kind: 'sample', valuesMs: [5000] } });
});

test('the queries of one request add up', () => {
  expect(sampleServiceTimes([
    checkout('/slow', 0, 1, { requestId: 'twice' }), checkout('/slow', 7, 5007, { requestId: 'twice' }),
  ])).toEqual({ '/slow': { kind: 'sample', valuesMs: [5001] } });
});

test('checkouts outside of any request do not add up, nor does one that failed spoil the others', () => {
  expect(sampleServiceTimes([
    checkout('background', 0, 1, { requestId: null }), checkout('background', 0, 9, { requestId: null, outcome: 'operationFailed' }),
    checkout('background', 7, 10, { requestId: null }),
  ])).toEqual({ background: { kind: 'sample', valuesMs: [3, 1] } });
});

import { expect, test } from '@jest/globals';
import { listArrivals, summariseCheckouts } from '../../src/harness/summarise-checkouts.js';

/**
 * @param {number} checkOutStartedAtMs
 * @param {number | null} checkedOutAtMs
 * @param {number | null} checkedInAtMs
 * @returns {import('../../packages/pool-monitor/src/checkout-log.js').CheckoutRecord}
 */
function checkout(checkOutStartedAtMs, checkedOutAtMs, checkedInAtMs) {
  return {
    id: 1, pool: null, route: '/slow', requestId: 'r1', request: 1, operation: null, kind: null, holds: 0, connectionId: 1,
    behind: [], outcome: 'checkedIn', reason: null, checkOutStartedAtMs, checkedOutAtMs, checkedInAtMs,
  };
}

test('waits, and how many were active and waiting at once', () => {
  const checkouts = [
    checkout(0, 0.1, 100), checkout(10, 100, 110), checkout(20, 110, 120), checkout(50, 50.2, 130),
  ];
  expect(summariseCheckouts(checkouts)).toEqual(
    { waitP50Ms: expect.closeTo(0.2), waitP95Ms: 90, waitMaxMs: 90, peakActive: 2, peakWaiting: 2 });
});

test('a request without a connection waits to the end and is never active', () => {
  expect(summariseCheckouts([checkout(0, null, null)])).toEqual(
    { waitP50Ms: null, waitP95Ms: null, waitMaxMs: null, peakActive: 0, peakWaiting: 1 });
});

test('arrivals are counted from the first, whatever the order of the record', () => {
  expect(listArrivals([checkout(1012.5, 1013, 1014), checkout(1000, 1001, 1020)])).toEqual([0, 12.5]);
});

import { expect, test } from '@jest/globals';
import { findHandovers } from '../../src/trace/handovers.js';

test('only a connection that was idle while a request waited was handed over late', () => {
  // A pool of one: the second waits for the first, and 3 ms longer; the third comes 5 ms after the second's checkin.
  expect([...findHandovers({ checkOutStartedMs: [0, 2, 28], waitMs: [0, 11, 1], useMs: [10, 10, 10] })]).toEqual([
    3, 0, 0,
  ]);
});

test('of two connections the one that was checked in last is handed over first', () => {
  // The third waits for the first checkin, the second's; the first one's connection is idle until the fourth.
  expect([
    ...findHandovers({ checkOutStartedMs: [0, 0, 5, 6], waitMs: [0, 0, 6, 16], useMs: [20, 10, 30, 1] }),
  ]).toEqual([2, 1, 0, 0]);
});

test('of two pools, a connection goes only to a request of its own pool', () => {
  const trace = { checkOutStartedMs: [0, 0, 5], waitMs: [0, 0, 16], useMs: [10, 20, 10] };
  // In one pool, the third would have waited 11 ms for the first connection, which was free at 10.
  expect([...findHandovers(trace)]).toEqual([0, 1, 0]);
  expect([...findHandovers({ ...trace, waitMs: [0, 0, 9] })]).toEqual([4, 0, 0]);
  expect([...findHandovers({ ...trace, waitMs: [0, 0, 9] }, (checkout) => (checkout === 2 ? 1 : 0))]).toEqual([
    0, 0, 0,
  ]);
});

test('a checkin that rounding puts a microsecond after the next checkout is the one before it', () => {
  expect([...findHandovers({ checkOutStartedMs: [0, 1, 2], waitMs: [0, 9, 18], useMs: [10.001, 10.001, 10] })]).toEqual(
    [0, 0, 0],
  );
});

import { expect, test } from '@jest/globals';
import { findHandovers } from '../../src/trace/handovers.js';

test('a connection that lay there while somebody waited was handed over late, and no other', () => {
  // By a pool of one: the second waits for the first, and 3 ms longer; the third comes 5 ms after the second has gone.
  expect([...findHandovers({ checkOutStartedMs: [0, 2, 28], waitMs: [0, 11, 1], useMs: [10, 10, 10] })]).toEqual([3, 0, 0]);
});

test('of two connections the one that was given back last is handed over first', () => {
  // The third waits for whoever is first, who is the second; the connection of the first lies there until the fourth.
  expect([...findHandovers({ checkOutStartedMs: [0, 0, 5, 6], waitMs: [0, 0, 6, 16], useMs: [20, 10, 30, 1] })])
    .toEqual([2, 1, 0, 0]);
});

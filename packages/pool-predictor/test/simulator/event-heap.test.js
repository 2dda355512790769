import { expect, test } from '@jest/globals';
import { createEventHeap } from '../../src/simulator/event-heap.js';
import { createRandom } from '../../src/simulator/random.js';

test.each([1, 2, 3])('events come by time, then in the order they were pushed (seed %i)', (seed) => {
  const random = createRandom(seed);
  const heap = createEventHeap();
  /** @type {{ atMs: number, code: number }[]} */
  const expected = [];
  /** @type {number[]} */
  const popped = [];
  for (let code = 0; code < 5000; code++) {
    const atMs = Math.floor(random.uniform() * 100);
    heap.push(atMs, code);
    expected.push({ atMs, code });
    if (random.uniform() < 0.4) {
      // A stable sort and the first of it is the slow way to the same.
      expected.sort((a, b) => a.atMs - b.atMs);
      expect(heap.nextMs()).toBe(expected[0].atMs);
      popped.push(heap.pop());
      expect(popped.at(-1)).toBe(expected.shift()?.code);
    }
  }
  expected.sort((a, b) => a.atMs - b.atMs);
  expect(expected.map(() => heap.pop())).toEqual(expected.map(({ code }) => code));
  expect(heap.nextMs()).toBe(Infinity);
});

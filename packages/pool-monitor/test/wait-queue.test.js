import { expect, test } from '@jest/globals';
import { WaitQueue } from '../src/wait-queue.js';

/** @import { Checkout } from '../src/checkout.js' */
/** @import { Connection } from '../src/connections.js' */

/** @param {number} ms */
const at = (ms) => ({ fromMs: ms, toMs: ms });
/** @param {string} caller @param {number} startedMs */
const startOf = (caller, startedMs) => /** @type {Checkout} */ ({ caller, ...at(startedMs) });
/** @param {Checkout | null} removed */
const nameOf = (removed) => [removed?.caller ?? null, removed?.opening?.id ?? null];

/** @param {[name: string, startedMs: number][]} waiters */
function queueOf(...waiters) {
  const queue = new WaitQueue(0);
  for (const [name, startedMs] of waiters) queue.push(startOf(name, startedMs));
  return queue;
}

test('if several started in the same millisecond, the assigned one times out first, then the first in the queue', () => {
  const queue = queueOf(['assigned', 5], ['first', 5], ['second', 5]);
  queue.assign(/** @type {Connection} */ ({ id: 7 }));
  expect([1, 2, 3, 4].map(() => nameOf(queue.takeTimedOut(at(5))))).toEqual(
    [['assigned', 7], ['first', null], ['second', null], [null, null]]);
});

test('the waiter that started then times out, wherever it is in the queue, not one that merely could have', () => {
  const queue = queueOf(['assigned', 5], ['early', 6], ['middle', 9], ['late', 12]);
  queue.assign(/** @type {Connection} */ ({ id: 7 }));
  expect(nameOf(queue.takeTimedOut(at(9)))).toEqual(['middle', null]);
  expect(queue.queued.map(({ caller }) => caller)).toEqual(['early', 'late']);
  expect(queue.assigned.size).toBe(1);
});

test('if no waiter started then, it is the first that could have: the driver paused between its clock and its event', () => {
  const queue = queueOf(['assigned', 5], ['early', 9], ['late', 12]);
  queue.assign(/** @type {Connection} */ ({ id: 7 }));
  // The driver read 7 and emitted at 9. For the late one it would have read 9 or more.
  expect(nameOf(queue.takeTimedOut(at(7)))).toEqual(['early', null]);
  expect(nameOf(queue.takeTimedOut(at(3)))).toEqual(['assigned', 7]);
});

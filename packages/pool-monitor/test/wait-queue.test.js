import { expect, test } from '@jest/globals';
import { WaitQueue } from '../src/wait-queue.js';

/** @import { Checkout } from '../src/server-pool.js' */
/** @import { Connection } from '../src/connections.js' */

/** @param {number} ms */
const at = (ms) => ({ fromMs: ms, toMs: ms });
const checkoutOf = (/** @type {string} */ server) => /** @type {Checkout} */ ({ server });
/** @param {{ checkout: Checkout | null, connection: Connection | null }} left */
const nameOf = ({ checkout, connection }) => [checkout?.server ?? null, connection?.id ?? null];

/** @param {[name: string, askedMs: number][]} askers */
function queueOf(...askers) {
  const queue = new WaitQueue(0);
  for (const [name, askedMs] of askers) queue.push(checkoutOf(name), at(askedMs));
  return queue;
}

test('of those that asked in the same millisecond the bound one gives up first, then who stands in front', () => {
  const queue = queueOf(['bound', 5], ['first', 5], ['second', 5]);
  queue.bind(/** @type {Connection} */ ({ id: 7 }));
  expect([1, 2, 3, 4].map(() => nameOf(queue.giveUp(at(5))))).toEqual(
    [['bound', 7], ['first', null], ['second', null], [null, null]]);
});

test('who gives up is the one that asked then, wherever it stands, and not one that merely could have', () => {
  const queue = queueOf(['bound', 5], ['early', 6], ['middle', 9], ['late', 12]);
  queue.bind(/** @type {Connection} */ ({ id: 7 }));
  expect(nameOf(queue.giveUp(at(9)))).toEqual(['middle', null]);
  expect(queue.standing.map(({ checkout }) => checkout.server)).toEqual(['early', 'late']);
  expect(queue.bound.size).toBe(1);
});

test('where nobody asked then it is the first that could have: the driver paused between its clock and its event', () => {
  const queue = queueOf(['bound', 5], ['early', 9], ['late', 12]);
  queue.bind(/** @type {Connection} */ ({ id: 7 }));
  // The driver read 7 and told at 9; had it been the late one, it would have read 9 or more.
  expect(nameOf(queue.giveUp(at(7)))).toEqual(['early', null]);
  expect(nameOf(queue.giveUp(at(3)))).toEqual(['bound', 7]);
});

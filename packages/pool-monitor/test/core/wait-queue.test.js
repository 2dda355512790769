import { describe, expect, test } from '@jest/globals';
import { WaitQueue } from '../../src/core/wait-queue.js';

/** @import { Checkout } from '../../src/core/checkout.js' */
/** @import { Connection } from '../../src/core/connections.js' */

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
  expect([1, 2, 3, 4].map(() => nameOf(queue.takeTimedOut(at(5))))).toEqual([
    ['assigned', 7],
    ['first', null],
    ['second', null],
    [null, null],
  ]);
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

test('a waiter that started exactly then may time out, and none that started later', () => {
  const queue = queueOf(['early', 5], ['late', 12]);
  expect(queue.takeTimedOut(at(13))).toBeNull();
  queue.removeBefore(at(6));
  // The driver read its clock for it at 5 at the earliest.
  expect(queue.takeTimedOut(at(4))).toBeNull();
  expect(nameOf(queue.takeTimedOut(at(5)))).toEqual(['late', null]);
});

test('the next one is the first in the queue; it is an assigned one if only that started then', () => {
  const connection = /** @type {Connection} */ ({ id: 7 });
  const waiting = () => {
    const queue = queueOf(['assigned', 4], ['queued', 5], ['later', 9]);
    queue.assign(connection);
    return queue;
  };
  expect(nameOf(waiting().takeNext({ fromMs: 4, toMs: 5 }))).toEqual(['queued', null]);
  // The queued one can have started then: the driver may have paused between its clock and its event.
  expect(nameOf(waiting().takeNext(at(4)))).toEqual(['assigned', 7]);
  expect(waiting().takeNext(at(9))).toBeNull();
});

test('a connection that is opened for nobody gets no waiter, and gives none back', () => {
  const connection = /** @type {Connection} */ ({ id: 7 });
  const queue = queueOf();
  queue.assign(connection);
  queue.push(startOf('late', 5));
  queue.unassign(connection);
  expect([queue.assigned.size, queue.queued.map(({ caller }) => caller)]).toEqual([0, ['late']]);
});

test('only those that started before a time are removed by it', () => {
  const queue = queueOf(['first', 4], ['second', 5], ['third', 6]);
  expect(queue.removeBefore(at(5)).map(({ caller }) => caller)).toEqual(['first']);
  expect(queue.removeBefore(at(5))).toEqual([]);
  expect(queue.queued.map(({ caller }) => caller)).toEqual(['second', 'third']);
});

describe('a waiter that leaves', () => {
  /** Of each kind one, and its queue. */
  function createWaiting() {
    const queue = queueOf(['assigned', 4], ['first', 5], ['second', 6]);
    const connection = /** @type {Connection} */ ({ id: 7 });
    queue.assign(connection);
    const [first, second] = queue.queued;
    const namesNow = () => ({
      assigned: [...queue.assigned].map(([{ id }, { caller }]) => [id, caller]),
      queued: queue.queued.map(({ caller }) => caller),
    });
    return {
      queue,
      connection,
      assigned: /** @type {Checkout} */ (queue.assigned.get(connection)),
      first,
      second,
      namesNow,
    };
  }

  test('leaves alone, wherever it was, and only once', () => {
    const { queue, assigned, first, second, namesNow } = createWaiting();
    expect(queue.remove(startOf('stranger', 5))).toBe(false);
    expect(namesNow()).toEqual({ assigned: [[7, 'assigned']], queued: ['first', 'second'] });
    expect([queue.remove(first), queue.remove(first)]).toEqual([true, false]);
    expect(namesNow()).toEqual({ assigned: [[7, 'assigned']], queued: ['second'] });
    expect([queue.remove(assigned), assigned.opening, queue.remove(assigned)]).toEqual([true, null, false]);
    expect([queue.remove(second), namesNow()]).toEqual([true, { assigned: [], queued: [] }]);
  });

  test('can leave its place, and the time it began, to another one', () => {
    for (const name of /** @type {const} */ (['assigned', 'first', 'second'])) {
      const waiting = createWaiting();
      const { queue, connection, namesNow } = waiting;
      const { fromMs, toMs, sinceMs } = waiting[name];
      const other = startOf('other', 99);
      queue.replace(waiting[name], other);
      expect(other).toMatchObject({ fromMs, toMs, sinceMs, ...(name === 'assigned' && { opening: connection }) });
      expect(namesNow()).toEqual({
        assigned: [[7, name === 'assigned' ? 'other' : 'assigned']],
        queued: ['first', 'second'].map((each) => (each === name ? 'other' : each)),
      });
    }
    const { queue, assigned, namesNow } = createWaiting();
    queue.replace(assigned, startOf('other', 99));
    expect(assigned.opening).toBeNull();
    const before = namesNow();
    queue.replace(startOf('stranger', 5), startOf('other', 99));
    expect([namesNow(), Object.keys(queue.queued)]).toEqual([before, ['0', '1']]);
  });
});

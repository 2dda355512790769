import { describe, expect, test } from '@jest/globals';
import { WaitQueue } from '../../src/core/wait-queue.js';
import { RequestName } from '../../src/core/checkout-name.js';
import { endUse } from '../../src/core/connections.js';
import { listHolders, Longest } from '../../src/core/holders.js';
import { RequestContext } from '../../src/core/request-context.js';
import { Ring } from '../../src/core/ring.js';
import { sampleServiceTimes } from '../../src/core/service-times.js';
import { SessionTransactions } from '../../src/core/session-transactions.js';

/** @import { Checkout } from '../../src/core/checkout.js' */
/** @import { Connection } from '../../src/core/connections.js' */
/** @import { ServerPool } from '../../src/core/server-pool.js' */

describe('the wait queue', () => {
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
    // The driver read 7 and emitted at 9.
    expect(nameOf(queueOf(['only', 9]).takeNext(at(7)))).toEqual(['only', null]);
  });

  test('only those that started before a time are removed by it', () => {
    const queue = queueOf(['first', 4], ['second', 5], ['third', 6]);
    expect(queue.removeBefore(at(5)).map(({ caller }) => caller)).toEqual(['first']);
    expect(queue.removeBefore(at(5))).toEqual([]);
    expect(queue.queued.map(({ caller }) => caller)).toEqual(['second', 'third']);
  });

  test('a waiter can leave its place, and the time it began, to another one', () => {
    const connection = /** @type {Connection} */ ({ id: 7 });
    for (const name of ['assigned', 'first', 'second']) {
      const queue = queueOf(['assigned', 4], ['first', 5], ['second', 6]);
      queue.assign(connection);
      const waiting = [...queue.assigned.values(), ...queue.queued];
      const leaving = /** @type {Checkout} */ (waiting.find(({ caller }) => caller === name));
      const { fromMs, toMs, sinceMs, opening } = leaving;
      const other = startOf('other', 99);
      queue.replace(leaving, other);
      expect(other).toMatchObject({ fromMs, toMs, sinceMs, ...(opening && { opening }) });
      expect([...queue.assigned.values(), ...queue.queued]).toEqual(
        waiting.map((each) => (each === leaving ? other : each)),
      );
      expect(leaving.opening ?? null).toBeNull();
      queue.replace(startOf('stranger', 5), startOf('nobody', 99));
      expect(Object.keys(queue.queued)).toEqual(['0', '1']);
    }
  });
});

describe('the holders of a connection', () => {
  /** @typedef {[who: string, checkOutStartedAtMs: number, checkedOutAtMs: number, checkedInAtMs: number]} Use */

  /** @param {Use[]} uses of one connection @returns {Record<string, (string | null)[]>} for each, who had it before */
  function endAll(uses) {
    const connection = /** @type {Connection} */ ({ lastUse: null });
    return Object.fromEntries(
      uses.map(([who, checkOutStartedAtMs, checkedOutAtMs, checkedInAtMs]) => {
        const times = { checkOutStartedAtMs, checkedOutAtMs, checkedInAtMs };
        const checkout = { name: new RequestName(1, null, who), ...times, previous: null };
        const { items } = endUse(connection, /** @type {any} */ (checkout));
        return [who, listHolders(items).map(({ requestId }) => requestId)];
      }),
    );
  }

  test('are those who had it during the wait, the longest first, and at most three', () => {
    // Of a's 100 ms d saw the last 5, of b's 30 ms and c's 7 ms all.
    expect(
      endAll([
        ['a', 0, 0, 100],
        ['b', 10, 100, 130],
        ['c', 20, 130, 137],
        ['d', 95, 137, 140],
        ['e', 40, 140, 150],
      ]),
    ).toEqual({ a: [], b: ['a'], c: ['a', 'b'], d: ['b', 'c', 'a'], e: ['a', 'b', 'c'] });
  });
});

describe('a request context', () => {
  const createContext = () => new RequestContext({ route: '/a' }, 1);
  const createCheckout = () =>
    /** @type {Checkout} */ (/** @type {unknown} */ ({ isOver: false, nextOpen: null, pool: { isCallersFlow: true } }));

  test('a checkout needs a scope of its own only beside others', () => {
    const context = createContext();
    const [first, second, third, last] = Array.from({ length: 4 }, () => createCheckout());
    expect([first, second, third].map((checkout) => context.begin(checkout, false))).toEqual([false, true, true]);
    first.isOver = true;
    for (const ended of [third, first, second]) context.end(ended);
    expect(context.begin(last, false)).toBe(false);
    expect(context.alone).toBe(last);
  });

  test('it is open while any of its checkouts is, in whatever order they end, or while one begins', () => {
    const context = createContext();
    const [first, second, third, stranger] = Array.from({ length: 4 }, () => createCheckout());
    expect(context.mayBeOpen).toBe(false);
    context.isBeginning = true;
    expect(context.mayBeOpen).toBe(true);
    for (const checkout of [first, second, third]) context.begin(checkout, false);
    context.end(stranger);
    for (const checkout of [second, first]) {
      context.end(checkout);
      checkout.isOver = true;
      expect([context.mayBeOpen, checkout.nextOpen]).toEqual([true, null]);
    }
    context.end(second);
    expect(context.mayBeOpen).toBe(true);
    context.end(third);
    expect(context.mayBeOpen).toBe(false);
  });

  test('it counts what it holds of a pool, the time in which any of its waits goes on, and aborts all of them', () => {
    /** @type {Checkout[]} */
    const aborted = [];
    const poolOf = () =>
      /** @type {ServerPool} */ (
        /** @type {unknown} */ ({ abort: (/** @type {Checkout} */ one) => aborted.push(one) })
      );
    const [pool, other] = [poolOf(), poolOf()];
    const context = createContext();
    const checkouts = [
      { pool, connection: { id: 1 }, checkOutStartedAtMs: 10 },
      { pool, connection: { id: 2 }, checkOutStartedAtMs: 20 },
      { pool: other, connection: { id: 1 }, checkOutStartedAtMs: 30 },
      { pool, connection: null, checkOutStartedAtMs: 40 },
      { pool: other, connection: null, checkOutStartedAtMs: 60 },
    ].map((each) => /** @type {Checkout} */ (/** @type {unknown} */ ({ ...each, nextOpen: null })));
    context.countOpenWaits(100);
    expect(context.waitMs).toBe(0);
    for (const checkout of checkouts) context.begin(checkout, false);
    expect([context.countHeld(pool), context.countHeld(other)]).toEqual([2, 1]);
    context.countOpenWaits(100);
    // Since 40, and since 60 twice.
    expect(context.waitMs).toBe(60);
    context.abort();
    expect(new Set(aborted)).toEqual(new Set(checkouts));
  });

  test('it keeps the holders that it waited for, and no more than a hundred', () => {
    /** @param {number} count */
    const holders = (count) => {
      const longest = new Longest();
      for (let number = 1; number <= count; number++) longest.add(new RequestName(number, '/held'), -number);
      return longest.items;
    };
    const context = createContext();
    context.waitedFor(holders(0));
    expect(context.behind).toEqual([]);
    context.waitedFor(holders(2));
    expect(context.behind).toEqual([
      { requestId: 'r1', route: '/held' },
      { requestId: 'r2', route: '/held' },
    ]);
    // Each request has a list of its own.
    expect(createContext().behind).toEqual([]);
    for (let times = 0; times < 100; times++) context.waitedFor(holders(2));
    expect(context.behind).toHaveLength(100);
  });

  test('its name is its number, unless it has an id', () => {
    expect(createContext()).toMatchObject({ requestId: 'r1', route: '/a' });
    const { signal } = new AbortController();
    const own = new RequestContext({ route: (from) => `/${from}`, from: 'b', requestId: 'mine', signal }, 2);
    expect(own).toMatchObject({ requestId: 'mine', route: '/b', waitMs: 0, useMs: 0, isOver: false, status: 0 });
    expect(own.signal).toBe(signal);
  });
});

describe('the ring of records', () => {
  test('keeps the last ones, and writes over the oldest', () => {
    const ring = new Ring(3);
    expect(Array.from({ length: 5 }, () => ring.next())).toEqual([0, 1, 2, 0, 1]);
    expect([ring.lastId, ring.forgottenId]).toEqual([5, 2]);
    expect([0, 4, 5].map((id) => [...ring.idsAfter(id)])).toEqual([[3, 4, 5], [5], []]);
    expect(ring.rowOf(4)).toBe(0);
  });
});

describe('service times', () => {
  let requests = 0;
  let lastId = 0;

  /**
   * @param {string | null} route
   * @param {number | null} checkedOutAtMs
   * @param {number | null} checkedInAtMs
   * @param {{ outcome?: string, requestId?: string | null, kind?: string | null }} [rest]
   */
  const checkout = (
    route,
    checkedOutAtMs,
    checkedInAtMs,
    { outcome = 'checkedIn', requestId = `r${++requests}`, kind = null } = {},
  ) =>
    /** @type {import('../../src/core/checkout-log.js').CheckoutRecord} */ ({
      id: ++lastId,
      route,
      requestId,
      kind,
      outcome,
      checkedOutAtMs,
      checkedInAtMs,
    });

  test.each([
    [
      'samples the last uses of each route; a checkout without route or connection, or of a stream, does not count',
      [
        checkout('/fast', 0, 2),
        checkout(null, 0, 50),
        checkout('/news', 0, 1000, { kind: 'changeStream' }),
        checkout('/slow', 0, 5000),
        checkout('/fast', null, null, { outcome: 'checkOutFailed' }),
        checkout('/fast', 10, 11.5),
      ],
      { '/fast': [1.5, 2], '/slow': [5000] },
    ],
    [
      'a request with a failed operation does not count, nor do its other queries',
      [
        checkout('/slow', 0, 1, { requestId: 'cut' }),
        checkout('/slow', 1, 2000, { requestId: 'cut', outcome: 'operationFailed' }),
        checkout('/fast', 0, 9, { outcome: 'operationFailed' }),
        checkout('/slow', 0, 5000),
      ],
      { '/slow': [5000] },
    ],
    [
      'the queries of one request add up',
      [checkout('/slow', 0, 1, { requestId: 'twice' }), checkout('/slow', 7, 5007, { requestId: 'twice' })],
      { '/slow': [5001] },
    ],
    [
      'checkouts outside of any request do not add up, nor does one that failed spoil the others',
      [
        checkout('background', 0, 1, { requestId: null }),
        checkout('background', 0, 9, { requestId: null, outcome: 'operationFailed' }),
        checkout('background', 7, 10, { requestId: null }),
      ],
      { background: [3, 1] },
    ],
  ])('%s', (_, checkouts, samples) => {
    const expected = Object.entries(samples).map(([route, valuesMs]) => [route, { kind: 'sample', valuesMs }]);
    expect(Object.entries(sampleServiceTimes(checkouts))).toEqual(expected);
  });

  test('samples at most a hundred per route, the newest', () => {
    const many = Array.from({ length: 150 }, (_, index) => checkout('/fast', 0, index));
    const { valuesMs } = sampleServiceTimes(many)['/fast'];
    expect(valuesMs).toHaveLength(100);
    expect(valuesMs[0]).toBe(149);
  });
});

test('transactions keep their numbers, but the oldest of many is forgotten', () => {
  const transactions = new SessionTransactions();
  const numberOf = (/** @type {number} */ session, /** @type {bigint} */ txnNumber) =>
    transactions.numberOf({ lsid: { id: Buffer.from(String(session)) }, txnNumber });
  expect([numberOf(1, 1n), numberOf(2, 1n), numberOf(1, 2n), numberOf(1, 1n)]).toEqual([1, 2, 3, 1]);
  for (let session = 3; session <= 10_000; session++) numberOf(session, 1n);
  expect([numberOf(2, 1n), numberOf(1, 1n)]).toEqual([2, 10_002]);
});

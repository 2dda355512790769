import { expect, test } from '@jest/globals';
import { Longest } from '../../src/core/holders.js';
import { RequestName } from '../../src/core/checkout-name.js';
import { RequestContext } from '../../src/core/request-context.js';

/** @import { Checkout } from '../../src/core/checkout.js' */
/** @import { ServerPool } from '../../src/core/server-pool.js' */

const createContext = () => new RequestContext({ route: '/a' }, 1);
const createCheckout = (isCallersFlow = true) =>
  /** @type {Checkout} */ (/** @type {unknown} */ ({ isOver: false, nextOpen: null, pool: { isCallersFlow } }));

test('a checkout needs a scope of its own only beside others', () => {
  const context = createContext();
  const [first, second, third, last] = Array.from({ length: 4 }, () => createCheckout());
  expect([first, second, third].map((checkout) => context.begin(checkout))).toEqual([false, true, true]);
  first.isOver = true;
  for (const ended of [third, first, second]) context.end(ended);
  expect(context.begin(last)).toBe(false);
  expect(context.alone).toBe(last);
});

test('a checkout that was only inferred to be aborted may still end', () => {
  const context = createContext();
  const [aborted, next] = [createCheckout(), createCheckout()];
  context.begin(aborted);
  context.end(aborted);
  expect(context.begin(next)).toBe(true);
  expect(context.alone).toBe(aborted);
});

test('with a driver that leaves the flow of the caller each one needs a scope', () => {
  const context = createContext();
  expect(context.begin(createCheckout(false))).toBe(true);
  expect(context.alone).toBeNull();
});

test('it is open while any of its checkouts is, in whatever order they end, or while one begins', () => {
  const context = createContext();
  const [first, second, third, stranger] = Array.from({ length: 4 }, () => createCheckout());
  expect(context.isOpen).toBe(false);
  context.isBeginning = true;
  expect(context.isOpen).toBe(true);
  for (const checkout of [first, second, third]) context.begin(checkout);
  context.end(stranger);
  for (const checkout of [second, first]) {
    context.end(checkout);
    expect([context.isOpen, checkout.nextOpen]).toEqual([true, null]);
  }
  context.end(second);
  expect(context.isOpen).toBe(true);
  context.end(third);
  expect(context.isOpen).toBe(false);
});

test('a new checkout is the last one, once it is checked in', () => {
  const context = createContext();
  context.last = createCheckout();
  context.begin(createCheckout());
  expect(context.last).toBeNull();
});

test('it counts what it holds of a pool, sums the waits that go on, and aborts all of them', () => {
  /** @type {Checkout[]} */
  const aborted = [];
  const poolOf = () =>
    /** @type {ServerPool} */ (/** @type {unknown} */ ({ abort: (/** @type {Checkout} */ one) => aborted.push(one) }));
  const [pool, other] = [poolOf(), poolOf()];
  const context = createContext();
  const checkouts = [
    { pool, connection: { id: 1 }, checkOutStartedAtMs: 10 },
    { pool, connection: { id: 2 }, checkOutStartedAtMs: 20 },
    { pool: other, connection: { id: 1 }, checkOutStartedAtMs: 30 },
    { pool, connection: null, checkOutStartedAtMs: 40 },
    { pool: other, connection: null, checkOutStartedAtMs: 60 },
  ].map((each) => /** @type {Checkout} */ (/** @type {unknown} */ ({ ...each, nextOpen: null })));
  expect(context.sumOpenWaits(100)).toBe(0);
  for (const checkout of checkouts) context.begin(checkout);
  expect([context.countHeld(pool), context.countHeld(other)]).toEqual([2, 1]);
  expect(context.sumOpenWaits(100)).toBe(60 + 40);
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

import { expect, test } from '@jest/globals';
import { RequestContext } from '../src/request-context.js';

/** @import { Checkout } from '../src/checkout.js' */

const createContext = () => new RequestContext({ route: '/a' }, 1);
const createCheckout = (isCallersFlow = true) => /** @type {Checkout} */ (/** @type {unknown} */ ({ isOver: false, nextOpen: null, pool: { isCallersFlow } }));

test('a checkout needs a scope of its own only beside others', () => {
  const context = createContext();
  const [first, second, third, last] = Array.from({ length: 4 }, () => createCheckout());
  expect([first, second, third].map((checkout) => context.begin(checkout))).toEqual([false, true, true]);
  first.isOver = true;
  for (const ended of [third, first, second]) context.end(ended);
  expect(context.begin(last)).toBe(false);
  expect(context.alone).toBe(last);
});

test('a checkout that was only supposed to be aborted may still end', () => {
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

import { Longest } from './longest.js';
import { UNKNOWN } from './request-context.js';

/** @import { Checkout, CheckoutKind } from './checkout.js' */
/** @import { ServerPool } from './server-pool.js' */

/**
 * @typedef {object} Holder the request that had a connection checked out while another waited
 * @property {string | null} requestId
 * @property {string | null} route read late: it may still become known
 * @property {string} [operation] such as `find users`, where known
 * @property {CheckoutKind} [kind]
 *
 * @typedef {Holder & { holds: number }} Waiter holds: how many connections of this pool its request has checked out. If the
 *   request does not return them before it gets the next one, it may wait for itself
 */

/** The holders change rarely while many waiters ask at once. @type {WeakMap<ServerPool, { changes: number, holders: Holder[] }>} */
const asked = new WeakMap();

/** @param {Checkout | null} checkout @returns {Holder} keeps nothing of a request but its name */
export function holderOf(checkout) {
  const { name, operation, kind } = checkout ?? { name: UNKNOWN, operation: null, kind: null };
  return {
    requestId: name.requestId,
    get route() {
      return name.route;
    },
    ...(operation !== null && { operation }),
    ...(kind !== null && { kind }),
  };
}

/** @param {Checkout} checkout @returns {Waiter} */
export function waiterOf(checkout) {
  return { ...holderOf(checkout), holds: checkout.context?.countHeld(checkout.pool) ?? 0 };
}

/** @param {ServerPool} pool @returns {Holder[]} the longest first */
export function longestHolders(pool) {
  const { connections } = pool;
  const known = asked.get(pool);
  if (known?.changes === connections.changes) return known.holders;
  /** @type {Longest<Checkout | null>} */
  const longest = new Longest();
  for (const { state, sinceMs, checkout } of connections.values()) {
    if (state === 'active') longest.add(checkout, -sinceMs);
  }
  const holders = longest.items.map(holderOf);
  asked.set(pool, { changes: connections.changes, holders });
  return holders;
}

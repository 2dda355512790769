import { UNKNOWN } from './checkout-name.js';
import { Longest } from './longest.js';

/** @import { Checkout, CheckoutKind } from './checkout.js' */
/** @import { CheckoutName } from './checkout-name.js' */
/** @import { ServerPool } from './server-pool.js' */

/**
 * @typedef {object} Holder the request that had a connection checked out while another waited
 * @property {string | null} requestId
 * @property {string | null} route
 * @property {string} [operation] such as `find users`, where known
 * @property {CheckoutKind} [kind]
 *
 * @typedef {Holder & { holds: number }} Waiter holds: how many connections of this pool its request has checked out. If the
 *   request does not return them before it gets the next one, it may wait for itself
 */

/**
 * The holders change rarely while many waiters ask at once.
 * @type {WeakMap<ServerPool, { changes: number, longest: Longest<CheckoutName> }>}
 */
const asked = new WeakMap();

/** @param {Checkout | null} checkout @returns {Holder} */
export function holderOf(checkout) {
  return nameHolder(checkout?.name ?? UNKNOWN);
}

/** @param {Checkout} checkout @returns {Waiter} */
export function waiterOf(checkout) {
  return { ...holderOf(checkout), holds: checkout.context?.countHeld(checkout.pool) ?? 0 };
}

/** @param {ServerPool} pool @returns {Holder[]} the longest first */
export function longestHolders(pool) {
  return listHolders(findHolders(pool).items);
}

/** @param {ServerPool} pool */
export function findHolders(pool) {
  const { connections } = pool;
  const known = asked.get(pool);
  if (known?.changes === connections.changes) return known.longest;
  /** @type {Longest<CheckoutName>} */
  const longest = new Longest();
  for (const { state, sinceMs, checkout } of connections.values()) {
    if (state === 'active') longest.add(checkout?.name ?? UNKNOWN, -sinceMs);
  }
  asked.set(pool, { changes: connections.changes, longest });
  return longest;
}

/** @param {(CheckoutName | undefined)[]} names @returns {Holder[]} */
export function listHolders(names) {
  return names.flatMap((name) => (name ? [nameHolder(name)] : []));
}

/** @param {CheckoutName} name @returns {Holder} */
export function nameHolder({ requestId, route, operation = null, kind = null }) {
  return { requestId, route, ...(operation !== null && { operation }), ...(kind !== null && { kind }) };
}

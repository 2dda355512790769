import { RequestName } from './request-context.js';

/** @import { Checkout } from './pool-events.js' */
/** @import { RequestContext } from './request-context.js' */
/** @import { ServerPool } from './server-pool.js' */

/** How many holders a waiting request names. */
export const MAX_HOLDERS = 3;

const UNKNOWN = new RequestName(null, null, null);

/**
 * @typedef {'changeStream' | 'tailableCursor'} CheckoutKind what can keep its connection for as long as it likes
 *
 * @typedef {object} Holder the request that had a connection checked out while another waited
 * @property {string | null} requestId
 * @property {string | null} route read late: it may still become known
 * @property {string} [operation] such as `find users`, where known
 * @property {CheckoutKind} [kind]
 *
 * @typedef {Holder & { holds: number }} Waiter holds: how many connections of this pool its request has checked out. If the
 *   request does not return them before it gets the next one, it may wait for itself
 *
 * @typedef {object} Caller the code that started a checkout, whichever connection it got
 * @property {RequestContext | undefined} context
 * @property {RequestName} name
 * @property {string | null} operation
 * @property {CheckoutKind | null} kind
 * @property {number} holds how many connections of the pool its request had checked out when this wait began
 * @property {number} checkOutStartedAtMs
 * @property {boolean} wasSeen false if we only know it from its connection
 * @property {Checkout} checkout
 * @property {ServerPool | null} pool
 */

/** @param {Checkout | null} checkout @returns {Holder} */
export function holderOf(checkout) {
  return nameOf(checkout && callerOf(checkout));
}

/** @param {Checkout} checkout @returns {Waiter} */
export function waiterOf(checkout) {
  const { context, pool } = callerOf(checkout);
  return { ...holderOf(checkout), holds: context?.countHeld(pool) ?? 0 };
}

/** @param {ServerPool} pool @returns {Holder[]} the longest first */
export function longestHolders(pool) {
  return [...pool.connections.values()]
    .filter(({ state }) => state === 'active')
    .sort((a, b) => a.sinceMs - b.sinceMs)
    .slice(0, MAX_HOLDERS)
    .map(({ checkout }) => holderOf(checkout));
}

/** @param {Caller | null} caller @returns {Holder} keeps nothing of a request but its name */
export function nameOf(caller) {
  const { name, operation, kind } = caller ?? { name: UNKNOWN, operation: null, kind: null };
  return {
    requestId: name.requestId,
    get route() {
      return name.route;
    },
    ...(operation !== null && { operation }),
    ...(kind !== null && { kind }),
  };
}

/** @param {Checkout} checkout @returns {Caller} without a context while the caller is unknown */
export function callerOf(checkout) {
  checkout.caller ??= {
    context: undefined, name: UNKNOWN, operation: null, kind: null, holds: 0,
    checkOutStartedAtMs: checkout.checkOutStartedAtMs, wasSeen: false, checkout, pool: null,
  };
  return /** @type {Caller} */ (checkout.caller);
}

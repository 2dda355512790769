/** @import { Checkout } from './pool-events.js' */
/** @import { ServerPool } from './server-pool.js' */

/** How many holders a waiting request names. */
export const MAX_HOLDERS = 3;

/**
 * @typedef {{ requestId: string | null, route: string | null }} Holder the request that had a connection checked out
 *   while another waited
 *
 * @typedef {object} RequestContext the sums over a request's checkouts, including concurrent ones
 * @property {string} route
 * @property {string} requestId
 * @property {number} request counts up
 * @property {number} waitMs waited for connections
 * @property {number} useMs had connections checked out
 * @property {Holder[]} behind who held the connections it waited for
 * @property {AbortSignal} [signal] aborts the request
 * @property {{ checkout: Checkout, pool: ServerPool }} [last] its last checkout, once checked in
 *
 * @typedef {object} Caller the code that started a checkout, whichever connection it got
 * @property {RequestContext | undefined} context
 * @property {number} checkOutStartedAtMs
 * @property {boolean} wasSeen false if we only know it from its connection
 * @property {Checkout} checkout
 */

/** @param {Checkout | null} checkout @returns {Holder} */
export function holderOf(checkout) {
  return nameOf(checkout && callerOf(checkout));
}

/** @param {ServerPool} pool @returns {Holder[]} the longest first */
export function longestHolders(pool) {
  return [...pool.connections.values()]
    .filter(({ state }) => state === 'active')
    .sort((a, b) => a.sinceMs - b.sinceMs)
    .slice(0, MAX_HOLDERS)
    .map(({ checkout }) => holderOf(checkout));
}

/** @param {Caller | null} caller @returns {Holder} */
export function nameOf(caller) {
  return { requestId: caller?.context?.requestId ?? null, route: caller?.context?.route ?? null };
}

/** @param {Checkout} checkout @returns {Caller} without a context while the caller is unknown */
export function callerOf(checkout) {
  checkout.caller ??= { context: undefined, checkOutStartedAtMs: checkout.checkOutStartedAtMs, wasSeen: false, checkout };
  return /** @type {Caller} */ (checkout.caller);
}

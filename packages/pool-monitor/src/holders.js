/** @import { Checkout, ServerPool } from './server-pool.js' */

/** Of those who held connections while one waited, so many are named. */
export const MAX_HOLDERS = 3;

/**
 * @typedef {{ requestId: string | null, route: string | null }} Holder who held a connection that another waited for
 *
 * @typedef {object} RequestContext what a request's checkouts add up to, those side by side too
 * @property {string} route
 * @property {string} requestId
 * @property {number} waitMs waited for connections
 * @property {number} useMs had connections checked out
 * @property {Holder[]} behind who held the connections it waited for
 * @property {AbortSignal} [signal] with which it gives up
 * @property {{ checkout: Checkout, pool: ServerPool }} [last] its last checkout, once that was returned
 *
 * @typedef {object} Asker who asked, apart from which connection they got
 * @property {RequestContext | undefined} context
 * @property {number} checkOutStartedAtMs
 * @property {boolean} wasSeen to ask; else it is known by its connection alone
 * @property {Checkout} checkout
 */

/**
 * Whose checkout it is.
 * @param {Checkout | null} checkout
 * @returns {Holder}
 */
export function holderOf(checkout) {
  return nameOf(checkout && askerOf(checkout));
}

/**
 * Who holds the connections of a pool, the longest first.
 * @param {ServerPool} pool
 * @returns {Holder[]}
 */
export function longestHolders(pool) {
  return [...pool.connections.values()]
    .filter(({ state }) => state === 'active')
    .sort((a, b) => a.sinceMs - b.sinceMs)
    .slice(0, MAX_HOLDERS)
    .map(({ checkout }) => holderOf(checkout));
}

/**
 * @param {Asker | null} asker
 * @returns {Holder}
 */
export function nameOf(asker) {
  return { requestId: asker?.context?.requestId ?? null, route: asker?.context?.route ?? null };
}

/**
 * @param {Checkout} checkout
 * @returns {Asker} nobody known, until its asker is
 */
export function askerOf(checkout) {
  checkout.ask ??= { context: undefined, checkOutStartedAtMs: checkout.checkOutStartedAtMs, wasSeen: false, checkout };
  return /** @type {Asker} */ (checkout.ask);
}

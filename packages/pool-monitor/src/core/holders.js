import { UNKNOWN } from './checkout-name.js';

/** @import { Checkout, CheckoutKind } from './checkout.js' */
/** @import { CheckoutName } from './checkout-name.js' */
/** @import { ServerPool } from './server-pool.js' */

/**
 * @typedef {object} Holder a request that had a connection checked out while another waited
 * @property {string | null} requestId
 * @property {string | null} route
 * @property {string} [operation] such as `find users`, where known
 * @property {CheckoutKind} [kind]
 *
 * @typedef {Holder & { holds: number }} Waiter holds: how many connections of this pool its request has checked out. If
 *   the request does not return them before it gets the next one, it may be waiting for itself
 */

/**
 * @typedef {object} HolderGroup holders with the same route and operation
 * @property {string | null} route
 * @property {string | null} operation
 * @property {CheckoutKind | null} kind
 * @property {(number | null)[]} requests their numbers
 */

/** How many holders a waiting request names. */
export const MAX_HOLDERS = 3;

/**
 * Keeps the few longest of many, without sorting them all. It leaves no garbage if it is used again after `clear`.
 * @template T
 */
export class Longest {
  /** The longest first; undefined from `count` on. @type {(T | undefined)[]} */
  items = Array.from({ length: MAX_HOLDERS });
  count = 0;
  #lengths = Array.from({ length: MAX_HOLDERS }, () => 0);

  clear() {
    if (this.count === 0) return;
    this.items.fill(undefined);
    this.count = 0;
  }

  /** @param {T} item @param {number} length */
  add(item, length) {
    let place = this.count;
    while (place > 0 && this.#lengths[place - 1] < length) place -= 1;
    if (place === MAX_HOLDERS) return;
    this.count = Math.min(this.count + 1, MAX_HOLDERS);
    for (let later = this.count - 1; later > place; later -= 1) {
      this.items[later] = this.items[later - 1];
      this.#lengths[later] = this.#lengths[later - 1];
    }
    this.items[place] = item;
    this.#lengths[place] = length;
  }
}

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
  return listHolders(findHolders(pool));
}

/** @param {ServerPool} pool @param {number} [most] @returns {CheckoutName[]} the longest first */
export function findHolders({ connections }, most = MAX_HOLDERS) {
  /** @type {CheckoutName[]} */
  const names = new Array(Math.min(most, connections.held.length));
  for (let place = 0; place < names.length; place += 1)
    names[place] = connections.held[place].checkout?.name ?? UNKNOWN;
  return names;
}

/** @param {readonly (CheckoutName | undefined)[]} names @returns {Holder[]} */
export function listHolders(names) {
  return names.flatMap((name) => (name ? [nameHolder(name)] : []));
}

/** @param {CheckoutName} name @returns {Holder} */
export function nameHolder({ requestId, route, operation = null, kind = null }) {
  return { requestId, route, ...(operation !== null && { operation }), ...(kind !== null && { kind }) };
}

/** @param {readonly CheckoutName[]} names @returns {HolderGroup[]} in the order of their first ones */
export function groupHolders(names) {
  /** @type {HolderGroup[]} */
  const groups = [];
  for (const { route, operation = null, kind = null, request } of names) {
    const known = groups.find((group) => group.route === route && group.operation === operation && group.kind === kind);
    if (known) known.requests.push(request);
    else groups.push({ route, operation, kind, requests: [request] });
  }
  return groups;
}

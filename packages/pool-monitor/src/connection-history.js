import { Longest } from './longest.js';

/** @import { Checkout } from './checkout.js' */
/** @import { Connection } from './connections.js' */

/** @type {readonly Checkout[]} */
const NOBODY = [];

/**
 * Each connection keeps who used it, as far back as anyone may have waited for it.
 *
 * @param {Connection} connection
 * @param {Checkout} checkout that has just ended
 * @returns {readonly Checkout[]} who had the connection while this one waited, the longest first
 */
export function endUse(connection, checkout) {
  const { checkOutStartedAtMs } = checkout;
  const before = connection.lastUse;
  connection.lastUse = checkout;
  if (!before || before.checkedInAtMs <= checkOutStartedAtMs) return NOBODY;

  checkout.previous = before;
  /** @type {Longest<Checkout>} */
  const longest = new Longest();
  let oldest = before;
  for (let one = /** @type {Checkout | null} */ (before); one && one.checkedInAtMs > checkOutStartedAtMs; one = one.previous) {
    longest.add(one, one.checkedInAtMs - Math.max(one.checkedOutAtMs, checkOutStartedAtMs));
    oldest = one;
  }
  // The next user of the connection usually started later, so nobody needs what came before our own wait.
  oldest.previous = null;
  return longest.items;
}

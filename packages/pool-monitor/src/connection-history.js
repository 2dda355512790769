import { Longest } from './longest.js';

/** @import { Checkout } from './checkout.js' */
/** @import { Connection } from './connections.js' */
/** @import { CheckoutName } from './checkout-name.js' */

/** @type {Longest<CheckoutName>} */
const longest = new Longest();

/**
 * Each connection keeps who used it, as far back as anyone may have waited for it.
 *
 * @param {Connection} connection
 * @param {Checkout} checkout that has just ended
 * @returns {Longest<CheckoutName>} who had the connection while this one waited; good until the next call
 */
export function endUse(connection, checkout) {
  const { checkOutStartedAtMs } = checkout;
  const before = connection.lastUse;
  connection.lastUse = checkout;
  longest.clear();
  if (!before || before.checkedInAtMs <= checkOutStartedAtMs) return longest;

  checkout.previous = before;
  let oldest = before;
  for (let one = /** @type {Checkout | null} */ (before); one && one.checkedInAtMs > checkOutStartedAtMs; one = one.previous) {
    longest.add(one.name, one.checkedInAtMs - Math.max(one.checkedOutAtMs, checkOutStartedAtMs));
    oldest = one;
  }
  // The next user of the connection usually started later, so nobody needs what came before our own wait.
  oldest.previous = null;
  return longest;
}

/** @import { RecordedTrace } from '../reading/recorded-trace.js' */

/**
 * One transaction of a pool. One that begins again after a conflict is another.
 *
 * @typedef {object} Transaction
 * @property {number} request row of the one that began it; -1: none
 * @property {number} route
 * @property {number} startedMs when it asked for its first connection
 * @property {number} openedMs when it got that: from now on it holds what it has locked, until it ends
 * @property {number} endedMs
 * @property {number} waitedMs how long it waited for connections while it was open
 * @property {boolean} hasConflict whether it failed because another one had changed the same document
 */

const WRITE_CONFLICT = 'WriteConflict';

/**
 * Lists the transactions of a pool, as far as a trace numbers them.
 *
 * @param {RecordedTrace} trace
 * @param {number} pool row
 * @returns {Map<number, Transaction>} by number, in the order of their starts
 */
export function listTransactions({ checkouts, reasons }, pool) {
  const { startedMs, waitMs, useMs, poolOf, requestOf, routeOf, reasonOf, transactionOf } = checkouts;
  const conflict = reasons.indexOf(WRITE_CONFLICT);
  /** @type {Map<number, Transaction>} */
  const transactions = new Map();
  for (let row = 0; row < checkouts.length; row++) {
    if (transactionOf[row] === 0 || poolOf[row] !== pool) continue;
    const outMs = startedMs[row] + waitMs[row];
    const endedMs = outMs + (useMs[row] || 0);
    const known = transactions.get(transactionOf[row]);
    const hasConflict = conflict >= 0 && reasonOf[row] === conflict;
    if (known) {
      known.endedMs = Math.max(known.endedMs, endedMs);
      known.waitedMs += waitMs[row];
      known.hasConflict ||= hasConflict;
    } else {
      const first = { startedMs: startedMs[row], openedMs: outMs, endedMs };
      const who = { request: requestOf[row], route: routeOf[row] };
      transactions.set(transactionOf[row], { ...who, ...first, waitedMs: 0, hasConflict });
    }
  }
  return transactions;
}

import { COMMON } from '../assumptions/common-assumptions.js';
import { sum } from '../base/sample-statistics.js';

/** @import { RecordedTrace } from '../reading/recorded-trace.js' */

/**
 * One transaction of a pool. One that begins again after a conflict is another.
 *
 * @typedef {object} PoolTransaction
 * @property {number} request row of the one that began it; -1: none
 * @property {number} route
 * @property {number} startedMs when it asked for its first connection
 * @property {number} openedMs when it got that: from now on it holds what it has locked, until it ends
 * @property {number} endedMs
 * @property {number} waitedMs how long it waited for connections while it was open
 * @property {boolean} hasConflict whether it failed because another one had changed the same document
 *
 * @typedef {object} ConflictCounts
 * @property {number} transactions
 * @property {number} conflicts how many of them failed so
 * @property {number} waitedShare of the time in which they were open: they waited for connections
 */

const WRITE_CONFLICT = 'WriteConflict';

/**
 * Lists the transactions of each pool, as far as a trace numbers them.
 *
 * @param {RecordedTrace} trace
 * @returns {Map<number, PoolTransaction>[]} by row of the pool; by number, in the order of their starts
 */
export function listTransactions({ checkouts, pools, reasons }) {
  const { startedMs, waitMs, useMs, poolOf, requestOf, routeOf, reasonOf, transactionOf } = checkouts;
  const conflict = reasons.indexOf(WRITE_CONFLICT);
  /** @type {Map<number, PoolTransaction>[]} */
  const byPool = pools.map(() => new Map());
  for (let row = 0; row < checkouts.length; row++) {
    if (transactionOf[row] === 0) continue;
    const transactions = byPool[poolOf[row]];
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
  return byPool;
}

/**
 * Counts conflicts, if they are many: then more come the longer transactions wait for connections, because they hold
 * their locks meanwhile.
 *
 * @param {RecordedTrace} trace
 * @param {number} pool row
 * @returns {ConflictCounts | null} null if they are few
 */
export function countConflicts(trace, pool) {
  const all = [...listTransactions(trace)[pool].values()];
  const conflicts = all.filter(({ hasConflict }) => hasConflict).length;
  const isMuch = conflicts >= Math.max(COMMON.few, COMMON.smallShare * all.length);
  if (!isMuch) return null;
  const openMs = sum(all.map(({ openedMs, endedMs }) => endedMs - openedMs));
  return { transactions: all.length, conflicts, waitedShare: sum(all.map(({ waitedMs }) => waitedMs)) / (openMs || 1) };
}

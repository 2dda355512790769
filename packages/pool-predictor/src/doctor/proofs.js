import { nameClient } from '../trace/pick-pool.js';
import { findHolders } from './find-holders.js';

/** @import { PoolHistory } from './pool-history.js' */
/** @import { RecordedTrace } from '../trace/recorded-trace.js' */

/**
 * A checkout that proves a cause.
 *
 * @typedef {object} Proof
 * @property {number} atMs since the trace began
 * @property {string} client
 * @property {string | null} route
 * @property {string | null} operation
 * @property {number} waitMs
 * @property {number} openingMs
 * @property {number | null} connection that it got
 * @property {string | null} reason why it got none
 * @property {number} holds how many connections its request had
 * @property {HolderCount[]} behind
 *
 * @typedef {{ route: string | null, operation: string | null, count: number }} HolderCount
 */

const PROOFS = 3;

/**
 * Picks the longest waits, of different requests.
 *
 * @param {RecordedTrace} trace
 * @param {PoolHistory[]} pools
 * @param {number[]} rows
 * @param {number} [count] at most
 * @returns {Proof[]}
 */
export function pickProofs(trace, pools, rows, count = PROOFS) {
  const { waitMs, requestOf } = trace.checkouts;
  /** @type {number[]} */
  const picked = [];
  for (const row of rows.toSorted((a, b) => waitMs[b] - waitMs[a])) {
    if (picked.length === count) break;
    if (requestOf[row] >= 0 && picked.some((other) => requestOf[other] === requestOf[row])) continue;
    picked.push(row);
  }
  return picked.map((row) => describeCheckout(trace, pools, row));
}

/** @param {RecordedTrace} trace @param {PoolHistory[]} histories @param {number} row @returns {Proof} */
function describeCheckout(trace, histories, row) {
  const { checkouts, pools, routes, operations, reasons } = trace;
  /** @type {HolderCount[]} */
  const holders = [];
  for (const holder of findHolders(trace, histories, row)) {
    const route = routes[holder.route] ?? null;
    const operation = operations[holder.operation]?.name ?? null;
    const known = holders.find((each) => each.route === route && each.operation === operation);
    if (known) known.count++;
    else holders.push({ route, operation, count: 1 });
  }
  return {
    atMs: checkouts.startedMs[row],
    client: nameClient(pools[checkouts.poolOf[row]]),
    route: routes[checkouts.routeOf[row]] ?? null,
    operation: operations[checkouts.operationOf[row]]?.name ?? null,
    waitMs: checkouts.waitMs[row],
    openingMs: checkouts.openingMs[row],
    connection: checkouts.connectionOf[row] || null,
    reason: reasons[checkouts.reasonOf[row]] ?? null,
    holds: checkouts.holds[row],
    behind: holders,
  };
}

import { groupBy } from '../base/group-by.js';
import { nameClient } from '../trace/pick-pool.js';

/** @import { Wait } from './explain-waits.js' */
/** @import { RecordedTrace } from '../reading/recorded-trace.js' */

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
 * @param {Wait[]} waits for connections
 * @param {number} [count] at most
 * @returns {Proof[]}
 */
export function pickProofs(trace, waits, count = PROOFS) {
  const { waitMs } = trace.checkouts;
  /** @type {Wait[]} */
  const picked = [];
  for (const wait of waits.toSorted((a, b) => waitMs[b.row] - waitMs[a.row])) {
    if (picked.length === count) break;
    if (wait.request < 0 || picked.every(({ request }) => request !== wait.request)) picked.push(wait);
  }
  return picked.map((wait) => describeWait(trace, wait));
}

/** @param {RecordedTrace} trace @param {Wait} wait @returns {Proof} */
function describeWait({ checkouts, pools, routes, operations, reasons }, { row, pool, route, holders }) {
  const nameOf = (/** @type {number} */ operation) => operations[operation]?.name ?? null;
  const behind = groupBy(holders, (holder) => JSON.stringify([routes[holder.route], nameOf(holder.operation)]));
  return {
    atMs: checkouts.startedMs[row],
    client: nameClient(pools[pool]),
    route: routes[route] ?? null,
    operation: nameOf(checkouts.operationOf[row]),
    waitMs: checkouts.waitMs[row],
    openingMs: checkouts.openingMs[row],
    connection: checkouts.connectionOf[row] || null,
    reason: reasons[checkouts.reasonOf[row]] ?? null,
    holds: checkouts.holds[row],
    behind: [...behind.values()].map((own) => ({
      ...{ route: routes[own[0].route] ?? null, operation: nameOf(own[0].operation), count: own.length },
    })),
  };
}

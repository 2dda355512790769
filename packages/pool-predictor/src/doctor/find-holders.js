/** @import { RecordedTrace } from '../trace/recorded-trace.js' */
/** @import { PoolHistory } from './pool-history.js' */

/**
 * A checkout that had a connection while another one waited. All are rows, or -1.
 *
 * @typedef {{ request: number, route: number, operation: number, atMs: number }} PoolHolder atMs: when it had it
 */

/**
 * Finds who had all connections of the pool while a checkout waited: those that the trace names, else those that were
 * in use in the middle of the wait. Checkouts that begin in the same moment see the connections free that the first of
 * them get.
 *
 * @param {RecordedTrace} trace
 * @param {PoolHistory[]} pools
 * @param {number} row of the checkout
 * @returns {PoolHolder[]} none if a connection was free
 */
export function findHolders({ checkouts, behind, pools: recorded }, pools, row) {
  const from = checkouts.behindFrom[row];
  const [startedMs, waitMs] = [checkouts.startedMs[row], checkouts.waitMs[row]];
  if (checkouts.behindCount[row] > 0)
    return Array.from({ length: checkouts.behindCount[row] }, (_, index) => ({
      request: behind.requestOf[from + index],
      route: behind.routeOf[from + index],
      operation: behind.operationOf[from + index],
      atMs: startedMs,
    }));
  const { maxPoolSize = 0 } = recorded[checkouts.poolOf[row]];
  const history = pools[checkouts.poolOf[row]];
  const atMs = startedMs + waitMs / 2;
  if (maxPoolSize === 0 || history.inUse.countAt(atMs) < maxPoolSize) return [];
  return history.holdersAt(atMs).map((holder) => ({
    request: checkouts.requestOf[holder],
    route: checkouts.routeOf[holder],
    operation: checkouts.operationOf[holder],
    atMs,
  }));
}

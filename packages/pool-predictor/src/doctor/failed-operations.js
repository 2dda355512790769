import { COMMON } from '../assumptions/common-assumptions.js';
import { groupBy } from '../base/group-by.js';
import { median, sum } from '../base/sample-statistics.js';
import { findFailedUses } from '../trace/failed-uses.js';
import { OUTCOMES } from '../reading/recorded-trace.js';
import { nameClient } from '../trace/pick-pool.js';

/** @import { RecordedTrace } from '../reading/recorded-trace.js' */

/**
 * Operations of a route that failed while they had a connection, not because the pool was cleared.
 *
 * @typedef {object} FailedOperations
 * @property {string} client
 * @property {string | null} route
 * @property {string | null} operation
 * @property {number} count
 * @property {number} of all operations of this name on this route
 * @property {number} ms the median of how long they had a connection
 * @property {number} share of the time in which connections of the pool were in use
 * @property {'socketTimeoutMS' | 'timeoutMS'} [option] the time limit that ended them
 */

const OPEN = OUTCOMES.indexOf('checkedOut');
const LIMITS = /** @type {const} */ (['socketTimeoutMS', 'timeoutMS']);

/**
 * @param {RecordedTrace} trace
 * @returns {FailedOperations[]} those that held connections longest, all together, first
 */
export function findFailedOperations(trace) {
  const { checkouts, pools, routes, operations } = trace;
  const { outcomeOf, poolOf, routeOf, operationOf, waitMs, useMs } = checkouts;
  const failed = findFailedUses(trace);
  if (failed.size === 0) return [];
  const sumUses = (/** @type {number[]} */ rows) => sum(rows.map((row) => useMs[row]));
  const ended = [...useMs.keys()].filter((row) => useMs[row] >= 0 && outcomeOf[row] !== OPEN);
  const groups = groupBy(ended, (row) => `${poolOf[row]} ${routeOf[row]} ${operationOf[row]}`);
  return [...groups.values()]
    .flatMap((all) => {
      const rows = all.filter((row) => failed.has(row));
      if (rows.length < Math.max(COMMON.atLeast, COMMON.rareShare * all.length)) return [];
      const [first] = rows;
      const pool = pools[poolOf[first]];
      const ms = median(rows.map((row) => useMs[row]));
      if (ms < COMMON.slowMs) return [];
      // timeoutMS is for the whole operation, with its wait.
      const lasted = { socketTimeoutMS: ms, timeoutMS: median(rows.map((row) => waitMs[row] + useMs[row])) };
      const option = LIMITS.find((name) => isLimit(Number(pool.options?.[name]?.value), lasted[name]));
      return {
        client: nameClient(pool),
        route: routes[routeOf[first]] ?? null,
        operation: operations[operationOf[first]]?.name ?? null,
        count: rows.length,
        of: all.length,
        ms,
        share: sumUses(rows) / sumUses(ended.filter((row) => poolOf[row] === poolOf[first])),
        ...(option && { option }),
      };
    })
    .toSorted((a, b) => b.ms * b.count - a.ms * a.count);
}

/** @param {number} limitMs NaN or 0: none @param {number} ms */
function isLimit(limitMs, ms) {
  return limitMs > 0 && ms >= limitMs - 1 && ms <= limitMs * (1 + COMMON.problemShare) + COMMON.reactionMs;
}

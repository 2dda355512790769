import { COMMON } from '../assumptions/common-assumptions.js';
import { EVENTS, OUTCOMES } from '../reading/recorded-trace.js';

/** @import { RecordedTrace } from '../reading/recorded-trace.js' */

const FAILED = OUTCOMES.indexOf('operationFailed');
const CLEARED = EVENTS.indexOf('poolCleared');

/**
 * Finds operations that failed by themselves while they had a connection, because a time limit ended them or the server
 * refused them. They had it all that time, so they are part of the load. Those that failed when the pool was cleared
 * are not: without the failure of the network or the server, each would have lasted as long as others.
 *
 * @param {Pick<RecordedTrace, 'checkouts' | 'events'>} trace
 * @returns {Set<number>} rows
 */
export function findFailedUses({ checkouts: { outcomeOf, poolOf, startedMs, waitMs, useMs }, events }) {
  const clears = [...events.kindOf.keys()].filter((row) => events.kindOf[row] === CLEARED);
  const isCleared = (/** @type {number} */ row) => {
    const endMs = startedMs[row] + waitMs[row] + useMs[row];
    return clears.some(
      (clear) => events.poolOf[clear] === poolOf[row] && Math.abs(events.atMs[clear] - endMs) <= COMMON.reactionMs,
    );
  };
  return new Set([...outcomeOf.keys()].filter((row) => outcomeOf[row] === FAILED && !isCleared(row)));
}

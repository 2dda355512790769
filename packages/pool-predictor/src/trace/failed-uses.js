import { COMMON } from '../assumptions/common-assumptions.js';
import { EVENTS, OUTCOMES } from '../reading/recorded-trace.js';

/** @import { RecordedTrace } from '../reading/recorded-trace.js' */

const FAILED = OUTCOMES.indexOf('operationFailed');
const CLEARED = EVENTS.indexOf('poolCleared');
const CLOSED = EVENTS.indexOf('connectionClosed');
/** The driver closes a connection on which an operation was cut off, such as by its time limit. */
const BROKEN = 'error';

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

/**
 * Finds out which failed operations took their connections with them: the pool has to open another one.
 *
 * @param {Pick<RecordedTrace, 'checkouts' | 'events' | 'reasons'>} trace
 * @param {Set<number>} failed rows, see findFailedUses
 * @returns {Uint8Array} by checkout
 */
export function findBreaks({ checkouts: { poolOf, connectionOf }, events, reasons }, failed) {
  const keyOf = (/** @type {number} */ pool, /** @type {number} */ connection) => `${pool} ${connection}`;
  const broken = new Set(
    [...events.kindOf.keys()]
      .filter((row) => events.kindOf[row] === CLOSED && reasons[events.reasonOf[row]] === BROKEN)
      .map((row) => keyOf(events.poolOf[row], events.connectionOf[row])),
  );
  const breaks = new Uint8Array(poolOf.length);
  // It broke in its last use.
  for (const row of [...failed].toReversed()) if (broken.delete(keyOf(poolOf[row], connectionOf[row]))) breaks[row] = 1;
  return breaks;
}

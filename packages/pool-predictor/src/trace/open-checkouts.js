import { median } from '../base/sample-statistics.js';
import { OUTCOMES } from '../reading/recorded-trace.js';

/** @import { RecordedTrace } from '../reading/recorded-trace.js' */
/** @import { SocketUse } from './socket-users.js' */

const [CHECKED_IN, , , , WAITING, CHECKED_OUT] = OUTCOMES.keys();

/**
 * How long each checkout had its connection. One that still had it when the recording ended is expected to keep it as
 * long as others of its route and operation that took longer than it had by then. Without any, what was seen is a lower
 * bound.
 *
 * @param {RecordedTrace['checkouts']} checkouts
 * @returns {Float64Array} in ms
 */
export function completeUses({ outcomeOf, poolOf, routeOf, operationOf, useMs }) {
  const open = [...outcomeOf.keys()].filter((row) => outcomeOf[row] === CHECKED_OUT);
  if (open.length === 0) return useMs;
  const keyOf = (/** @type {number} */ row) => `${poolOf[row]} ${routeOf[row]} ${operationOf[row]}`;
  const alike = new Map(open.map((row) => [keyOf(row), /** @type {number[]} */ ([])]));
  useMs.forEach((ms, row) => outcomeOf[row] === CHECKED_IN && alike.get(keyOf(row))?.push(ms));
  const completed = useMs.slice();
  for (const row of open) {
    const longer = (alike.get(keyOf(row)) ?? []).filter((ms) => ms > useMs[row]);
    if (longer.length > 0) completed[row] = median(longer);
  }
  return completed;
}

/**
 * Lists the checkouts that still waited when the recording ended. A stream that waits delays nobody.
 *
 * @param {RecordedTrace} trace
 * @returns {number[]} rows
 */
export function listWaiting({ checkouts: { outcomeOf, operationOf }, operations }) {
  return [...outcomeOf.keys()].filter((row) => outcomeOf[row] === WAITING && !operations[operationOf[row]]?.kind);
}

/**
 * Whether most requests came from callers who wait for their answers. At another size these would have come at other
 * times.
 *
 * @param {RecordedTrace['requests']} requests
 * @param {Map<number, SocketUse>} uses of sockets
 */
export function comeFromCallers({ socketOf }, uses) {
  const known = socketOf.filter((socket) => uses.has(socket)).length;
  const waiting = socketOf.filter((socket) => uses.get(socket) === 'waiting').length;
  return waiting > known / 2;
}

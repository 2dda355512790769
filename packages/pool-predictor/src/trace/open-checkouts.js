import { quantile } from '../base/sample-statistics.js';
import { OUTCOMES } from './recorded-trace.js';

/** @import { RecordedTrace } from './recorded-trace.js' */
/** @import { SocketUse } from './socket-users.js' */

const WAITING = OUTCOMES.indexOf('waiting');
const CHECKED_OUT = OUTCOMES.indexOf('checkedOut');

/**
 * How long each checkout had its connection. One that still had it when the recording ended is expected to keep it as
 * long as others of its route and operation that took longer than it had by then. Without any, what was seen is a lower
 * bound.
 *
 * @param {RecordedTrace['checkouts']} checkouts
 * @returns {Float64Array} in ms
 */
export function completeUses({ outcomeOf, poolOf, routeOf, operationOf, useMs }) {
  if (!outcomeOf.includes(CHECKED_OUT)) return useMs;
  const isAlike = (/** @type {number} */ row, /** @type {number} */ other) =>
    [poolOf, routeOf, operationOf].every((column) => column[row] === column[other]);
  return useMs.map((ms, row) => {
    if (outcomeOf[row] !== CHECKED_OUT) return ms;
    const longer = useMs.filter((each, other) => outcomeOf[other] === 0 && each > ms && isAlike(row, other));
    return longer.length > 0 ? quantile(longer, 0.5) : ms;
  });
}

/**
 * Lists the checkouts of a pool that still waited when the recording ended. A stream that waits delays nobody.
 *
 * @param {RecordedTrace} trace
 * @param {number} pool row
 * @returns {number[]} rows
 */
export function listWaiting({ checkouts: { outcomeOf, poolOf, operationOf }, operations }, pool) {
  return [...outcomeOf.keys()].filter(
    (row) => outcomeOf[row] === WAITING && poolOf[row] === pool && !operations[operationOf[row]]?.kind,
  );
}

/**
 * Whether most requests came from callers who wait for their answers. At another size these would have come at other
 * times.
 *
 * @param {RecordedTrace['requests']} requests
 * @param {Map<number, SocketUse>} uses of sockets
 */
export function comeFromCallers({ socketOf }, uses) {
  const [known, waiting] = [0, 0].map(
    (_, index) =>
      socketOf.filter((socket) => uses.has(socket) && (index === 0 || uses.get(socket) === 'waiting')).length,
  );
  return waiting > known / 2;
}

/** @import { Trace } from '../node/trace.js' */

/**
 * How long each connection that was given back lay there although somebody waited for it: the driver hands it over
 * within a microtask, but then the process may be busy, or not have the processor.
 *
 * Connections are taken to be handed out again last in, first out, as the driver does.
 *
 * @param {Pick<Trace, 'checkOutStartedMs' | 'waitMs' | 'useMs'>} trace
 * @returns {Float64Array} ms, by the checkout that gave it back; 0 where nobody waited
 */
export function findHandovers({ checkOutStartedMs, waitMs, useMs }) {
  const checkedOutMs = Float64Array.from(checkOutStartedMs, (ms, index) => ms + waitMs[index]);
  const returnedMs = checkedOutMs.map((ms, index) => ms + useMs[index]);
  const byCheckedOut = Uint32Array.from(checkedOutMs.keys()).sort((a, b) => checkedOutMs[a] - checkedOutMs[b]);
  const byReturned = byCheckedOut.toSorted((a, b) => returnedMs[a] - returnedMs[b]);
  const handoversMs = new Float64Array(checkedOutMs.length);
  /** Who gave back the connections that lie there, the last one last. @type {number[]} */
  const givers = [];
  let next = 0;
  for (const taker of byCheckedOut) {
    while (returnedMs[byReturned[next]] <= checkedOutMs[taker]) givers.push(byReturned[next++]);
    const giver = givers.pop();
    if (giver !== undefined && checkOutStartedMs[taker] < returnedMs[giver]) handoversMs[giver] = checkedOutMs[taker] - returnedMs[giver];
  }
  return handoversMs;
}

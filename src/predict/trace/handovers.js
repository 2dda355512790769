/** @import { Trace } from './trace.js' */

/**
 * How long each connection that was given back lay there although somebody waited for it: the driver hands it over
 * within a microtask, but then the process may be busy, or not have the processor.
 *
 * Connections are taken to be handed out again last in, first out, as the driver does.
 *
 * @param {Pick<Trace, 'askedMs' | 'waitMs' | 'useMs'>} trace
 * @returns {Float64Array} ms, by the checkout that gave it back; 0 where nobody waited
 */
export function findHandovers({ askedMs, waitMs, useMs }) {
  const gotMs = Float64Array.from(askedMs, (ms, index) => ms + waitMs[index]);
  const returnedMs = gotMs.map((ms, index) => ms + useMs[index]);
  const byGot = Uint32Array.from(gotMs.keys()).sort((a, b) => gotMs[a] - gotMs[b]);
  const byReturned = byGot.toSorted((a, b) => returnedMs[a] - returnedMs[b]);
  const handoversMs = new Float64Array(gotMs.length);
  /** Who gave back the connections that lie there, the last one last. @type {number[]} */
  const givers = [];
  let next = 0;
  for (const taker of byGot) {
    while (returnedMs[byReturned[next]] <= gotMs[taker]) givers.push(byReturned[next++]);
    const giver = givers.pop();
    if (giver !== undefined && askedMs[taker] < returnedMs[giver]) handoversMs[giver] = gotMs[taker] - returnedMs[giver];
  }
  return handoversMs;
}

import { SAME_MS } from './lag-kernel.js';

/** @import { Trace } from '../formats/trace.js' */

/**
 * How long each connection was idle after its checkin although a request was waiting. The driver hands it over within a
 * microtask, but the process may be busy or not scheduled.
 *
 * Assumes that idle connections are checked out last in, first out, as the driver does.
 *
 * @param {Pick<Trace, 'checkOutStartedMs' | 'waitMs' | 'useMs'>} trace
 * @param {(checkout: number) => 0 | 1} [poolOf] the pool of each checkout, where there are two
 * @returns {Float64Array} ms, by the checkout that ended; 0 where nothing waited
 */
export function findHandovers({ checkOutStartedMs, waitMs, useMs }, poolOf = () => 0) {
  const checkedOutMs = Float64Array.from(checkOutStartedMs, (ms, index) => ms + waitMs[index]);
  const checkedInMs = checkedOutMs.map((ms, index) => ms + useMs[index]);
  const byCheckedOut = Uint32Array.from(checkedOutMs.keys()).sort((a, b) => checkedOutMs[a] - checkedOutMs[b]);
  const byCheckedIn = byCheckedOut.toSorted((a, b) => checkedInMs[a] - checkedInMs[b]);
  const handoversMs = new Float64Array(checkedOutMs.length);
  /** By pool: the last checkout of each idle connection, the most recent one last. @type {number[][]} */
  const idle = [[], []];
  let next = 0;
  for (const checkout of byCheckedOut) {
    while (checkedInMs[byCheckedIn[next]] <= checkedOutMs[checkout] + SAME_MS) {
      const ended = byCheckedIn[next++];
      idle[poolOf(ended)].push(ended);
    }
    const previous = idle[poolOf(checkout)].pop();
    if (previous !== undefined && checkOutStartedMs[checkout] < checkedInMs[previous]) {
      handoversMs[previous] = Math.max(0, checkedOutMs[checkout] - checkedInMs[previous]);
    }
  }
  return handoversMs;
}

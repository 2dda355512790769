import { levelRounding, sameMsOf } from '../reading/resolution.js';

/** @import { Trace } from './trace.js' */

/**
 * Finds how long each connection was idle after its checkin although a request was waiting. The driver hands it over
 * within a microtask, but the process may be busy or not scheduled.
 *
 * Where the trace has no numbers of connections, idle ones are assumed to be checked out last in, first out, as the
 * driver does.
 *
 * Where times are rounded, a checkout may seem to come before the checkin that it waited for.
 *
 * @param {Pick<Trace, 'checkOutStartedMs' | 'waitMs' | 'useMs' | 'connectionOf' | 'resolutionMs'>} trace
 * @param {(checkout: number) => 0 | 1} [poolOf] the pool of each checkout, where there are two
 * @returns {Float64Array} ms, by the checkout that ended; 0 where nothing waited
 */
export function findHandovers({ checkOutStartedMs, waitMs, useMs, connectionOf, resolutionMs }, poolOf = () => 0) {
  const sameMs = sameMsOf(resolutionMs);
  const checkedOutMs = Float64Array.from(checkOutStartedMs, (ms, index) => ms + waitMs[index]);
  const checkedInMs = checkedOutMs.map((ms, index) => ms + useMs[index]);
  const byCheckedOut = Uint32Array.from(checkedOutMs.keys()).sort((a, b) => checkedOutMs[a] - checkedOutMs[b]);
  const idle = connectionOf ? new NumberedConnections(connectionOf) : new IdleConnections(checkedInMs, poolOf, sameMs);
  const handoversMs = new Float64Array(checkedOutMs.length);
  /** Those that something waited for. @type {number[]} */
  const late = [];
  for (const checkout of byCheckedOut) {
    const previous = idle.take(checkout, checkedOutMs[checkout]);
    if (previous === undefined || checkOutStartedMs[checkout] >= checkedInMs[previous]) continue;
    handoversMs[previous] = checkedOutMs[checkout] - checkedInMs[previous];
    late.push(previous);
  }
  const levelMs = levelRounding(
    late.map((previous) => handoversMs[previous]),
    sameMs,
  );
  late.forEach((previous, index) => (handoversMs[previous] = levelMs[index]));
  return handoversMs;
}

/** Connections whose numbers were recorded. */
class NumberedConnections {
  #connectionOf;
  /** Last checkout of each connection. @type {Map<number, number>} */
  #last = new Map();

  /** @param {ArrayLike<number>} connectionOf by checkout */
  constructor(connectionOf) {
    this.#connectionOf = connectionOf;
  }

  /** @param {number} checkout @returns {number | undefined} the checkout before it on its connection */
  take(checkout) {
    const connection = this.#connectionOf[checkout];
    const previous = this.#last.get(connection);
    this.#last.set(connection, checkout);
    return previous;
  }
}

/** Connections that are told apart by the order in which they became idle. */
class IdleConnections {
  #checkedInMs;
  #poolOf;
  #sameMs;
  #byCheckedIn;
  #next = 0;
  /** Last checkouts of each pool's idle connections, the most recent one last. @type {number[][]} */
  #idle = [[], []];

  /** @param {Float64Array} checkedInMs @param {(checkout: number) => 0 | 1} poolOf @param {number} sameMs */
  constructor(checkedInMs, poolOf, sameMs) {
    this.#checkedInMs = checkedInMs;
    this.#poolOf = poolOf;
    this.#sameMs = sameMs;
    this.#byCheckedIn = Uint32Array.from(checkedInMs.keys()).sort((a, b) => checkedInMs[a] - checkedInMs[b]);
  }

  /** @param {number} checkout @param {number} atMs @returns {number | undefined} the checkout before it */
  take(checkout, atMs) {
    for (; this.#checkedInMs[this.#byCheckedIn[this.#next]] <= atMs + this.#sameMs; this.#next++) {
      const ended = this.#byCheckedIn[this.#next];
      this.#idle[this.#poolOf(ended)].push(ended);
    }
    const idle = this.#idle[this.#poolOf(checkout)];
    // Of those that seem to come later, the first one is the nearest.
    let place = idle.length;
    while (place > 0 && this.#checkedInMs[idle[place - 1]] > atMs) place--;
    return idle.splice(Math.max(0, place - 1), 1)[0];
  }
}

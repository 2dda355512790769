/** @import { Connection } from './connections.js' */

/**
 * @template T
 * @typedef {object} Stay one use of a connection
 * @property {T} who
 * @property {number} checkOutStartedAtMs
 * @property {number} checkedOutAtMs
 * @property {number} checkedInAtMs
 * @property {Stay<T> | null} [previous] who had the connection before
 */

/**
 * Who had which connection, as far back as somebody may have waited for it.
 * @template T
 */
export class ConnectionHistory {
  /** @type {WeakMap<Connection, Stay<T>>} */
  #last = new WeakMap();

  /**
   * @param {Connection} connection
   * @param {Stay<T>} stay that has just ended
   * @param {number} most
   * @returns {T[]} who had the connection while this one waited, the longest first, so many at the most
   */
  end(connection, stay, most) {
    const { checkOutStartedAtMs } = stay;
    const waitedFor = [];
    let before = this.#last.get(connection) ?? null;
    for (; before && before.checkedInAtMs > checkOutStartedAtMs; before = before.previous ?? null) waitedFor.push(before);

    // Whoever gets the connection next has, as a rule, asked later: what this one did not wait for is of no more use.
    const oldest = waitedFor.at(-1);
    if (oldest) oldest.previous = null;
    this.#last.set(connection, { ...stay, previous: waitedFor.at(0) ?? null });

    /** @param {Stay<T>} one */
    const lengthMs = ({ checkedOutAtMs, checkedInAtMs }) => checkedInAtMs - Math.max(checkedOutAtMs, checkOutStartedAtMs);
    return waitedFor.sort((a, b) => lengthMs(b) - lengthMs(a)).slice(0, most).map(({ who }) => who);
  }
}

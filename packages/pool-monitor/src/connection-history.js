/** @import { Connection } from './connections.js' */

/**
 * @template T
 * @typedef {object} Use one use of a connection
 * @property {T} who
 * @property {number} checkOutStartedAtMs
 * @property {number} checkedOutAtMs
 * @property {number} checkedInAtMs
 * @property {Use<T> | null} [previous] the use before it
 */

/** Who used which connection, as far back as anyone may have waited for it. @template T */
export class ConnectionHistory {
  /** @type {WeakMap<Connection, Use<T>>} */
  #last = new WeakMap();

  /**
   * @param {Connection} connection
   * @param {Use<T>} use that has just ended
   * @param {number} maxHolders
   * @returns {T[]} who had the connection while this one waited, the longest first
   */
  end(connection, use, maxHolders) {
    const { checkOutStartedAtMs } = use;
    const waitedFor = [];
    let before = this.#last.get(connection) ?? null;
    for (; before && before.checkedInAtMs > checkOutStartedAtMs; before = before.previous ?? null) waitedFor.push(before);

    // The next user of the connection usually started later, so nobody needs what came before our own wait.
    const oldest = waitedFor.at(-1);
    if (oldest) oldest.previous = null;
    this.#last.set(connection, { ...use, previous: waitedFor.at(0) ?? null });

    /** @param {Use<T>} one */
    const lengthMs = ({ checkedOutAtMs, checkedInAtMs }) => checkedInAtMs - Math.max(checkedOutAtMs, checkOutStartedAtMs);
    return waitedFor.sort((a, b) => lengthMs(b) - lengthMs(a)).slice(0, maxHolders).map(({ who }) => who);
  }
}

/** @import { Connection } from './connections.js' */
/** @import { ServerPool } from './server-pool.js' */

/**
 * @typedef {{ connection: Connection, others: readonly Connection[] }} DroppedGuess others: may have been dropped
 *   instead
 */

/**
 * Finds the connections that the driver dropped without an event. It does that with each one whose opening began before
 * a clear and ends while the pool is paused. Connections has them as `unconfirmed`.
 *
 * One was dropped when the driver refuses the caller it was opened for, or opens more connections than its limits
 * allow. Both can mean one of several. Then the first one is dropped, and if the driver tells of it later, the next one
 * is dropped instead.
 */
export class Abandoned {
  #pool;
  #close;
  /** Guesses by the id of the connection that was dropped. @type {Map<number, DroppedGuess>} */
  #guesses = new Map();

  /** @param {ServerPool} pool @param {(connection: Connection) => void} close */
  constructor(pool, close) {
    this.#pool = pool;
    this.#close = close;
  }

  /** Call this when the pool is cleared. */
  begin() {
    const oldestMs = this.#pool.now() - this.#timeoutMs;
    for (const [id, { connection }] of this.#guesses) if (connection.sinceMs < oldestMs) this.#guesses.delete(id);
    this.#pool.connections.markUnconfirmed();
  }

  /**
   * Drops a connection.
   * @param {Connection} connection
   * @param {readonly Connection[]} [others] may have been dropped instead of it
   */
  drop(connection, others = []) {
    const { queue } = this.#pool;
    queue.unassign(connection);
    this.#close(connection);
    this.#guesses.set(connection.id, { connection, others });
  }

  /** Drops those that are too many now that the driver opens another one. */
  dropExcess() {
    const { queue, connections, limits } = this.#pool;
    const { states, size, unconfirmed } = connections;
    if (unconfirmed.size === 0) return;
    // The driver opens one for its first waiter, or if there is none, for minPoolSize.
    const most = queue.queued.length === 0 ? limits.min : limits.max || Infinity;
    const excess = 1 + Math.max(states.connecting - limits.maxConnecting, size - most);
    // First those that nobody waits for. The callers of the others would have been refused.
    const all = [...unconfirmed].sort((a, b) => Number(queue.assigned.has(a)) - Number(queue.assigned.has(b)));
    for (const connection of all.slice(0, Math.max(0, excess))) this.drop(connection, all);
  }

  /** Drops those that are too old. */
  dropOld() {
    const { queue, connections, lifetime, paused } = this.#pool;
    if (connections.unconfirmed.size === 0) return;
    const timeoutMs = this.#timeoutMs;
    // While the server is lost, an opening can take that long. Once it is back, it takes no longer than others did. If
    // somebody waits, the driver would open one more, which tells.
    const isQuiet = !paused && queue.queued.length === 0;
    const spareMs = isQuiet ? Math.min(timeoutMs, lifetime.connect.summary().maxMs ?? 0) : timeoutMs;
    const nowMs = this.#pool.now();
    for (const connection of connections.unconfirmed) {
      const mostMs = queue.assigned.has(connection) ? timeoutMs : spareMs;
      if (nowMs - connection.sinceMs > mostMs) this.drop(connection);
    }
  }

  /** No opening takes longer: one time-out is for the socket, one for the handshake. */
  get #timeoutMs() {
    return 2 * this.#pool.limits.connectTimeoutMs;
  }

  /**
   * Puts back a connection that the driver mentions. If another one may have been dropped, it was.
   * @param {number} id
   */
  recover(id) {
    const guess = this.#guesses.get(id);
    if (!guess) return;
    const { connections } = this.#pool;
    this.#guesses.delete(id);
    connections.reopen(guess.connection);
    const dropped = guess.others.find((other) => connections.unconfirmed.has(other));
    if (dropped) this.drop(dropped, guess.others);
  }
}

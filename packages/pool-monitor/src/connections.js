/**
 * @typedef {object} Connection
 * @property {number} id the driver's; counts from 1 in each pool
 * @property {'connecting' | 'idle' | 'active' | 'stale'} state stale: established, but the pool was cleared meanwhile, so
 *   that only the caller it was opened for may still get it
 * @property {number} sinceMs when it entered that state, in ms of the monitor's clock
 * @property {import('./server-pool.js').Checkout | null} checkout who holds it
 * @property {boolean} isOutdated whether the pool was cleared while it was being opened
 */

/**
 * The connections of one pool by their ids, with how many are in which state, and how many were opened and closed.
 * @extends {Map<number, Connection>}
 */
export class Connections extends Map {
  states = { connecting: 0, idle: 0, active: 0, stale: 0 };
  created = 0;
  /** By reason. @type {Record<string, number>} */
  closed = {};
  /** Being opened when the pool was cleared, so that they may be thrown away unheard; oldest first. @type {Set<Connection>} */
  doubted = new Set();

  /** @param {() => number} now */
  constructor(now) {
    super();
    this.now = now;
  }

  /**
   * @param {number} id
   * @param {Connection['state']} state
   */
  add(id, state) {
    /** @type {Connection} */
    const connection = { id, state, sinceMs: this.now(), checkout: null, isOutdated: false };
    this.set(id, connection);
    this.states[state] += 1;
    this.created += 1;
    return connection;
  }

  /**
   * @param {Connection} connection
   * @param {Connection['state']} state
   */
  enter(connection, state) {
    this.states[connection.state] -= 1;
    this.states[state] += 1;
    connection.state = state;
    connection.sinceMs = this.now();
    this.doubted.delete(connection);
  }

  /** The pool is cleared. */
  doubtThoseBeingOpened() {
    for (const connection of this.values()) {
      if (connection.state === 'connecting') this.doubted.add(connection);
    }
  }

  /**
   * @param {Connection} connection
   * @param {string} reason
   */
  close(connection, reason) {
    this.delete(connection.id);
    this.doubted.delete(connection);
    this.states[connection.state] -= 1;
    this.closed[reason] = (this.closed[reason] ?? 0) + 1;
  }
}

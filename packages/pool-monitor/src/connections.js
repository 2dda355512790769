/** @import { Checkout } from './checkout.js' */

/**
 * @typedef {object} Connection
 * @property {number} id the driver's; counts from 1 in each pool
 * @property {'connecting' | 'idle' | 'active' | 'stale'} state stale: opened, but the pool was cleared meanwhile; only
 *   the caller it was opened for may still get it
 * @property {number} sinceMs when it entered that state, by the monitor's clock
 * @property {Checkout | null} checkout
 * @property {Checkout | null} lastUse the last one that was checked in
 * @property {boolean} isOutdated the pool was cleared while this connection was being opened
 */

/** The connections of one pool by id, with counts by state. @extends {Map<number, Connection>} */
export class Connections extends Map {
  states = { connecting: 0, idle: 0, active: 0, stale: 0 };
  created = 0;
  /** How often a connection changed its state or its holder. */
  changes = 0;
  /** By reason. @type {Record<string, number>} */
  closed = {};
  /**
   * These were being opened when the pool was cleared. The driver may have dropped them without an event. Oldest first.
   * @type {Set<Connection>}
   */
  unconfirmed = new Set();

  /** @param {number} id @param {Connection['state']} state @param {number} atMs */
  add(id, state, atMs) {
    /** @type {Connection} */
    const connection = { id, state, sinceMs: atMs, checkout: null, lastUse: null, isOutdated: false };
    this.set(id, connection);
    this.states[state] += 1;
    this.created += 1;
    this.changes += 1;
    return connection;
  }

  /** @param {Connection} connection @param {Connection['state']} state @param {number} atMs */
  enter(connection, state, atMs) {
    this.states[connection.state] -= 1;
    this.states[state] += 1;
    this.changes += 1;
    connection.state = state;
    connection.sinceMs = atMs;
    if (this.unconfirmed.size > 0) this.unconfirmed.delete(connection);
  }

  /** Call this when the pool is cleared. */
  markUnconfirmed() {
    for (const connection of this.values()) {
      if (connection.state === 'connecting') this.unconfirmed.add(connection);
    }
  }

  /** @param {Connection} connection @param {string} reason */
  close(connection, reason) {
    this.delete(connection.id);
    this.unconfirmed.delete(connection);
    this.states[connection.state] -= 1;
    this.changes += 1;
    this.closed[reason] = (this.closed[reason] ?? 0) + 1;
  }
}

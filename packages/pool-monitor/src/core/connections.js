import { Longest } from './holders.js';

/** @import { Checkout } from './checkout.js' */
/** @import { CheckoutName } from './checkout-name.js' */

/**
 * @typedef {object} Connection
 * @property {number} id the driver's; counts from 1 in each pool
 * @property {'connecting' | 'idle' | 'active' | 'stale'} state stale: the pool was cleared while it was being opened,
 *   so only the caller it was opened for may still get it
 * @property {number} sinceMs when it entered that state, by the monitor's clock
 * @property {number} createdAtMs when its opening began; NaN if that was not seen
 * @property {number} readyAtMs when it was open; NaN if that was not seen
 * @property {boolean} isSpare whether it was opened for minPoolSize
 * @property {number} uses checkouts so far
 * @property {number} checkedOutAtMs when its last use began, known before the event is handled; NaN if that was not
 *   seen
 * @property {Checkout | null} checkout
 * @property {Checkout | null} lastUse the last one that was checked in
 */

/** The connections of one pool by id, with counts by state. @extends {Map<number, Connection>} */
export class Connections extends Map {
  states = { connecting: 0, idle: 0, active: 0, stale: 0 };
  created = 0;
  /** The driver's number of the newest; it counts. */
  newestId = 0;
  /** Those that are checked out, the longest first. @type {Connection[]} */
  held = [];
  /** How many were closed, by reason. @type {Record<string, number>} */
  closed = {};
  /**
   * Connections that were being opened when the pool was cleared, oldest first. The driver may have dropped them
   * without an event.
   * @type {Set<Connection>}
   */
  unconfirmed = new Set();

  /** @param {number} id @param {Connection['state']} state @param {number} atMs @param {number} [createdAtMs] */
  add(id, state, atMs, createdAtMs = NaN) {
    /** @type {Connection} */
    const connection = {
      id,
      state,
      sinceMs: atMs,
      createdAtMs,
      readyAtMs: NaN,
      isSpare: false,
      uses: 0,
      checkedOutAtMs: NaN,
      checkout: null,
      lastUse: null,
    };
    this.set(id, connection);
    this.states[state] += 1;
    this.created += 1;
    if (id > this.newestId) this.newestId = id;
    return connection;
  }

  /** @param {Connection} connection @param {Connection['state']} state @param {number} atMs */
  enter(connection, state, atMs) {
    this.states[connection.state] -= 1;
    this.states[state] += 1;
    if (connection.state === 'active') this.held.splice(this.held.indexOf(connection), 1);
    if (state === 'active') this.held.push(connection);
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
    if (connection.state === 'active') this.held.splice(this.held.indexOf(connection), 1);
    this.states[connection.state] -= 1;
    this.closed[reason] = (this.closed[reason] ?? 0) + 1;
  }

  /** Takes back that a connection was abandoned. @param {Connection} connection */
  reopen(connection) {
    this.set(connection.id, connection);
    this.states[connection.state] += 1;
    this.closed.abandoned -= 1;
  }
}

/** @type {Longest<CheckoutName>} */
const longest = new Longest();

/**
 * Ends the use of a connection. Each connection keeps its users, as far back as anyone may have waited for it.
 *
 * @param {Connection} connection
 * @param {Checkout} checkout that has just ended
 * @returns {Longest<CheckoutName>} who had the connection while this one waited; good until the next call
 */
export function endUse(connection, checkout) {
  const { checkOutStartedAtMs } = checkout;
  const before = connection.lastUse;
  connection.lastUse = checkout;
  longest.clear();
  if (!before || before.checkedInAtMs <= checkOutStartedAtMs) return longest;

  checkout.previous = before;
  let oldest = before;
  for (
    let one = /** @type {Checkout | null} */ (before);
    one && one.checkedInAtMs > checkOutStartedAtMs;
    one = one.previous
  ) {
    longest.add(one.name, one.checkedInAtMs - Math.max(one.checkedOutAtMs, checkOutStartedAtMs));
    oldest = one;
  }
  // The next user of the connection usually started later, so nobody needs what came before our own wait.
  oldest.previous = null;
  return longest;
}

import { Ring } from './ring.js';

/** @import { PoolIdentity, RareEventType } from './pool-events.js' */

/**
 * @typedef {object} EventRecord something that happened to a connection or a pool, apart from checkouts
 * @property {number} id counts up
 * @property {RareEventType} event
 * @property {number} atMs since the epoch
 * @property {string | null} pool the name of its client's monitor
 * @property {string} server host:port
 * @property {number | null} connectionId
 * @property {string | null} reason the driver's for connectionClosed; for poolCleared the error that the server gave
 * @property {number | null} durationMs connectionReady: of the opening; connectionClosed: since the opening began
 */

/** The last events of connections and pools. */
export class EventLog extends Ring {
  /** @type {(Omit<EventRecord, 'pool' | 'server'> & { identity: PoolIdentity })[]} */
  #records = [];

  /**
   * @param {RareEventType} event
   * @param {number} atMs of performance.now()
   * @param {PoolIdentity} pool
   * @param {number} connectionId 0 for none
   * @param {string | null} reason
   * @param {number} durationMs NaN where unknown
   */
  add(event, atMs, pool, connectionId, reason, durationMs) {
    this.#records[this.next()] = {
      id: this.lastId,
      event,
      atMs: performance.timeOrigin + atMs,
      identity: pool,
      connectionId: connectionId || null,
      reason,
      durationMs: Number.isNaN(durationMs) ? null : durationMs,
    };
  }

  /** @param {{ after?: number }} [from] only those with a higher id @returns {EventRecord[]} in their order */
  list({ after = 0 } = {}) {
    return Array.from(this.idsAfter(after), (id) => {
      const { identity, ...record } = this.#records[this.rowOf(id)];
      return { ...record, ...identity };
    });
  }
}

import { createServerWatch } from 'mongodb-pool-monitor';
import { createClient } from './client.js';
import { SharedClient } from './shared-client.js';
import { createSlowQueries } from './slow-query.js';

/** @import { EventBatch, PoolMonitor } from 'mongodb-pool-monitor' */
/** @import { Settings } from '../settings.js' */

/** Name of the second client's pool. */
const SLOW = 'slow';

/**
 * The app's MongoDB: one client that all requests share. With SLOW_POOLSIZE, `/slow` has a second client and can't take
 * the connections of the other routes. Nothing connects before `connect`, so that monitors can be attached first.
 */
export class Database {
  #server;

  /**
   * @param {string} url
   * @param {Settings & { socketTimeoutMs?: number }} settings
   * @param {EventBatch} [batch] what handles the clients' events
   */
  constructor(url, settings, batch) {
    const { slowPoolSize } = settings;
    const slowQueries = createSlowQueries(settings.slowQuery);
    this.slowQuery = settings.slowQuery;
    this.main = new SharedClient(url, settings, { slowQueries, batch });
    /** The client for `/slow`; the same as `main` without SLOW_POOLSIZE. */
    this.slow = slowPoolSize
      ? new SharedClient(
          url,
          { ...settings, poolSize: slowPoolSize, minPoolSize: undefined, suffix: SLOW },
          { name: SLOW, slowQueries, batch },
        )
      : this.main;
    this.clients = [...new Set([this.main, this.slow])];
    this.#server = createServerWatch(() =>
      createClient(url, { ...settings, suffix: 'server', poolSize: 1, minPoolSize: 0, waitQueueTimeoutMs: 0 }),
    );
  }

  /** @param {(monitor: PoolMonitor) => void} listener called for each client before it connects, also after a resize */
  onMonitor(listener) {
    for (const client of this.clients) client.onMonitor(listener);
  }

  /** @throws {Error} when a client can't connect. None is connected then */
  async connect() {
    try {
      // One after the other: the first one measures the slow query on an idle server.
      for (const client of this.clients) await client.connect();
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  /** The server's load now. It takes no connection from the pools. */
  readServerLoad() {
    return this.#server.read();
  }

  /** Whether all routes could be served now, and if not, why. */
  status() {
    const each = this.clients.map(({ current }) => current.readStatus());
    return each.find(({ reachable }) => !reachable) ?? each[0];
  }

  /** Closes all clients at once, whatever is still running on them. */
  async close() {
    await Promise.all([...this.clients, this.#server].map((each) => each.close()));
  }
}

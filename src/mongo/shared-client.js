import { explainPoolTimeout, monitorPool } from 'mongodb-pool-monitor';
import { connectClient, createClient } from './client.js';
import { customersOf, seedCustomers } from './demo-data.js';
import { heartbeatOf, watchReadiness } from './readiness.js';
import { createSlowQueries } from './slow-queries.js';

/**
 * @typedef {object} Handle a MongoClient and what belongs to it
 * @property {import('mongodb').MongoClient} client
 * @property {import('mongodb-pool-monitor').PoolMonitor} monitor
 * @property {() => import('./readiness.js').DatabaseStatus} readStatus
 * @property {import('mongodb').Collection<import('./demo-data.js').Customer>} customers
 * @property {import('./slow-queries.js').SlowQuery} runSlowQuery
 * @property {number} uses calls of `use` that are running
 * @property {() => void} [onUnused]
 *
 * @typedef {(monitor: import('mongodb-pool-monitor').PoolMonitor) => void} OnMonitor
 */

/** A MongoClient that requests share. While they run, a new client with another maxPoolSize can replace it. */
export class SharedClient {
  /** The server's version. */
  version = '';
  #url;
  #settings;
  #name;
  #onMonitor;
  #createSlowQuery;
  /** @type {Set<Handle>} */
  #handles = new Set();
  /** @type {Handle} */
  #current = /** @type {any} */ (null);
  /** Resizes run one after the other. @type {Promise<unknown>} */
  #lastResize = Promise.resolve();

  /**
   * Use SharedClient.open.
   * @param {string} url
   * @param {import('../settings.js').Settings} settings
   * @param {string | null} name
   * @param {OnMonitor} onMonitor
   * @param {ReturnType<typeof createSlowQueries>} createSlowQuery
   */
  constructor(url, settings, name, onMonitor, createSlowQuery) {
    this.#url = url;
    this.#settings = settings;
    this.#name = name;
    this.#onMonitor = onMonitor;
    this.#createSlowQuery = createSlowQuery;
  }

  /**
   * @param {string} url
   * @param {import('../settings.js').Settings} settings
   * @param {object} [options]
   * @param {string | null} [options.name] of the pool, where there are several clients
   * @param {OnMonitor} [options.onMonitor] called for each client, before it connects
   * @param {ReturnType<typeof createSlowQueries>} [options.slowQueries]
   */
  static async open(url, settings, {
    name = null, onMonitor = () => {}, slowQueries = createSlowQueries(settings.slowQuery),
  } = {}) {
    const shared = new SharedClient(url, settings, name, onMonitor, slowQueries);
    const { handle, version } = await shared.#connect(settings.poolSize);
    shared.#current = handle;
    shared.version = version;
    return shared;
  }

  /** The client for new work. */
  get current() {
    return this.#current;
  }

  /** All clients that still have work, the current one last. */
  get handles() {
    return [...this.#handles].filter((handle) => handle !== this.#current).concat(this.#current);
  }

  /**
   * Work on the current client, which is not closed before the work is done.
   * @template T
   * @param {(handle: Handle) => Promise<T>} work
   * @throws {import('mongodb-pool-monitor').PoolTimeoutError} instead of the driver's wait-queue timeout
   */
  async use(work) {
    const handle = this.#current;
    handle.uses += 1;
    try {
      return await work(handle);
    } catch (error) {
      throw explainPoolTimeout(error, handle.monitor, handle.client.options.waitQueueTimeoutMS);
    } finally {
      handle.uses -= 1;
      if (handle.uses === 0) handle.onUnused?.();
    }
  }

  /**
   * Replace the client by one with another maxPoolSize. The old one is closed when its work is done.
   * @param {number} poolSize
   */
  resize(poolSize) {
    const change = this.#lastResize.then(async () => {
      const { handle } = await this.#connect(poolSize);
      const old = this.#current;
      this.#current = handle;
      // Not awaited: it takes as long as the work on the old client. close() closes it earlier.
      this.#retire(old).catch(() => {});
    });
    this.#lastResize = change.catch(() => {});
    return change;
  }

  /** Wait until no resize is running. */
  async settled() {
    await this.#lastResize;
  }

  /** Close all clients at once, whatever still runs on them. */
  async close() {
    await this.#lastResize;
    await Promise.all([...this.#handles].map(({ client }) => client.close()));
  }

  /** @param {number | undefined} poolSize */
  async #connect(poolSize) {
    const client = createClient(this.#url, { ...this.#settings, poolSize, heartbeatMs: heartbeatOf(this.#url) });
    const monitor = monitorPool(client, { name: this.#name });
    this.#onMonitor(monitor);
    const readStatus = watchReadiness(client);
    try {
      const version = await connectClient(client);
      // The first measured requests should not pay for the first connection and the first query of each kind.
      // One after the other: with a pool of 1, the second could wait longer than MONGO_WAIT_QUEUE_TIMEOUT_MS allows.
      await seedCustomers(client);
      const runSlowQuery = await this.#createSlowQuery(client);
      await runSlowQuery(1);
      /** @type {Handle} */
      const handle = { client, monitor, readStatus, customers: customersOf(client), runSlowQuery, uses: 0 };
      this.#handles.add(handle);
      return { handle, version };
    } catch (error) {
      await client.close();
      throw error;
    }
  }

  /** @param {Handle} handle */
  async #retire(handle) {
    if (handle.uses > 0) await new Promise((resolve) => { handle.onUnused = () => resolve(undefined); });
    await handle.client.close();
    this.#handles.delete(handle);
  }
}

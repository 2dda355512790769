import { explainPoolTimeout, monitorPool } from 'mongodb-pool-monitor';
import { connectClient, createClient } from './client.js';
import { customersOf, seedCustomers } from './demo-data.js';
import { HEARTBEAT_MS, watchReadiness } from './readiness.js';

/** @import { MongoClient } from 'mongodb' */
/** @import { EventBatch, PoolMonitor } from 'mongodb-pool-monitor' */
/** @import { Settings } from '../settings.js' */

/**
 * @typedef {object} ClientHandle a MongoClient and what belongs to it
 * @property {MongoClient} client
 * @property {PoolMonitor} monitor
 * @property {ReturnType<typeof watchReadiness>} readStatus
 * @property {import('mongodb').Collection<import('./demo-data.js').Customer>} customers
 * @property {import('./slow-query.js').SlowQuery} runSlowQuery
 * @property {number} uses calls of `use` that are running
 * @property {() => void} [onUnused]
 */

/** A MongoClient that requests share. While they run, a new client with another maxPoolSize can replace it. */
export class SharedClient {
  /** The server's version, once connected. */
  version = '';
  #url;
  #settings;
  #name;
  #createSlowQuery;
  #batch;
  /** @type {((monitor: PoolMonitor) => void)[]} */
  #listeners = [];
  /** @type {Set<ClientHandle>} */
  #handles = new Set();
  /** @type {ClientHandle | null} null until connected */
  #current = null;
  /** Resizes run one after the other. @type {Promise<unknown>} */
  #lastResize = Promise.resolve();

  /**
   * @param {string} url
   * @param {Settings & { suffix?: string, socketTimeoutMs?: number }} settings
   * @param {object} options
   * @param {string | null} [options.name] of the pool, where there are several clients
   * @param {ReturnType<typeof import('./slow-query.js').createSlowQueries>} options.slowQueries
   * @param {EventBatch} [options.batch] what handles the events of its clients
   */
  constructor(url, settings, { name = null, slowQueries, batch }) {
    this.#url = url;
    this.#settings = settings;
    this.#name = name;
    this.#createSlowQuery = slowQueries;
    this.#batch = batch;
  }

  /** @param {(monitor: PoolMonitor) => void} listener called for each client, before it connects */
  onMonitor(listener) {
    this.#listeners.push(listener);
  }

  async connect() {
    const { handle, version } = await this.#open(this.#settings.poolSize);
    this.#current = handle;
    this.version = version;
  }

  get isConnected() {
    return this.#current !== null;
  }

  /** The client for new work. @throws {Error} before `connect` */
  get current() {
    if (!this.#current) throw new Error('the client is not connected yet');
    return this.#current;
  }

  /** All clients that still have work, the current one last. */
  get handles() {
    return [...this.#handles].filter((handle) => handle !== this.#current).concat(this.current);
  }

  /**
   * Runs work on the current client, which is not closed before the work is done.
   * @template T
   * @param {(handle: ClientHandle) => Promise<T>} work
   * @throws {import('mongodb-pool-monitor').PoolTimeoutError} instead of the driver's wait-queue timeout
   */
  async use(work) {
    const handle = this.current;
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
   * Replaces the client by one with another maxPoolSize. The old one is closed when its work is done.
   * @param {number} poolSize
   */
  resize(poolSize) {
    const change = this.#lastResize.then(async () => {
      const { handle } = await this.#open(poolSize);
      const old = this.current;
      this.#current = handle;
      // Not awaited: it takes as long as the work on the old client. close() closes it earlier.
      this.#retire(old).catch(() => {});
    });
    this.#lastResize = change.catch(() => {});
    return change;
  }

  /** Waits until no resize is running. */
  async settled() {
    await this.#lastResize;
  }

  /** Closes all clients at once, whatever is still running on them. */
  async close() {
    await this.#lastResize;
    await Promise.all([...this.#handles].map(({ client }) => client.close()));
  }

  /** @param {number | undefined} poolSize */
  async #open(poolSize) {
    const client = createClient(this.#url, { ...this.#settings, poolSize, heartbeatMs: HEARTBEAT_MS });
    const monitor = monitorPool(client, { name: this.#name, batch: this.#batch });
    for (const listener of this.#listeners) listener(monitor);
    const readStatus = watchReadiness(client);
    try {
      const version = await connectClient(client);
      // The first measured requests should not pay for the first connection and the first query of each kind.
      // One after the other: with a pool of 1, the second could wait longer than MONGO_WAIT_QUEUE_TIMEOUT_MS allows.
      await seedCustomers(client);
      const runSlowQuery = await this.#createSlowQuery(client);
      await runSlowQuery(1);
      /** @type {ClientHandle} */
      const handle = { client, monitor, readStatus, customers: customersOf(client), runSlowQuery, uses: 0 };
      this.#handles.add(handle);
      return { handle, version };
    } catch (error) {
      await client.close();
      throw error;
    }
  }

  /** @param {ClientHandle} handle */
  async #retire(handle) {
    if (handle.uses > 0)
      await new Promise((resolve) => {
        handle.onUnused = () => resolve(undefined);
      });
    await handle.client.close();
    this.#handles.delete(handle);
  }
}

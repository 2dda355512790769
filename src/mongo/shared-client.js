import { explainPoolTimeout, monitorPool } from 'mongodb-pool-monitor';
import { connectClient, createClient } from './client.js';
import { customersOf, seedCustomers } from './demo-data.js';
import { heartbeatOf, watchReadiness } from './readiness.js';
import { createSlowQuery } from './slow-query.js';

/**
 * @typedef {object} Handle a MongoClient and what hangs on it
 * @property {import('mongodb').MongoClient} client
 * @property {import('mongodb-pool-monitor').PoolMonitor} monitor
 * @property {() => import('./readiness.js').DatabaseStatus} readStatus
 * @property {import('mongodb').Collection<import('./demo-data.js').Customer>} customers
 * @property {ReturnType<typeof createSlowQuery>} runSlowQuery
 * @property {number} uses how many `use` calls run on it
 * @property {() => void} [onUnused]
 *
 * @typedef {Awaited<ReturnType<typeof openSharedClient>>} SharedClient
 */

/**
 * Open a MongoClient that requests share, and that another one with another maxPoolSize can take over from while
 * requests run.
 *
 * @param {string} url
 * @param {import('../settings.js').Settings} settings
 * @param {object} [options]
 * @param {string | null} [options.name] tells its pool from those of other clients
 * @param {(monitor: import('mongodb-pool-monitor').PoolMonitor) => void} [options.onMonitor] hears of each client's
 *   monitor before that client connects
 */
export async function openSharedClient(url, settings, { name = null, onMonitor = () => {} } = {}) {
  /** @type {Set<Handle>} */
  const handles = new Set();

  /** @param {number | undefined} poolSize */
  async function open(poolSize) {
    const client = createClient(url, { ...settings, poolSize, heartbeatMs: heartbeatOf(url) });
    const monitor = monitorPool(client, { name });
    onMonitor(monitor);
    /** @type {Handle} */
    const handle = {
      client,
      monitor,
      readStatus: watchReadiness(client),
      customers: customersOf(client),
      runSlowQuery: createSlowQuery(client),
      uses: 0,
    };
    try {
      const version = await connectClient(client);
      // The first requests that people measure should not pay for the first connection and the first of their kind.
      // One after the other: with a pool of 1, the second could wait longer than MONGO_WAIT_QUEUE_TIMEOUT_MS allows.
      await seedCustomers(client);
      await handle.runSlowQuery(1);
      handles.add(handle);
      return { handle, version };
    } catch (error) {
      await client.close();
      throw error;
    }
  }

  /** @param {Handle} handle */
  async function retire(handle) {
    if (handle.uses > 0) await new Promise((resolve) => { handle.onUnused = () => resolve(undefined); });
    await handle.client.close();
    handles.delete(handle);
  }

  const { handle: first, version } = await open(settings.poolSize);
  let current = first;
  /** One change of size after the other. @type {Promise<unknown>} */
  let lastResize = Promise.resolve();

  return {
    version,
    /** The client that takes new work. @returns {Handle} */
    get current() {
      return current;
    },
    /** All clients that still have work, the current one last. @returns {Handle[]} */
    get handles() {
      return [...handles].filter((handle) => handle !== current).concat(current);
    },
    /**
     * Do something on the current client, which stays open until it is done.
     * @template T
     * @param {(handle: Handle) => Promise<T>} work
     * @throws {import('mongodb-pool-monitor').PoolTimeoutError} instead of the driver's wait-queue timeout
     */
    async use(work) {
      const handle = current;
      handle.uses += 1;
      try {
        return await work(handle);
      } catch (error) {
        throw explainPoolTimeout(error, handle.monitor, handle.client.options.waitQueueTimeoutMS);
      } finally {
        handle.uses -= 1;
        if (handle.uses === 0) handle.onUnused?.();
      }
    },
    /**
     * Have a new client with another maxPoolSize take over; the old one finishes its work and is closed.
     * @param {number} poolSize
     */
    resize(poolSize) {
      const change = lastResize.then(async () => {
        const { handle } = await open(poolSize);
        const old = current;
        current = handle;
        // It ends with the work on it; close() waits for no one.
        retire(old).catch(() => {});
      });
      lastResize = change.catch(() => {});
      return change;
    },
    /** Wait for changes of size that are under way. */
    settled: async () => {
      await lastResize;
    },
    /** Close all clients, whatever runs on them. */
    async close() {
      await lastResize;
      await Promise.all([...handles].map(({ client }) => client.close()));
    },
  };
}

import { createServerWatch } from './server-watch.js';
import { SharedClient } from './shared-client.js';
import { createSlowQueries } from './slow-queries.js';

/** @import { PoolMonitor } from 'mongodb-pool-monitor' */
/** @import { Settings } from '../settings.js' */

/** Name of the second client's pool. */
const SLOW = 'slow';

/** @typedef {Awaited<ReturnType<typeof openDatabase>>} Database */

/**
 * Open the app's MongoDB: one client that all requests share. With SLOW_POOLSIZE, `/slow` has a second client and
 * can't take the connections of the other routes.
 * @param {string} url
 * @param {Settings} settings
 * @param {(monitor: PoolMonitor) => void} [onMonitor] called for each client, before it connects
 */
export async function openDatabase(url, settings, onMonitor) {
  const { slowPoolSize, appName } = settings;
  const slowQueries = createSlowQueries(settings.slowQuery);
  const main = await SharedClient.open(url, settings, { onMonitor, slowQueries });
  const slow = slowPoolSize
    ? await SharedClient.open(
      url, { ...settings, poolSize: slowPoolSize, minPoolSize: undefined, appName: `${appName}-${SLOW}` },
      { name: SLOW, onMonitor, slowQueries },
    ).catch(async (error) => {
      await main.close();
      throw error;
    })
    : main;
  const clients = [...new Set([main, slow])];
  const server = createServerWatch(url, settings);

  return {
    version: main.version,
    main,
    /** The client for `/slow`; the same as `main` without SLOW_POOLSIZE. */
    slow,
    clients,
    slowQuery: settings.slowQuery,
    /** The server's load now. It takes no connection from the pools. */
    readServerLoad: server.read,
    /** Whether all routes could be served now, and if not, why. */
    status() {
      const each = clients.map(({ current }) => current.readStatus());
      return each.find(({ reachable }) => !reachable) ?? each[0];
    },
    /** Close all clients at once, whatever still runs on them. */
    async close() {
      await Promise.all([...clients, server].map((each) => each.close()));
    },
  };
}

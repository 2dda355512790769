import { openSharedClient } from './shared-client.js';

/** @import { PoolMonitor } from 'mongodb-pool-monitor' */
/** @import { Settings } from '../settings.js' */

/** What the pool of the second client is called. */
const SLOW = 'slow';

/** @typedef {Awaited<ReturnType<typeof openDatabase>>} Database */

/**
 * Open the app's MongoDB: one client that all requests share, and with SLOW_POOLSIZE a second one for the query of
 * `/slow`, so that it can't take the connections of the others.
 *
 * @param {string} url
 * @param {Settings} settings
 * @param {(monitor: PoolMonitor) => void} [onMonitor] hears of each client's monitor before that client connects
 */
export async function openDatabase(url, settings, onMonitor) {
  const { slowPoolSize, appName } = settings;
  const main = await openSharedClient(url, settings, { onMonitor });
  const slow = slowPoolSize
    ? await openSharedClient(
      url, { ...settings, poolSize: slowPoolSize, minPoolSize: undefined, appName: `${appName}-${SLOW}` },
      { name: SLOW, onMonitor },
    ).catch(async (error) => {
      await main.close();
      throw error;
    })
    : main;
  const clients = [...new Set([main, slow])];

  return {
    version: main.version,
    /** The client for everything, or for everything but `/slow`. */
    main,
    /** The client for `/slow`: the same one, unless it has one of its own. */
    slow,
    clients,
    /** Whether queries of every kind could be served now, and if not, why. */
    status() {
      const each = clients.map(({ current }) => current.readStatus());
      return each.find(({ reachable }) => !reachable) ?? each[0];
    },
    /** Close all clients, whatever runs on them. */
    async close() {
      await Promise.all(clients.map(({ close }) => close()));
    },
  };
}

import { MongoNetworkTimeoutError } from 'mongodb';
import { createClient } from './client.js';
import { createServerLoadReader } from './server-load.js';

/** @import { MongoClient } from 'mongodb' */
/** @import { Settings } from '../settings.js' */
/** @import { ServerLoad } from './server-load.js' */

/** A server that hangs does not answer at all. A busy one answers within this time. */
const MAX_READ_MS = 5000;

/**
 * Reads the load of the app's server over a connection of its own: in the app's pool it would take a lane from the
 * requests. The connection is opened by the first reading.
 *
 * @param {string} url
 * @param {Settings} settings
 */
export function createServerWatch(url, settings) {
  /** @type {MongoClient | undefined} */
  let client;
  /** @type {ReturnType<typeof createServerLoadReader> | undefined} */
  let readLoad;
  /** Readings at the same time are one. @type {Promise<ServerLoad> | undefined} */
  let reading;

  async function read() {
    client ??= createClient(url, {
      ...settings, appName: `${settings.appName}-server`, poolSize: 1, minPoolSize: 0, waitQueueTimeoutMs: 0,
    });
    readLoad ??= createServerLoadReader(client);
    const signal = AbortSignal.timeout(MAX_READ_MS);
    try {
      return await readLoad({ signal });
    } catch (cause) {
      if (!signal.aborted) throw cause;
      throw new MongoNetworkTimeoutError(`the server has not answered for ${MAX_READ_MS} ms`, { cause: signal.reason });
    }
  }

  return {
    /** @throws when the server can't be reached */
    read: () => reading ??= read().finally(() => {
      reading = undefined;
    }),
    async close() {
      await client?.close();
    },
  };
}

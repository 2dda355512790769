import { MongoClient, MongoServerSelectionError } from 'mongodb';
import { SettingsError } from '../settings.js';
import { checkMongoUrl } from './mongo-url.js';

/**
 * Make a MongoClient. It is not connected yet, so that listeners can be attached to
 * its pool before the first connection.
 *
 * @param {string} url connection string; its own options hold where a setting is unset
 * @param {Pick<import('../settings.js').Settings, 'poolSize' | 'minPoolSize' | 'maxConnecting' |
 *   'waitQueueTimeoutMs' | 'serverSelectionTimeoutMs'> & { appName?: string }} settings
 * @throws {SettingsError} when the URL can't be read, or the driver refuses the combination
 */
export function createClient(url, settings) {
  checkMongoUrl(url);
  const options = {
    appName: settings.appName,
    maxPoolSize: settings.poolSize,
    minPoolSize: settings.minPoolSize,
    maxConnecting: settings.maxConnecting,
    waitQueueTimeoutMS: settings.waitQueueTimeoutMs,
    serverSelectionTimeoutMS: settings.serverSelectionTimeoutMs,
  };
  try {
    return new MongoClient(url, options);
  } catch (cause) {
    const { message } = /** @type {Error} */ (cause);
    throw new SettingsError(`the driver refuses MONGO_URL and the pool settings: ${message}`, { cause });
  }
}

/**
 * Connect a client.
 *
 * @param {MongoClient} client
 * @returns {Promise<string>} the server's version
 * @throws {Error} naming MONGO_URL when no server can be reached, or it or the driver refuses what was asked
 */
export async function connectClient(client) {
  try {
    await client.connect();
    const { version } = await client.db('admin').command({ buildInfo: 1 });
    return version;
  } catch (cause) {
    const { message } = /** @type {Error} */ (cause);
    const problem = cause instanceof MongoServerSelectionError
      ? `MONGO_URL: no MongoDB was found within ${client.options.serverSelectionTimeoutMS} ms`
      : 'MONGO_URL or a pool setting is refused';
    throw new Error(`${problem}: ${message}`, { cause });
  }
}

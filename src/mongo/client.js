import { MongoClient, MongoServerSelectionError } from 'mongodb';
import { SettingsError } from '../settings.js';
import { checkMongoUrl } from './mongo-url.js';

/**
 * Make a MongoClient. It is not connected yet, so that listeners can be attached to
 * its pool before the first connection.
 *
 * @param {string} url connection string; its own options hold where a setting is unset
 * @param {Pick<import('../settings.js').Settings, 'poolSize' | 'minPoolSize' | 'maxConnecting' |
 *   'waitQueueTimeoutMs' | 'serverSelectionTimeoutMs'> & { appName?: string, heartbeatMs?: number }} settings
 * @param {string} [origin] where the connection string was given
 * @throws {SettingsError} when the URL can't be read, or the driver refuses the combination
 */
export function createClient(url, settings, origin = 'MONGO_URL') {
  checkMongoUrl(url, origin);
  const options = {
    appName: settings.appName,
    maxPoolSize: settings.poolSize,
    minPoolSize: settings.minPoolSize,
    maxConnecting: settings.maxConnecting,
    waitQueueTimeoutMS: settings.waitQueueTimeoutMs,
    serverSelectionTimeoutMS: settings.serverSelectionTimeoutMs,
    heartbeatFrequencyMS: settings.heartbeatMs,
  };
  try {
    return new MongoClient(url, options);
  } catch (cause) {
    const { message } = /** @type {Error} */ (cause);
    throw new SettingsError(`the driver refuses ${origin} and the pool settings: ${message}`, { cause });
  }
}

/**
 * Connect a client.
 *
 * @param {MongoClient} client
 * @param {string} [origin] where the connection string was given
 * @returns {Promise<string>} the server's version
 * @throws {Error} naming the origin when no server can be reached, or it or the driver refuses what was asked
 */
export async function connectClient(client, origin = 'MONGO_URL') {
  try {
    await client.connect();
    const { version } = await client.db('admin').command({ buildInfo: 1 });
    return version;
  } catch (cause) {
    const { message } = /** @type {Error} */ (cause);
    const problem = cause instanceof MongoServerSelectionError
      ? `${origin}: no MongoDB was found within ${client.options.serverSelectionTimeoutMS} ms`
      : `${origin} or a pool setting is refused`;
    throw new Error(`${problem}: ${message}`, { cause });
  }
}

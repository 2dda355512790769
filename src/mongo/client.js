import { MongoClient, MongoServerError, MongoServerSelectionError } from 'mongodb';
import { SettingsError } from '../settings.js';
import { checkMongoUrl } from './mongo-url.js';

/**
 * Create a MongoClient without connecting it, so that listeners can be attached before the first connection.
 * @param {string} url its options apply where a setting is unset
 * @param {Pick<import('../settings.js').Settings, 'poolSize' | 'minPoolSize' | 'maxConnecting' |
 *   'waitQueueTimeoutMs' | 'serverSelectionTimeoutMs'> & { appName?: string, heartbeatMs?: number }} settings
 * @param {string} [origin] setting or option that the URL came from
 * @throws {SettingsError} when the URL is malformed, or the driver rejects the combination
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
    throw new SettingsError(`the driver rejects ${origin} with these pool settings: ${message}`, { cause });
  }
}

/**
 * @param {MongoClient} client
 * @param {string} [origin] setting or option that the URL came from
 * @returns {Promise<string>} the server's version
 * @throws {Error} naming the origin, when no server can be reached, or the server or the driver rejects the settings
 */
export async function connectClient(client, origin = 'MONGO_URL') {
  try {
    await client.connect();
    const { version } = await client.db('admin').command({ buildInfo: 1 });
    // buildInfo needs no login. This command needs one where the server has access control, but no role.
    await client.db('admin').command({ listDatabases: 1, nameOnly: true, authorizedDatabases: true });
    return version;
  } catch (cause) {
    if (isUnauthorized(cause)) {
      throw new Error(`${origin}: the server requires a login. Put USER:PASSWORD@ in front of the hosts.`, { cause });
    }
    const { message } = /** @type {Error} */ (cause);
    const problem = cause instanceof MongoServerSelectionError
      ? `${origin}: no MongoDB was found within ${client.options.serverSelectionTimeoutMS} ms`
      : `the server or the driver rejects ${origin} or a pool setting`;
    throw new Error(`${problem}: ${message}`, { cause });
  }
}

const UNAUTHORIZED = 13;

/** @param {unknown} error */
function isUnauthorized(error) {
  return error instanceof MongoServerError && error.code === UNAUTHORIZED;
}

/**
 * The server's error for a missing role quotes the command with its session and documents. Keep only its name.
 * @param {string} message
 */
export function shortenRefusal(message) {
  return message.replace(/not authorized on (\S+) to execute command \{ (\w+)[^]*$/,
    'the user may not run "$2" on the database $1: grant it the role readWrite there');
}

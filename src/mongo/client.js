import { MongoClient, MongoServerError, MongoServerSelectionError } from 'mongodb';
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
    // Anybody may ask for the version. This asks for a login where the server wants one, and for no role.
    await client.db('admin').command({ listDatabases: 1, nameOnly: true, authorizedDatabases: true });
    return version;
  } catch (cause) {
    if (isUnauthorized(cause)) {
      throw new Error(`${origin}: the server wants a login: put USER:PASSWORD@ in front of its hosts`, { cause });
    }
    const { message } = /** @type {Error} */ (cause);
    const problem = cause instanceof MongoServerSelectionError
      ? `${origin}: no MongoDB was found within ${client.options.serverSelectionTimeoutMS} ms`
      : `${origin} or a pool setting is refused`;
    throw new Error(`${problem}: ${message}`, { cause });
  }
}

const UNAUTHORIZED = 13;

/** @param {unknown} error @returns {boolean} whether the server refuses a command to this user, or to nobody in particular */
function isUnauthorized(error) {
  return error instanceof MongoServerError && error.code === UNAUTHORIZED;
}

/**
 * What a server says to a user who lacks a role repeats the whole command, session and all.
 * @param {string} message
 * @returns {string} with the command's name alone, and the role that is missing
 */
export function shortenRefusal(message) {
  return message.replace(/not authorized on (\S+) to execute command \{ (\w+)[^]*$/,
    'the user may not run "$2" on the database $1: it needs the role readWrite there');
}

import { MongoClient, MongoServerError, MongoServerSelectionError } from 'mongodb';
import { CLIENT_DEFAULTS } from '../base/settings-table.js';
import { SettingsError } from '../settings.js';

const UNAUTHORIZED = 13;
/** A connection that is silent for this much longer than the slowest query takes is lost. */
const LOST_MS = 20_000;

const USER = String.raw`(?:[^:@/?#[\]%]|%[\da-f]{2})+`;
/** A name, an IPv4 address, an IPv6 address in brackets or the encoded path of a socket, then a port. */
const HOST = String.raw`(?:\[[\da-f:.%]+\]|[^\s:@/?#,[\]]+)(?::\d+)?`;
const MONGO_URL = new RegExp(
  `^mongodb(?:\\+srv)?://(?:${USER}(?::(?:${USER})?)?@)?${HOST}(?:,${HOST})*(?:[/?][^@]*)?$`,
  'i',
);

/**
 * @typedef {Partial<Pick<import('../settings.js').Settings, 'poolSize' | 'minPoolSize' | 'maxConnecting' |
 *   'waitQueueTimeoutMs' | 'serverSelectionTimeoutMs' | 'appName'>>} PoolSettings
 *
 * @typedef {PoolSettings & { suffix?: string, heartbeatMs?: number, socketTimeoutMs?: number }} ConnectSettings
 *   suffix: of the appName, where an app has several clients; heartbeatMs and socketTimeoutMs: unless the connection
 *   string says it
 */

/**
 * Creates a MongoClient without connecting it, so that listeners can be attached before the first connection. A setting
 * comes first, then an option of the connection string, then the default.
 * @param {string} url
 * @param {ConnectSettings} settings
 * @param {string} [origin] setting or option that the URL came from
 * @throws {SettingsError} that quotes nothing of the URL, when it is malformed, or the driver rejects the combination
 */
export function createClient(url, settings, origin = 'MONGO_URL') {
  // The driver would mistake a part of the password for a host, look it up in the DNS and quote it in errors.
  if (!MONGO_URL.test(url)) {
    throw new SettingsError(
      `${origin} is not a connection string. Write it like mongodb://USER:PASSWORD@HOST:PORT/, and ` +
        'percent-encode special characters, for example @ as %40 and / as %2F.',
    );
  }
  const { appName, serverSelectionTimeoutMs, suffix, heartbeatMs, socketTimeoutMs } = settings;
  const unlessSaid = (/** @type {string} */ name, /** @type {number | undefined} */ ms) =>
    optionOf(url, name) === undefined ? ms : undefined;
  try {
    const name = appName ?? optionOf(url, 'appName') ?? CLIENT_DEFAULTS.appName;
    return new MongoClient(url, {
      appName: suffix ? `${name}-${suffix}` : name,
      maxPoolSize: settings.poolSize,
      minPoolSize: settings.minPoolSize,
      maxConnecting: settings.maxConnecting,
      waitQueueTimeoutMS: settings.waitQueueTimeoutMs,
      serverSelectionTimeoutMS:
        serverSelectionTimeoutMs ?? unlessSaid('serverSelectionTimeoutMS', CLIENT_DEFAULTS.serverSelectionTimeoutMs),
      heartbeatFrequencyMS: unlessSaid('heartbeatFrequencyMS', heartbeatMs),
      socketTimeoutMS: unlessSaid('socketTimeoutMS', socketTimeoutMs),
    });
  } catch (cause) {
    const { message } = /** @type {Error} */ (cause);
    throw new SettingsError(`the driver rejects ${origin} with these pool settings: ${message}`, { cause });
  }
}

/**
 * @param {string} url
 * @param {string} name of an option; the driver ignores its case
 * @returns {string | undefined} undefined if the connection string does not have it
 */
function optionOf(url, name) {
  const [, value] = new RegExp(`[?&]${name}=([^&]*)`, 'i').exec(url) ?? [];
  return value && decodeURIComponent(value);
}

/**
 * Chooses after what time a connection that got no answer is given up, so that a network that lost it costs no more.
 * @param {Pick<import('../settings.js').Settings, 'slowMs' | 'slowQuery'>} settings
 * @param {number} maxSlowMs how slow the slow query may become later
 * @returns {number | undefined} undefined where the server decides how long a query takes
 */
export function chooseSocketTimeout({ slowMs, slowQuery }, maxSlowMs) {
  return slowQuery === 'work' ? undefined : Math.max(slowMs, maxSlowMs) + LOST_MS;
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
    if (cause instanceof MongoServerError && cause.code === UNAUTHORIZED) {
      throw new Error(`${origin}: the server requires a login. Put USER:PASSWORD@ in front of the hosts.`, { cause });
    }
    const { message } = /** @type {Error} */ (cause);
    const problem =
      cause instanceof MongoServerSelectionError
        ? `${origin}: no MongoDB was found within ${client.options.serverSelectionTimeoutMS} ms`
        : `the server or the driver rejects ${origin} or a pool setting`;
    throw new Error(`${problem}: ${message}`, { cause });
  }
}

/** @import { MongoClient } from 'mongodb' */
/** @import { WatchedClient } from './watched-clients.js' */

/** @type {WeakSet<object>} */
const own = new WeakSet();

/** @param {object} client @returns {boolean} whether it is not the app's */
export function isOwnClient(client) {
  return own.has(client);
}

/**
 * Creates a client with the options of the app's first one, including those that only its code has, such as a login. It
 * has another pool, with one connection.
 *
 * @param {WatchedClient[]} clients of the app
 * @returns {MongoClient} not connected
 * @throws {Error} if there is none
 */
export function createOwnClient([first]) {
  if (!first) throw new Error('the app has closed its clients');
  const client = /** @type {any} */ (first.client);
  const created = new client.constructor(client.s.url);
  own.add(created);
  Object.assign(created.s.options, client.s.options, {
    maxPoolSize: 1,
    minPoolSize: 0,
    waitQueueTimeoutMS: 0,
    monitorCommands: false,
    // An encrypter belongs to one client, and nothing here is encrypted.
    autoEncryption: undefined,
    autoEncrypter: undefined,
  });
  return created;
}

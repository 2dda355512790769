import { MongoClient, MongoServerSelectionError } from 'mongodb';

/** @import { Document, MongoClientOptions, ObjectId } from 'mongodb' */

/**
 * @typedef {object} End a source or a target
 * @property {MongoClient} client connected
 * @property {string} name role and hosts, without credentials, for messages
 * @property {() => Promise<Document>} reach the primary's answer to `hello`
 *
 * @typedef {End & { setId: ObjectId, isShard: boolean }} Source a replica set
 */

const UNAUTHORIZED = 13;
const COMMAND_NOT_FOUND = 59;

/** The only @ follows user and password. With another one, the driver would look up part of the password as a host. */
const ENCODED_LOGIN = /^[^/@]*:\/\/[^/@?#]*@[^@]*$/;

/**
 * @param {string} url
 * @param {'source' | 'target'} role
 * @param {MongoClientOptions} [options]
 * @returns {End}
 */
function createEnd(url, role, options) {
  if (url.includes('@') && !ENCODED_LOGIN.test(url)) {
    throw new Error(`the connection string of the ${role} can't be read: percent-encode special characters in its user `
      + 'and password, for example @ as %40 and / as %2F');
  }
  let client;
  try {
    client = new MongoClient(url, { appName: 'mongodb-pool-lab', ...options });
  } catch (cause) {
    const { message } = /** @type {Error} */ (cause);
    throw new Error(`the driver refuses the connection string of the ${role}: ${message}`, { cause });
  }
  const { hosts, srvHost, serverSelectionTimeoutMS } = client.options;
  const name = `the ${role} ${srvHost ?? hosts.join(',')}`;
  return {
    client,
    name,
    async reach() {
      try {
        return await client.db('admin').command({ hello: 1 });
      } catch (cause) {
        const { message } = /** @type {Error} */ (cause);
        const problem = cause instanceof MongoServerSelectionError
          ? `no MongoDB was found within ${serverSelectionTimeoutMS} ms: ${message}` : message;
        throw Object.assign(new Error(`${name}: ${problem}`, { cause }), { code: Reflect.get(Object(cause), 'code') });
      }
    },
  };
}

/**
 * @param {object} urls
 * @param {string[]} urls.sources
 * @param {string | null} urls.target null: a dry run
 * @param {number} workers each has a connection to the target
 * @returns {Promise<{ sources: Source[], target: End | null, close: () => Promise<unknown> }>}
 * @throws {Error} when one of them can't be reached or used
 */
export async function connectEnds(urls, workers) {
  /** @type {End[]} */
  const ends = [];
  const close = () => Promise.all(ends.map(({ client }) => client.close()));
  const open = (/** @type {Parameters<typeof createEnd>} */ ...args) => {
    const end = createEnd(...args);
    ends.push(end);
    return end;
  };
  try {
    const sources = await Promise.all(urls.sources.map((url) => assertSource(open(url, 'source'))));
    const target = urls.target === null ? null : open(urls.target, 'target', { maxPoolSize: workers + 2 });
    await assertDistinct(target ? [...sources, target] : sources);
    return { sources, target, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** @param {End} end @returns {Promise<Source>} @throws {Error} when it has no oplog, or the user may not read it */
async function assertSource(end) {
  const { msg, setName } = await end.reach();
  if (msg === 'isdbgrid') throw new Error(`${end.name} is a mongos, which has no oplog; use its shards as sources`);
  if (!setName) throw new Error(`${end.name} is a standalone server, which has no oplog; a source must be a replica set`);
  return { ...end, setId: await readSetId(end), isShard: await readIsShard(end) };
}

/** @param {End[]} ends @throws {Error} when two are the same server */
async function assertDistinct(ends) {
  const hellos = await Promise.all(ends.map((end) => end.reach()));
  for (const [index, { name }] of ends.entries()) {
    const other = hellos.findIndex((hello) => isSameServer(hello, hellos[index]));
    if (other < index) throw new Error(`${name} is ${ends[other].name}; they must be different servers`);
  }
}

/** @param {End} end */
async function readSetId({ client, name }) {
  try {
    const config = await client.db('local').collection('system.replset').findOne();
    return config?.settings?.replicaSetId;
  } catch (cause) {
    const { code, message } = /** @type {Error & { code?: number }} */ (cause);
    if (code !== UNAUTHORIZED) throw cause;
    throw new Error(`${name} does not allow reading its oplog; the user needs the role "read" on the database local, and `
      + `the role "clusterMonitor" to read the id of the replica set: ${message}`, { cause });
  }
}

/** @param {End} end @returns {Promise<boolean>} whether it belongs to a sharded cluster */
async function readIsShard({ client }) {
  try {
    return (await client.db('admin').command({ shardingState: 1 })).enabled;
  } catch (error) {
    if (Reflect.get(Object(error), 'code') === COMMAND_NOT_FOUND) return false;
    throw error;
  }
}

/**
 * Compares the primaries' process ids, because a server can have several host names. Servers before 4.4 have none.
 * @param {Document} one @param {Document} other
 */
function isSameServer(one, other) {
  const [process, otherProcess] = [one.topologyVersion?.processId, other.topologyVersion?.processId];
  return process && otherProcess ? process.equals(otherProcess) : one.me !== undefined && one.me === other.me;
}

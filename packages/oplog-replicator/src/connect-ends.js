import { End } from './end.js';

/** @import { Document, ObjectId } from 'mongodb' */
/** @import { EndError } from './errors.js' */

/**
 * @typedef {object} Source a replica set
 * @property {End} end
 * @property {ObjectId} setId
 * @property {boolean} isShard whether it belongs to a sharded cluster
 */

/** Longer than a server that is alive should ever need. */
const MAX_SILENCE_MS = 10_000;
const CONNECTIONS = 8;

const UNAUTHORIZED = 13;
const COMMAND_NOT_FOUND = 59;

/**
 * @param {object} urls
 * @param {string[]} urls.sources
 * @param {string | null} urls.target null: a dry run
 * @param {object} [options]
 * @param {number} [options.connections] to the target, at most; default: 8
 * @param {number} [options.maxSilenceMs] how long a server may take to answer
 * @returns {Promise<{ sources: Source[], target: End | null, close: () => Promise<unknown> }>}
 * @throws {Error} when one of them can't be reached or used
 */
export async function connectEnds(urls, { connections = CONNECTIONS, maxSilenceMs = MAX_SILENCE_MS } = {}) {
  /** @type {End[]} */
  const ends = [];
  const close = () => Promise.all(ends.map((end) => end.close()));
  /** @param {ConstructorParameters<typeof End>} args */
  const open = (...args) => {
    const end = new End(...args);
    ends.push(end);
    return end;
  };
  try {
    const sources = await Promise.all(urls.sources.map((url) => openSource(open(url, { role: 'source', maxSilenceMs }))));
    const target = urls.target === null ? null
      : open(urls.target, { role: 'target', maxSilenceMs, driver: { maxPoolSize: connections } });
    await assertDistinct(ends);
    return { sources, target, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** @param {End} end @returns {Promise<Source>} @throws {Error} when it has no oplog, or the user may not read it */
async function openSource(end) {
  const { msg, setName } = await end.reach();
  if (msg === 'isdbgrid') throw new Error(`${end.name} is a mongos, which has no oplog; use its shards as sources`);
  if (!setName) throw new Error(`${end.name} is a standalone server, which has no oplog; a source must be a replica set`);
  return { end, setId: await readSetId(end), isShard: await readIsShard(end) };
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
async function readSetId(end) {
  try {
    const [config] = await end.list('local', { find: 'system.replset', limit: 1 });
    return config?.settings?.replicaSetId;
  } catch (cause) {
    const { code, message } = /** @type {EndError} */ (cause);
    if (code !== UNAUTHORIZED) throw cause;
    throw new Error(`${end.name} does not allow reading its oplog; the user needs the role "read" on the database local, and `
      + `the role "clusterMonitor" to read the id of the replica set: ${message}`, { cause });
  }
}

/** @param {End} end */
async function readIsShard(end) {
  try {
    return (await end.command('admin', { shardingState: 1 })).enabled;
  } catch (error) {
    if (/** @type {EndError} */ (error).code === COMMAND_NOT_FOUND) return false;
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

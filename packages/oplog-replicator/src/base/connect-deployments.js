import { Deployment } from './deployment.js';

/** @import { Document, ObjectId } from 'mongodb' */
/** @import { DeploymentError } from './errors.js' */

/**
 * @typedef {object} Source a replica set
 * @property {Deployment} deployment
 * @property {ObjectId} setId
 * @property {boolean} isShard whether it belongs to a sharded cluster
 */

/** Longer than a server that is alive should ever need. */
const MAX_SILENCE_MS = 10_000;
const MAX_CONNECTIONS = 8;

const UNAUTHORIZED = 13;
const COMMAND_NOT_FOUND = 59;

/**
 * @param {object} urls
 * @param {string[]} urls.sources
 * @param {string | null} urls.target null: a dry run
 * @param {object} [options]
 * @param {number} [options.connections] to the target, at most; default: 8
 * @param {number} [options.maxSilenceMs] how long a server may take to answer
 * @returns {Promise<{ sources: Source[], target: Deployment | null, close: () => Promise<unknown> }>}
 * @throws {Error} when one of them can't be reached or used
 */
export async function connectDeployments(urls, { connections = MAX_CONNECTIONS, maxSilenceMs = MAX_SILENCE_MS } = {}) {
  /** @type {Deployment[]} */
  const deployments = [];
  const close = () => Promise.all(deployments.map((deployment) => deployment.close()));
  /** @param {ConstructorParameters<typeof Deployment>} args */
  const open = (...args) => {
    const deployment = new Deployment(...args);
    deployments.push(deployment);
    return deployment;
  };
  try {
    const sources = await Promise.all(
      urls.sources.map((url) => openSource(open(url, { role: 'source', maxSilenceMs }))),
    );
    const target =
      urls.target === null
        ? null
        : open(urls.target, { role: 'target', maxSilenceMs, driver: { maxPoolSize: connections } });
    await assertDistinct(deployments);
    return { sources, target, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * @param {Deployment} deployment
 * @returns {Promise<Source>}
 * @throws {Error} when it has no oplog, or the user may not read it
 */
async function openSource(deployment) {
  const { msg, setName } = await deployment.reach();
  if (msg === 'isdbgrid')
    throw new Error(`${deployment.name} is a mongos, which has no oplog; use its shards as sources`);
  if (!setName)
    throw new Error(`${deployment.name} is a standalone server, which has no oplog; a source must be a replica set`);
  return { deployment, setId: await readSetId(deployment), isShard: await readIsShard(deployment) };
}

/** @param {Deployment[]} deployments @throws {Error} when two are the same server */
async function assertDistinct(deployments) {
  const hellos = await Promise.all(deployments.map((deployment) => deployment.reach()));
  for (const [index, { name }] of deployments.entries()) {
    const other = hellos.findIndex((hello) => isSameServer(hello, hellos[index]));
    if (other < index) throw new Error(`${name} is ${deployments[other].name}; they must be different servers`);
  }
}

/** @param {Deployment} deployment */
async function readSetId(deployment) {
  try {
    const [config] = await deployment.list('local', { find: 'system.replset', limit: 1 });
    return config?.settings?.replicaSetId;
  } catch (cause) {
    const { code, message } = /** @type {DeploymentError} */ (cause);
    if (code !== UNAUTHORIZED) throw cause;
    throw new Error(
      `${deployment.name} does not allow reading its oplog; the user needs the role "read" on the database local, ` +
        `and the role "clusterMonitor" to read the id of the replica set: ${message}`,
      { cause },
    );
  }
}

/** @param {Deployment} deployment */
async function readIsShard(deployment) {
  try {
    return (await deployment.command('admin', { shardingState: 1 })).enabled;
  } catch (error) {
    if (/** @type {DeploymentError} */ (error).code === COMMAND_NOT_FOUND) return false;
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

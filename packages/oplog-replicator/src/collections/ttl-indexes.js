import { connectDeployments } from '../base/connect-deployments.js';
import { listCollections } from './collection-info.js';

/** @import { Deployment } from '../base/deployment.js' */
/** @import { Filter } from '../base/namespaces.js' */

// A server deletes expired documents by its own clock. While the replicator is late, the target does not have the
// updates that extended a document's life, and would delete documents that the source still has. So TTL has no effect
// on the target until someone calls restoreTtl: an index is created without its expiry.

/**
 * @typedef {object} TtlRule which documents of a collection expire
 * @property {string} database
 * @property {string} collection
 * @property {string | null} index null: a clustered collection, whose documents expire by their `_id`
 * @property {number} expireAfterSeconds
 */

/**
 * @template {Record<string, any> | Map<string, any>} Definition
 * @param {Definition} definition of an index or a clustered collection
 * @returns {Definition} without its expiry
 */
export function withoutTtl(definition) {
  const entries = definition instanceof Map ? [...definition] : Object.entries(definition);
  const kept = entries.filter(([name]) => name !== 'expireAfterSeconds');
  return /** @type {Definition} */ (definition instanceof Map ? new Map(kept) : Object.fromEntries(kept));
}

/**
 * @param {Deployment} deployment
 * @param {{ database: string, collection: string }} namespace
 * @returns {Promise<Record<string, any>[]>} without their expiry, and without those that every
 *   collection has
 */
export async function listIndexes(deployment, { database, collection }) {
  const indexes = await deployment.readAll(database, { listIndexes: collection });
  return indexes.filter(({ name, clustered }) => name !== '_id_' && !clustered).map(withoutTtl);
}

/**
 * @param {Record<string, any>} collMod of the oplog
 * @returns {Record<string, any> | null} without a new expiry; null if nothing else changes
 */
export function collModWithoutTtl({ collMod, ...changes }) {
  const { index, ...others } = withoutTtl(changes);
  const rest = index && withoutTtl(index);
  // What is left besides a change is the name or the key of the index.
  const command = rest?.size > 1 ? { collMod, index: rest, ...others } : { collMod, ...others };
  return Object.keys(command).length > 1 ? command : null;
}

/**
 * @param {Deployment} target
 * @param {Filter} [filter]
 * @throws {Error} when documents of a replicated collection can expire on the target
 */
export async function assertNoTtl(target, filter) {
  const [found] = await listTtl(target, filter);
  if (!found) return;
  const { database, collection, index } = found;
  throw new Error(
    `${target.name} deletes expired documents of ${database}.${collection} by itself (${index ?? 'clustered'}): it ` +
      'may delete what the source still has. Drop the index and create it without expireAfterSeconds. After the ' +
      'replication, restoreTtl sets what the source has',
  );
}

/**
 * Gives the target the TTL indexes of the sources. Call it after the replication, when the target takes over. It needs
 * a target of MongoDB 5.1 or later, which can make an index a TTL index.
 *
 * @param {object} options
 * @param {string[]} options.sources connection strings
 * @param {string} options.target connection string
 * @param {Filter} [options.namespaces]
 * @returns {Promise<string[]>} the indexes, as `db.collection.index`, and clustered collections
 */
export async function restoreTtl({ sources, target, namespaces }) {
  const deployments = await connectDeployments({ sources, target });
  try {
    const restored = new Set();
    for (const { deployment } of deployments.sources) {
      for (const { database, collection, index, expireAfterSeconds } of await listTtl(deployment, namespaces)) {
        const change = index === null ? { expireAfterSeconds } : { index: { name: index, expireAfterSeconds } };
        await /** @type {Deployment} */ (deployments.target).command(database, { collMod: collection, ...change });
        restored.add([database, collection, ...(index === null ? [] : [index])].join('.'));
      }
    }
    return [...restored];
  } finally {
    await deployments.close();
  }
}

/**
 * @param {Deployment} deployment
 * @param {Filter} [filter]
 * @returns {Promise<TtlRule[]>} of the replicated collections
 */
async function listTtl(deployment, filter) {
  const { replicated } = await listCollections(deployment, filter);
  const found = await Promise.all(
    replicated.map(async ({ database, collection, options }) => {
      const indexes = await deployment.list(database, { listIndexes: collection });
      return [{ name: null, ...options }, ...indexes]
        .filter(({ expireAfterSeconds }) => expireAfterSeconds !== undefined)
        .map(({ name, expireAfterSeconds }) => ({ database, collection, index: name, expireAfterSeconds }));
    }),
  );
  return found.flat();
}

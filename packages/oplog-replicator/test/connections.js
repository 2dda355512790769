import { MongoClient } from 'mongodb';
import { cleanUp, startReplicaSet } from 'test-support/cleanup.js';
import { Deployment } from '../src/base/deployment.js';
import { CHECKPOINT_DATABASE } from '../src/base/namespaces.js';
import { withoutTtl } from '../src/collections/ttl-indexes.js';
import { Target } from '../src/target/target.js';

/** A client that closes at the end of the test file. @param {string} url */
export function openClient(url) {
  const client = new MongoClient(url);
  cleanUp(() => client.close());
  return client;
}

/**
 * Closes like openClient.
 * @param {string} url
 * @param {Partial<import('../src/base/deployment.js').DeploymentOptions>} [options]
 */
export function openDeployment(url, options) {
  const deployment = new Deployment(url, { role: 'target', maxSilenceMs: 10_000, ...options });
  cleanUp(() => deployment.close());
  return deployment;
}

/** A target that no other process writes to. @param {Deployment} deployment @param {string} replication */
export function openTarget(deployment, replication) {
  const lease = {
    id: 'test',
    confirm: async () => {},
    lose: () => Promise.reject(new Error('another process has taken over')),
  };
  return new Target(deployment, { replication, lease });
}

/**
 * Starts two replica sets, a source and a target.
 * @param {string[]} [sourceArgs] of the mongod
 * @param {string[]} [targetArgs]
 */
export async function startTwoSets(sourceArgs, targetArgs) {
  const sets = await Promise.all([startReplicaSet(sourceArgs), startReplicaSet(targetArgs)]);
  const urls = sets.map(({ url }) => url);
  return { sets, urls, clients: urls.map(openClient) };
}

const INTERNAL = ['admin', 'config', 'local', CHECKPOINT_DATABASE];

/**
 * Describes everything that a replication must reproduce. TTL has no effect on the target.
 *
 * @param {import('mongodb').MongoClient} client
 * @returns {Promise<Record<string, unknown>>} by `db.collection`: the server's hash of the documents' bytes, the
 *   options and the indexes
 */
export async function describeData(client) {
  /** @type {Record<string, unknown>} */
  const found = {};
  const { databases } = await client.db('admin').admin().listDatabases({ nameOnly: true });
  for (const { name } of databases.filter((database) => !INTERNAL.includes(database.name))) {
    const db = client.db(name);
    const { collections: hashes } = await db.command({ dbHash: 1 });
    const collections = /** @type {any[]} */ (
      await db.listCollections({ name: /^(?!system\.)/, type: 'collection' }).toArray()
    );
    for (const { name: collection, options } of collections) {
      const indexes = (await db.collection(collection).indexes()).map(withoutTtl);
      indexes.sort((one, other) => (String(one.name) < String(other.name) ? -1 : 1));
      found[`${name}.${collection}`] = { hash: hashes[collection], options, indexes };
    }
  }
  return found;
}

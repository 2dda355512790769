import { CHECKPOINT_DATABASE } from '../src/base/namespaces.js';
import { withoutTtl } from '../src/collections/ttl-indexes.js';

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

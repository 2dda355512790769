import { MongoClient } from 'mongodb';
import { startEmbeddedMongo } from '../../../src/mongo/embedded.js';
import { readSettings } from '../../../src/settings.js';
import { cleanUp } from '../../support/cleanup.js';

/** @param {string[]} [args] of mongod */
export async function startSet(args) {
  const { url, stop } = await startEmbeddedMongo({ ...readSettings(), args });
  cleanUp(stop);
  const client = new MongoClient(url);
  cleanUp(() => client.close());
  return { url, client, stop };
}

/**
 * Where two MongoDBs differ in what a replication is about: documents byte for byte, options and indexes.
 *
 * @param {MongoClient} source
 * @param {MongoClient} target
 */
export async function compare(source, target) {
  const [one, other] = await Promise.all([source, target].map(describe));
  return { source: one, target: other };
}

/** @param {MongoClient} client */
async function describe(client) {
  /** @type {Record<string, unknown>} */
  const found = {};
  const { databases } = await client.db('admin').admin().listDatabases({ nameOnly: true });
  for (const { name } of databases) {
    if (['admin', 'config', 'local', 'pool_lab_replication'].includes(name)) continue;
    const db = client.db(name);
    const { collections } = await db.command({ dbHash: 1 });
    for (const { name: collection, options } of await db.listCollections().toArray()) {
      const indexes = await db.collection(collection).indexes();
      found[`${name}.${collection}`] = {
        hash: collections[collection],
        options,
        indexes: indexes.sort((a, b) => (String(a.name) < String(b.name) ? -1 : 1)),
      };
    }
  }
  return found;
}

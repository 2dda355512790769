/** @import { MongoClient } from 'mongodb' */

/**
 * @typedef {object} Constraints of a collection
 * @property {boolean} inOrder whether the order of different documents matters, so that one worker has to do all
 * @property {boolean} isUnique whether an index but that of the _id is unique
 * @property {boolean} isValidated whether the server checks what is written
 */

/**
 * Ask a server what it demands of a collection. Order matters for a unique index, where a value passes from one
 * document to another; for a capped collection, which keeps what came last; and for a collation, under which two
 * values of _id can be one.
 *
 * @param {MongoClient} client
 * @param {{ database: string, collection: string }} namespace
 * @returns {Promise<Constraints>}
 */
export async function readConstraints(client, { database, collection }) {
  const db = client.db(database);
  const [info] = await db.listCollections({ name: collection }).toArray();
  if (!info) return { inOrder: false, isUnique: false, isValidated: false };
  const indexes = await db.collection(collection).indexes();
  const isUnique = indexes.some(({ unique, prepareUnique, clustered }) => (unique || prepareUnique) && !clustered);
  const { capped = false, collation, validator } = /** @type {any} */ (info).options ?? {};
  return { inOrder: isUnique || capped || collation !== undefined, isUnique, isValidated: validator !== undefined };
}

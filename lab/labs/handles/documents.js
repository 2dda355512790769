import { DATABASE } from '../../../src/mongo/demo-data.js';

/** @import { Collection, MongoClient } from 'mongodb' */

const DOCUMENTS = 10_000;

/** @typedef {{ _id: number, text: string }} NumberedDocument */

/** @param {MongoClient} client @returns {Collection<NumberedDocument>} */
export function documentsOf(client) {
  return client.db(DATABASE).collection('handles');
}

/**
 * Replaces what an earlier run may have left.
 * @param {Collection<NumberedDocument>} documents
 */
export async function seedDocuments(documents) {
  await documents.drop();
  await documents.insertMany(Array.from({ length: DOCUMENTS }, (_, _id) => ({ _id, text: `Document ${_id}` })));
}

export function pickId() {
  return Math.floor(Math.random() * DOCUMENTS);
}

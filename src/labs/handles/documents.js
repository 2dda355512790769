const DOCUMENTS = 10_000;

/** @typedef {{ _id: number, text: string }} Numbered */

/**
 * The lab's own collection: documents that are found by their number.
 * @param {import('mongodb').MongoClient} client
 * @returns {import('mongodb').Collection<Numbered>}
 */
export function documentsOf(client) {
  return client.db('pool_lab').collection('handles');
}

/**
 * Put the documents there, in place of what an earlier run may have left.
 * @param {import('mongodb').Collection<Numbered>} documents
 */
export async function seedDocuments(documents) {
  await documents.drop();
  await documents.insertMany(Array.from({ length: DOCUMENTS }, (_, _id) => ({ _id, text: `Document ${_id}` })));
}

/** @returns {number} the _id of some document */
export function pickId() {
  return Math.floor(Math.random() * DOCUMENTS);
}

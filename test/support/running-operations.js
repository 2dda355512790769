/**
 * List the operations that run on a server.
 * @param {import('mongodb').MongoClient} client another one than the watched one
 * @param {Record<string, unknown>} filter on the fields of $currentOp
 * @returns {Promise<import('mongodb').Document[]>}
 */
export function runningOperations(client, filter) {
  return client.db('admin').aggregate([{ $currentOp: { allUsers: true } }, { $match: { active: true, ...filter } }])
    .toArray();
}

/**
 * What a server works on now.
 *
 * @param {import('mongodb').MongoClient} client not the one that is watched
 * @param {Record<string, unknown>} filter on the fields of $currentOp
 * @returns {Promise<import('mongodb').Document[]>}
 */
export function runningOperations(client, filter) {
  return client.db('admin').aggregate([{ $currentOp: { allUsers: true } }, { $match: { active: true, ...filter } }])
    .toArray();
}

/**
 * Where two databases differ, by the servers' own hash of all documents of a collection in the order of their _id.
 *
 * @param {import('mongodb').Db} one
 * @param {import('mongodb').Db} other
 * @returns {Promise<string[]>} names of collections that differ or that only one has
 */
export async function findDifferences(one, other) {
  const [hashes, others] = await Promise.all([one, other].map(async (db) => (
    /** @type {Record<string, string>} */ ((await db.command({ dbHash: 1 })).collections))));
  return [...new Set([...Object.keys(hashes), ...Object.keys(others)])].filter((name) => hashes[name] !== others[name]);
}

/**
 * @typedef {object} Faults none of them should be
 * @property {number} missing documents that are not there
 * @property {number} twice documents that are there more than once
 * @property {number} wrong documents with another content
 */

/**
 * Look at what is really stored, in one pass of the server over all documents.
 *
 * @param {import('mongodb').Collection<any>} collection of documents that have `n`, counted from 0, and `d`
 * @param {number} count how many were inserted
 * @param {string} d what each of them holds
 * @returns {Promise<Faults>}
 */
export async function verifyInserts(collection, count, d) {
  const [found] = await collection.aggregate([
    { $match: { n: { $gte: 0, $lt: count } } },
    { $group: {
      _id: '$n', times: { $sum: 1 }, wrong: { $max: { $cond: [{ $eq: ['$d', { $literal: d }] }, 0, 1] } },
    } },
    { $group: {
      _id: null,
      present: { $sum: 1 },
      twice: { $sum: { $cond: [{ $gt: ['$times', 1] }, 1, 0] } },
      wrong: { $sum: '$wrong' },
    } },
  ]).toArray();
  const { present = 0, twice = 0, wrong = 0 } = found ?? {};
  return { missing: count - present, twice, wrong };
}

/**
 * @param {Faults} faults
 * @returns {string | undefined} in words; undefined if there are none
 */
export function describeFaults({ missing, twice, wrong }) {
  const faults = [
    missing > 0 && `${missing} missing`, twice > 0 && `${twice} stored twice`, wrong > 0 && `${wrong} with another content`,
  ].filter(Boolean);
  return faults.length > 0 ? `documents are not as inserted: ${faults.join(', ')}` : undefined;
}

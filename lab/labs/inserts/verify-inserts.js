/**
 * @typedef {object} Faults
 * @property {number} missing documents that were not found
 * @property {number} twice documents stored more than once
 * @property {number} wrong documents with other content
 */

/**
 * Checks every document, in one aggregation on the server.
 *
 * @param {import('mongodb').Collection<any>} collection whose documents have `n`, from 0, and `d`
 * @param {number} count documents inserted
 * @param {string[]} contents that `d` of the documents takes in turn
 * @returns {Promise<Faults>}
 */
export async function verifyInserts(collection, count, contents) {
  const expected = { $arrayElemAt: [{ $literal: contents }, { $mod: ['$n', contents.length] }] };
  const isWrong = { $cond: [{ $eq: ['$d', expected] }, 0, 1] };
  const isTwice = { $cond: [{ $gt: ['$times', 1] }, 1, 0] };
  const [found] = await collection
    .aggregate([
      { $match: { n: { $gte: 0, $lt: count } } },
      { $group: { _id: '$n', times: { $sum: 1 }, wrong: { $max: isWrong } } },
      { $group: { _id: null, present: { $sum: 1 }, twice: { $sum: isTwice }, wrong: { $sum: '$wrong' } } },
    ])
    .toArray();
  const { present = 0, twice = 0, wrong = 0 } = found ?? {};
  return { missing: count - present, twice, wrong };
}

/** @param {Faults} faults @returns {string | undefined} */
export function describeFaults({ missing, twice, wrong }) {
  const faults = [
    missing > 0 && `${missing} missing`,
    twice > 0 && `${twice} stored twice`,
    wrong > 0 && `${wrong} with other content`,
  ].filter(Boolean);
  return faults.length > 0 ? `documents are not as inserted: ${faults.join(', ')}` : undefined;
}

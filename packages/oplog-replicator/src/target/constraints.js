/** @import { End } from '../end.js' */

/**
 * @typedef {object} Constraints of a collection
 * @property {boolean} inOrder whether one worker has to write all documents, because their order matters
 * @property {boolean} isCapped
 * @property {boolean} isValidated whether the collection has a validator
 */

/**
 * The order of different documents matters with a unique index, where a value can move from one document to another; in
 * a capped collection, which removes the oldest; and with a collation, where two different `_id` values can be equal.
 *
 * @param {End} end
 * @param {{ database: string, collection: string }} namespace
 * @returns {Promise<Constraints>}
 */
export async function readConstraints(end, { database, collection }) {
  const [info] = await end.list(database, { listCollections: 1, filter: { name: collection } });
  if (!info) return { inOrder: false, isCapped: false, isValidated: false };
  const indexes = await end.list(database, { listIndexes: collection });
  const isUnique = indexes.some(({ unique, prepareUnique, clustered }) => (unique || prepareUnique) && !clustered);
  const { capped = false, collation, validator } = info.options;
  return {
    inOrder: isUnique || capped || collation !== undefined, isCapped: capped, isValidated: validator !== undefined,
  };
}

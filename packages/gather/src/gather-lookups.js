import { setImmediate as nextTurn } from 'node:timers/promises';
import DataLoader from 'dataloader';
import { BSON } from 'mongodb';

/** @import { Collection, Document, InferIdType, WithId } from 'mongodb' */

/**
 * Sends lookups by _id as one query if they come in the same turn of the event loop, or while the previous query runs.
 *
 * @template {Document} Schema
 * @param {Collection<Schema>} collection
 * @param {{ maxBatchSize?: number }} [options] maxBatchSize: lookups
 * @returns {(id: InferIdType<Schema>) => Promise<WithId<Schema> | null>} like `findOne({ _id: id })`: no two callers
 *   share an object. If a query fails, all its lookups fail
 * @throws {TypeError} if maxBatchSize is less than 1
 */
export function gatherLookups(collection, { maxBatchSize = 1000 } = {}) {
  /** @type {Promise<unknown>} */
  let query = Promise.resolve();
  let turn = Promise.resolve();
  /** Its keys are objects, because it takes no null, which is a valid _id. @type {DataLoader<{ id: unknown }, any>} */
  const loader = new DataLoader(
    (keys) => {
      const found = lookUpAll(
        collection,
        keys.map(({ id }) => id),
      );
      query = found;
      return found;
    },
    {
      cache: false,
      maxBatchSize,
      batchScheduleFn(send) {
        turn = turn.then(async () => {
          // Requests that arrive together are handled in the same turn of the event loop, but in different ticks.
          await nextTurn();
          send();
          // Lookups that come meanwhile form the next query. The callers get the error.
          await query.catch(() => {});
        });
      },
    },
  );
  return (id) => loader.load({ id });
}

/**
 * @param {Collection<any>} collection
 * @param {unknown[]} ids
 * @returns {Promise<any[]>} the document, null or an Error for each
 */
async function lookUpAll(collection, ids) {
  // With room for one more document, the server knows that the first batch is complete, and opens no cursor.
  const documents = await collection.find({ _id: { $in: ids } }, { batchSize: ids.length + 1 }).toArray();
  const found = new Map(documents.map((document) => [keyOf(document._id), document]));
  const requested = new Set();
  const outcomes = ids.map((id) => {
    const key = keyOf(id);
    const document = found.get(key) ?? null;
    const isDuplicate = document && requested.has(key);
    requested.add(key);
    return isDuplicate ? copy(document, collection) : document;
  });
  // MongoDB considers more values equal than keyOf does, such as 1 and Long 1. If a document was not matched to a
  // lookup, each missing one is looked up alone.
  if ([...found.keys()].every((key) => requested.has(key))) return outcomes;
  return Promise.all(
    outcomes.map((document, index) => document ?? collection.findOne({ _id: ids[index] }).catch((error) => error)),
  );
}

/** @param {unknown} id */
function keyOf(id) {
  return typeof id === 'number' ? id : BSON.EJSON.stringify(id, { relaxed: false });
}

/** @param {Document} document @param {Collection<any>} collection */
function copy(document, { bsonOptions }) {
  return BSON.deserialize(BSON.serialize(document, bsonOptions), bsonOptions);
}

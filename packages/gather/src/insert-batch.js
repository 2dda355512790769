import { OutcomeUnknownError } from './outcome-unknown-error.js';

/** MongoDB's answer to a whole command before it looks at any of its documents. */
const UNAUTHORIZED = 13;

/** @import { Collection, MongoBulkWriteError } from 'mongodb' */
/** @typedef {PromiseSettledResult<any>} Outcome */

/**
 * Insert several documents and find out for each of them how it went.
 *
 * @param {Collection<any>} collection
 * @param {any[]} documents
 * @returns {Promise<Outcome[]>} of each what `insertOne` gives, or an OutcomeUnknownError
 * @throws {Error} the driver's, if it found no server to send anything to
 */
export async function insertBatch(collection, documents) {
  if (documents.length < 2) return insertEach(collection, documents);
  // Of null, insertMany would make a document.
  if (documents.some((document) => !document)) return insertHalves(collection, documents);
  let acknowledged;
  try {
    ({ acknowledged } = await collection.insertMany(documents, { ordered: false }));
  } catch (error) {
    if (isAboutDocument(error)) return insertHalves(collection, documents);
    if (/** @type {Error} */ (error).name !== 'MongoBulkWriteError') throw error;
    return sortOut(collection, documents, /** @type {MongoBulkWriteError} */ (error));
  }
  return documents.map(({ _id }) => ({ status: 'fulfilled', value: { acknowledged, insertedId: _id } }));
}

/**
 * The driver sends nothing at all where one of the documents can't be sent: look for it.
 * @type {typeof insertBatch}
 */
async function insertHalves(collection, documents) {
  const middle = documents.length >> 1;
  const first = await insertBatch(collection, documents.slice(0, middle));
  return first.concat(await insertBatch(collection, documents.slice(middle)));
}

/**
 * @param {Collection<any>} collection
 * @param {any[]} documents
 * @returns {Promise<Outcome[]>}
 */
function insertEach(collection, documents) {
  return Promise.allSettled(documents.map((document) => insertAlone(collection, document)));
}

/**
 * @param {Collection<any>} collection
 * @param {any} document
 */
async function insertAlone(collection, document) {
  try {
    return await collection.insertOne(document);
  } catch (error) {
    throw isAboutDocument(error) || isAnswer(error) ? error : new OutcomeUnknownError(/** @type {Error} */ (error));
  }
}

/**
 * The driver sends one command after the other, and gives up at the first without an answer or whose write concern is
 * not met: those that were answered hold the first documents. The error's own `insertedIds` are no help; they include
 * documents that nobody answered for.
 *
 * @param {Collection<any>} collection
 * @param {any[]} documents
 * @param {MongoBulkWriteError} error
 * @returns {Promise<Outcome[]>}
 */
async function sortOut(collection, documents, error) {
  const { result } = error;
  const refused = new Set(result.getWriteErrors().map(({ index }) => index));
  const isUnmet = result.getWriteConcernError() !== undefined;
  const answered = result.insertedCount + refused.size;
  const outcomes = await Promise.allSettled(documents.slice(0, answered).map(async (document, index) => {
    if (refused.has(index)) return insertAlone(collection, document);
    if (isUnmet) throw error;
    return { acknowledged: true, insertedId: document._id };
  }));
  const rest = documents.slice(answered);
  if (isUnmet) return outcomes.concat(await insertBatch(collection, rest));
  if (error.code === UNAUTHORIZED) return outcomes.concat(await insertEach(collection, rest));
  return outcomes.concat(rest.map(() => ({ status: 'rejected', reason: new OutcomeUnknownError(error) })));
}

/**
 * Whether the driver, or the document's own code, failed at making BSON of a document. What goes wrong with the server
 * has other names, all of which begin with Mongo.
 * @param {any} error
 */
function isAboutDocument(error) {
  return !/^Mongo(?!InvalidArgumentError)/.test(error?.name);
}

/**
 * Whether the server has said something final. Errors without a code are the driver's own, for example of a broken
 * connection; what the server labels as worth a retry was retried and failed again.
 * @param {any} error
 */
function isAnswer(error) {
  return typeof error?.code === 'number' && !error.hasErrorLabel('RetryableWriteError');
}

/** The server checks this before it looks at any document of a command. */
const UNAUTHORIZED = 13;

/** @import { Collection, MongoBulkWriteError } from 'mongodb' */
/** @typedef {PromiseSettledResult<any>} InsertOutcome */

/** No response came to a write, so the document may or may not be stored. */
export class OutcomeUnknownError extends Error {
  name = 'OutcomeUnknownError';

  /** @param {Error} cause the driver's error */
  constructor(cause) {
    super(`the document may or may not be stored: ${cause.message}`, { cause });
  }
}

/**
 * Inserts documents, several with one command.
 *
 * @param {Collection<any>} collection
 * @param {any[]} documents
 * @returns {Promise<InsertOutcome[]>} as from insertOne for each document, or an OutcomeUnknownError
 * @throws {Error} the driver's, if nothing was sent
 */
export async function insertBatch(collection, documents) {
  if (documents.length < 2) return insertEach(collection, documents);
  // insertMany turns null into a document.
  if (documents.some((document) => !document)) return insertHalves(collection, documents);
  let acknowledged;
  try {
    ({ acknowledged } = await collection.insertMany(documents, { ordered: false }));
  } catch (error) {
    if (isInvalidDocument(error)) return insertHalves(collection, documents);
    if (/** @type {Error} */ (error).name !== 'MongoBulkWriteError') throw error;
    return splitOutcomes(collection, documents, /** @type {MongoBulkWriteError} */ (error));
  }
  return documents.map(({ _id }) => ({ status: 'fulfilled', value: { acknowledged, insertedId: _id } }));
}

/**
 * The driver sends nothing if one document is invalid. Halving finds it.
 * @type {typeof insertBatch}
 */
async function insertHalves(collection, documents) {
  const middle = documents.length >> 1;
  const first = await insertBatch(collection, documents.slice(0, middle));
  return first.concat(await insertBatch(collection, documents.slice(middle)));
}

/** @param {Collection<any>} collection @param {any[]} documents @returns {Promise<InsertOutcome[]>} */
function insertEach(collection, documents) {
  return Promise.allSettled(documents.map((document) => insertAlone(collection, document)));
}

/** @param {Collection<any>} collection @param {any} document */
async function insertAlone(collection, document) {
  try {
    return await collection.insertOne(document);
  } catch (error) {
    throw isInvalidDocument(error) || isFinalResponse(error)
      ? error
      : new OutcomeUnknownError(/** @type {Error} */ (error));
  }
}

/**
 * The driver sends one command after another. It stops at the first one that gets no response or does not meet the
 * write concern, so responses exist for the first documents. The error's `insertedIds` include documents without a
 * response.
 *
 * @param {Collection<any>} collection
 * @param {any[]} documents
 * @param {MongoBulkWriteError} error
 * @returns {Promise<InsertOutcome[]>}
 */
async function splitOutcomes(collection, documents, error) {
  const { result } = error;
  const refused = new Set(result.getWriteErrors().map(({ index }) => index));
  const isUnmet = result.getWriteConcernError() !== undefined;
  const responses = result.insertedCount + refused.size;
  const outcomes = await Promise.allSettled(
    documents.slice(0, responses).map(async (document, index) => {
      if (refused.has(index)) return insertAlone(collection, document);
      if (isUnmet) throw error;
      return { acknowledged: true, insertedId: document._id };
    }),
  );
  const rest = documents.slice(responses);
  if (isUnmet) return outcomes.concat(await insertBatch(collection, rest));
  if (error.code === UNAUTHORIZED) return outcomes.concat(await insertEach(collection, rest));
  return outcomes.concat(rest.map(() => ({ status: 'rejected', reason: new OutcomeUnknownError(error) })));
}

/**
 * Whether serializing a document failed. All errors from the server or the connection have names that begin with Mongo.
 * @param {any} error
 */
function isInvalidDocument(error) {
  return !/^Mongo(?!InvalidArgumentError)/.test(error?.name);
}

/**
 * Whether the server gave a final response. Errors without a code come from the driver, such as a lost connection.
 * Errors with this label were retried and failed again.
 * @param {any} error
 */
function isFinalResponse(error) {
  return typeof error?.code === 'number' && !error.hasErrorLabel('RetryableWriteError');
}

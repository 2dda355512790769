/** @import { Collection, Document, InsertOneResult, OptionalUnlessRequiredId, MongoBulkWriteError } from 'mongodb' */

/** The server checks this before it looks at any document of a command. */
const UNAUTHORIZED = 13;

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
async function insertBatch(collection, documents) {
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

/**
 * @template {Document} Schema
 * @typedef {object} PendingInsert a document without an outcome
 * @property {OptionalUnlessRequiredId<Schema>} document
 * @property {(result: InsertOneResult<Schema>) => void} resolve
 * @property {(reason: unknown) => void} reject
 */

/**
 * Sends documents that are inserted at the same time in one insertMany. Each caller gets the outcome of its own
 * document, as from insertOne.
 *
 * - An idle writer sends a document at once. Documents that come while an insertMany is running form the next one.
 * - A refused document (duplicate key, validation, size) fails only its own caller. It is sent a second time, alone,
 *   because the driver then reports more details. If it is accepted this time, it is stored.
 * - Documents are stored in the order of the calls: by a mongod in total, by a sharded cluster within each shard. A
 *   refused document that is accepted the second time comes later.
 * - If the driver's retry fails too (retryWrites), documents without a response fail with an OutcomeUnknownError.
 * - If the write concern is not met, the documents are stored and their callers get the driver's error.
 * - The writer holds the BSON of one insertMany. Callers that do not wait for their outcome should await `ready()`
 *   before each call.
 *
 * As with insertOne, a document without an _id gets one, and must not be changed before its outcome is known.
 *
 * @template {Document} Schema
 * @param {Collection<Schema>} collection
 * @param {object} [options]
 * @param {number} [options.maxBatchSize] documents; the driver splits batches that exceed the server's limits (16 MB,
 *   100,000 documents)
 * @param {number} [options.maxPending] `ready` waits while this many documents have no outcome
 * @throws {RangeError} if an option is less than 1
 */
export function gatherInserts(collection, { maxBatchSize = 1000, maxPending = 10_000 } = {}) {
  for (const [name, limit] of Object.entries({ maxBatchSize, maxPending })) {
    if (!(limit >= 1)) throw new RangeError(`${name} is ${limit}; it must be a number of at least 1`);
  }
  return new InsertWriter(collection, maxBatchSize, maxPending);
}

/** Its functions need no `this`. @template {Document} Schema */
class InsertWriter {
  #collection;
  #maxBatchSize;
  #maxPending;
  /** Only the last one has room. @type {PendingInsert<Schema>[][]} */
  #batches = [];
  #pending = 0;
  /** Whether a batch is running, or starts after the current code. */
  #isBusy = false;
  #isClosed = false;
  /** @type {(() => void)[]} */
  #wakers = [];

  /** @param {Collection<Schema>} collection @param {number} maxBatchSize @param {number} maxPending */
  constructor(collection, maxBatchSize, maxPending) {
    this.#collection = collection;
    this.#maxBatchSize = maxBatchSize;
    this.#maxPending = maxPending;
  }

  /**
   * @param {OptionalUnlessRequiredId<Schema>} document
   * @returns {Promise<InsertOneResult<Schema>>} rejects with the document's own error, or when closed
   */
  insert = (document) =>
    new Promise((resolve, reject) => {
      if (this.#isClosed) {
        reject(new Error('this gatherer is closed'));
        return;
      }
      const insert = { document, resolve, reject };
      const last = this.#batches.at(-1);
      if (last && last.length < this.#maxBatchSize) last.push(insert);
      else this.#batches.push([insert]);
      this.#pending += 1;
      this.#sendNext();
    });

  /**
   * Resolves once fewer than `maxPending` documents have no outcome. Several waiting callers can exceed it by one
   * document each.
   */
  ready = async () => {
    while (this.#pending >= this.#maxPending) await this.#nextOutcome();
  };

  /** Rejects further documents. Resolves once all have an outcome. */
  close = async () => {
    this.#isClosed = true;
    while (this.#pending > 0) await this.#nextOutcome();
  };

  /** @returns {Promise<void>} */
  #nextOutcome() {
    return new Promise((resolve) => {
      this.#wakers.push(resolve);
    });
  }

  /** One batch at a time keeps the order. */
  #sendNext() {
    if (this.#isBusy || this.#batches.length === 0) return;
    this.#isBusy = true;
    // After the running code and the promises it has settled.
    process.nextTick(() => this.#send(/** @type {PendingInsert<Schema>[]} */ (this.#batches.shift())));
  }

  /** @param {PendingInsert<Schema>[]} inserts */
  async #send(inserts) {
    try {
      const outcomes = await insertBatch(
        this.#collection,
        inserts.map(({ document }) => document),
      );
      for (const [index, { resolve, reject }] of inserts.entries()) {
        const outcome = outcomes[index];
        if (outcome.status === 'fulfilled') resolve(outcome.value);
        else reject(outcome.reason);
      }
    } catch (error) {
      for (const { reject } of inserts) reject(error);
    }
    this.#isBusy = false;
    this.#pending -= inserts.length;
    for (const wake of this.#wakers.splice(0)) wake();
    this.#sendNext();
  }
}

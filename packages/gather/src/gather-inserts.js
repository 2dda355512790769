import { createGatherer } from './gather.js';
import { insertBatch } from './insert-batch.js';

/** @import { Collection, Document, InsertOneResult, OptionalUnlessRequiredId } from 'mongodb' */
/** @import { Gatherer } from './gather.js' */

/**
 * Sends documents that are inserted at the same time in one insertMany. Each caller gets the outcome of its own document,
 * as from insertOne.
 *
 * - An idle writer sends a document at once. Documents that come while an insertMany is running form the next one.
 * - A refused document (duplicate key, validation, size) fails only its own caller. It is sent a second time, alone,
 *   because the driver then reports more details. If it is accepted this time, it is stored.
 * - Documents are stored in the order of the calls: by a mongod in total, by a sharded cluster within each shard. A refused
 *   document that is accepted the second time comes later.
 * - If the driver's retry fails too (retryWrites), documents without a response fail with an OutcomeUnknownError.
 * - If the write concern is not met, the documents are stored and their callers get the driver's error.
 * - The writer holds the BSON of one insertMany. Callers that do not wait for their outcome should await `ready()` before
 *   each call.
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
  /** @type {Gatherer<OptionalUnlessRequiredId<Schema>, InsertOneResult<Schema>>} */
  const { add: insert, ready, close } = createGatherer({
    runBatch: (documents) => insertBatch(collection, documents), maxBatchSize, maxPending,
  });
  return { insert, ready, close };
}

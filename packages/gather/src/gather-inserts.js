import { createGatherer } from './gather.js';
import { insertBatch } from './insert-batch.js';

/** @import { Collection, Document, InsertOneResult, OptionalUnlessRequiredId } from 'mongodb' */

/**
 * Make a writer for many callers that insert one document each, at the same time, into one collection. It sends those
 * of the moment in one insertMany and still answers each caller for its own document.
 *
 * - A call that meets an idle writer is sent at once, without a timer. Calls that come while an insertMany is under way
 *   make up the next; one at a time is under way.
 * - A caller gets what `insertOne` would have given it: `{ acknowledged, insertedId }` or the error. A document that is
 *   refused (duplicate key, validation, size) fails its own caller alone. It is sent a second time, by itself, because
 *   the driver tells more of a single document; should what stood in its way be gone by then, it is stored.
 * - Documents are stored in the order of the calls, those of a caller that does not wait included, as far as the server
 *   keeps the order of an unordered insertMany: a mongod does, a sharded cluster does within each shard. One that was
 *   refused at first comes later.
 * - The driver retries a write once, as always (retryWrites). If there is no answer even so, after a broken connection
 *   for example, the callers whose documents were answered for get their outcome and the others an
 *   OutcomeUnknownError: their documents may be stored or not.
 * - If documents are stored but the write concern is not met, their callers get the driver's error for the insertMany,
 *   with the code and message of that for an insertOne.
 * - Beside what its callers hold, the writer holds the BSON of one insertMany. Callers that wait for their answers can't
 *   flood it. One that does not awaits `ready()` before each call: that resolves once fewer than `maxPending` documents
 *   are without an answer.
 *
 * As with insertOne, a document without an _id gets one, and must not be changed before the answer is there.
 *
 * @template {Document} Schema
 * @param {Collection<Schema>} collection its options, such as the write concern, hold
 * @param {object} [options]
 * @param {number} [options.maxBatch] most documents of one insertMany; the driver cuts it into commands that the server
 *   takes (16 MB, 100 000 documents)
 * @param {number} [options.maxPending] documents without an answer at which `ready` begins to wait
 * @throws {RangeError} if an option is not a whole number from 1
 */
export function gatherInserts(collection, { maxBatch = 1000, maxPending = 10_000 } = {}) {
  /** @type {import('./gather.js').Gatherer<OptionalUnlessRequiredId<Schema>, InsertOneResult<Schema>>} */
  const { add: insert, ready, close } = createGatherer({
    run: (documents) => insertBatch(collection, documents), maxBatch, maxPending,
  });
  return { insert, ready, close };
}

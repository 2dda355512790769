import { BSON } from 'mongodb';
import { createGatherer } from './gather.js';

/** @import { Collection, Document, InferIdType, WithId } from 'mongodb' */

/**
 * Look documents up by _id with few queries: one for all that are asked for in a turn of the event loop, or while the
 * query before it runs.
 *
 * @template {Document} Schema
 * @param {Collection<Schema>} collection
 * @param {{ maxBatch?: number }} [options] most lookups of one query
 * @returns {(id: InferIdType<Schema>) => Promise<WithId<Schema> | null>} does what `findOne({ _id: id })` would: each
 *   caller gets a document of its own, or null where there is none. An error befalls all lookups of its query
 */
export function gatherLookups(collection, { maxBatch = 1000 } = {}) {
  return createGatherer({
    run: (/** @type {InferIdType<Schema>[]} */ ids) => lookUpAll(collection, ids),
    maxBatch,
    // Each request of an app is woken by input of its own: those of one moment share a turn, not a tick.
    schedule: setImmediate,
  }).add;
}

/**
 * @param {Collection<any>} collection
 * @param {unknown[]} ids
 */
async function lookUpAll(collection, ids) {
  // With room for one more the server sees that it has told all, and keeps no cursor for a second round trip.
  const documents = await collection.find({ _id: { $in: ids } }, { batchSize: ids.length + 1 }).toArray();
  const found = new Map(documents.map((document) => [keyOf(document._id), document]));
  const asked = new Set();
  const outcomes = ids.map((id) => {
    const key = keyOf(id);
    const document = found.get(key) ?? null;
    const isTaken = document && asked.has(key);
    asked.add(key);
    return isTaken ? copy(document, collection) : document;
  });
  // MongoDB takes more for equal than looks so here, 1 and Long 1 for instance: who may have missed its document asks
  // for it alone.
  const isSure = [...found.keys()].every((key) => asked.has(key));
  return Promise.allSettled(outcomes.map((document, index) => (
    document || isSure ? document : collection.findOne({ _id: ids[index] }))));
}

/** @param {unknown} id */
function keyOf(id) {
  return typeof id === 'number' ? id : BSON.EJSON.stringify(id, { relaxed: false });
}

/**
 * @param {Document} document
 * @param {Collection<any>} collection
 */
function copy(document, { bsonOptions }) {
  return BSON.deserialize(BSON.serialize(document, bsonOptions), bsonOptions);
}

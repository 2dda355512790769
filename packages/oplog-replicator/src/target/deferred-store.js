import { Binary, BSON, ObjectId } from 'mongodb';
import { CHECKPOINT_DATABASE } from '../base/namespaces.js';
import { listDocuments } from './write-batch.js';

/** @import { SavedWrite } from './deferred-documents.js' */
/** @import { Target } from './target.js' */

const COLLECTION = 'deferred';
/** The server stores documents of up to 16 MB. What is deferred may be larger. */
const PIECE_BYTES = 8 << 20;
/** Stands for a document that is missing. */
const EMPTY = BSON.serialize({});

/**
 * Stores what is deferred, for the checkpoint to refer to.
 * @param {Target} target
 * @param {{ name: string, source: ObjectId }} checkpointId
 */
export function createDeferredStore(target, checkpointId) {
  // An earlier process may have left something.
  let mayHaveOthers = true;

  return {
    /** @param {ObjectId} set @returns {Promise<SavedWrite[]>} */
    async read(set) {
      const command = { find: COLLECTION, filter: { '_id.set': set }, sort: { _id: 1 } };
      const pieces = await target.deployment.readAll(CHECKPOINT_DATABASE, command);
      const documents = listDocuments({ pieces: [Buffer.concat(pieces.map(({ bytes }) => bytes.buffer))] });
      const writes = [];
      for (let next = 0; next < documents.length; next += 3) {
        const [header, id, document] = documents.slice(next, next + 3);
        const { name, reason } = BSON.deserialize(header);
        writes.push({ name, reason, id, document: document.length > EMPTY.length ? document : null });
      }
      return writes;
    },

    /** @param {SavedWrite[]} writes @returns {Promise<ObjectId>} the new set */
    async write(writes) {
      const set = new ObjectId();
      const bytes = Buffer.concat(
        writes.flatMap(({ name, reason, id, document }) => [BSON.serialize({ name, reason }), id, document ?? EMPTY]),
      );
      mayHaveOthers = true;
      for (let piece = 0; piece * PIECE_BYTES < bytes.length; piece++) {
        const part = new Binary(bytes.subarray(piece * PIECE_BYTES, (piece + 1) * PIECE_BYTES));
        const documents = [{ _id: { ...checkpointId, set, piece }, bytes: part }];
        await target.writeState(COLLECTION, { insert: COLLECTION, documents });
      }
      return set;
    },

    /** @param {ObjectId | null} set the current one */
    async deleteOthers(set) {
      if (!mayHaveOthers) return;
      const { name, source } = checkpointId;
      const q = { '_id.name': name, '_id.source': source, '_id.set': { $ne: set } };
      await target.writeState(COLLECTION, { delete: COLLECTION, deletes: [{ q, limit: 0 }] });
      mayHaveOthers = set !== null;
    },
  };
}

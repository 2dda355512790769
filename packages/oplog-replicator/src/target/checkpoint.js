import { explainRefusal } from '../errors.js';
import { CHECKPOINT_DATABASE } from '../namespaces.js';
import { positionAt, timestampOf } from '../source/position.js';

/** @import { MongoClient, ObjectId } from 'mongodb' */
/** @import { Position } from '../source/position.js' */

/**
 * @typedef {object} Progress
 * @property {Position} applied all up to this entry is on the target
 * @property {Position | null} since the entry after which a transaction begins whose end comes after `applied`
 *
 * @typedef {object} CheckpointStore
 * @property {() => Promise<Progress | null>} read
 * @property {(progress: Progress) => Promise<void>} write
 */

/**
 * A checkpoint in the target. It is written after what it stands for, to the same replica set: whatever is rolled back
 * or lost there takes the checkpoint along before that.
 *
 * @param {MongoClient} client of the target
 * @param {{ name: string, setId: ObjectId }} identity its name, and the replica set that is the source
 * @param {Record<string, unknown>} [writeConcern]
 * @returns {CheckpointStore}
 */
export function createCheckpoint(client, { name, setId }, writeConcern) {
  const _id = { name, source: setId };
  const checkpoints = client.db(CHECKPOINT_DATABASE).collection('checkpoints', { writeConcern });
  return {
    async read() {
      const found = await checkpoints.findOne({ _id: /** @type {any} */ (_id) });
      if (!found) return null;
      const { applied, since } = found;
      return { applied: positionAt(applied.ts, applied.term), since: since && positionAt(since.ts, since.term) };
    },
    async write({ applied, since }) {
      const store = (/** @type {Position} */ position) => ({ ts: timestampOf(position), term: position.term });
      const checkpoint = { applied: store(applied), since: since && store(since), at: new Date() };
      try {
        await checkpoints.replaceOne({ _id: /** @type {any} */ (_id) }, checkpoint, { upsert: true });
      } catch (error) {
        throw explainRefusal(error, checkpoints.namespace);
      }
    },
  };
}

/** @returns {CheckpointStore} for a replication that writes nothing */
export function createMemoryCheckpoint() {
  /** @type {Progress | null} */
  let kept = null;
  return {
    read: async () => kept,
    write: async (progress) => { kept = progress; },
  };
}

import { Binary, BSON, ObjectId } from 'mongodb';
import { DUPLICATE_KEY } from '../base/errors.js';
import { CHECKPOINT_DATABASE } from '../base/namespaces.js';
import { positionAt, timestampOf } from '../source/position.js';
import { listDocuments } from './write-batch.js';

/** @import { Position } from '../source/position.js' */
/** @import { SavedWrite } from './deferred-documents.js' */
/** @import { Target } from './target.js' */

const DEFERRED_COLLECTION = 'deferred';
/** The server stores documents of up to 16 MB. What is deferred may be larger. */
const PIECE_BYTES = 8 << 20;
/** Stands for a document that is missing. */
const EMPTY = BSON.serialize({});

/**
 * Stores what is deferred, for the checkpoint to refer to.
 * @param {Target} target
 * @param {{ name: string, source: ObjectId }} checkpointId
 */
function createDeferredStore(target, checkpointId) {
  // An earlier process may have left something.
  let mayHaveOthers = true;

  return {
    /** @param {ObjectId} set @returns {Promise<SavedWrite[]>} */
    async read(set) {
      const command = { find: DEFERRED_COLLECTION, filter: { '_id.set': set }, sort: { _id: 1 } };
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
        await target.writeState(DEFERRED_COLLECTION, { insert: DEFERRED_COLLECTION, documents });
      }
      return set;
    },

    /** @param {ObjectId | null} set the current one */
    async deleteOthers(set) {
      if (!mayHaveOthers) return;
      const { name, source } = checkpointId;
      const q = { '_id.name': name, '_id.source': source, '_id.set': { $ne: set } };
      await target.writeState(DEFERRED_COLLECTION, { delete: DEFERRED_COLLECTION, deletes: [{ q, limit: 0 }] });
      mayHaveOthers = set !== null;
    },
  };
}

const COLLECTION = 'checkpoints';

/**
 * @typedef {object} OplogProgress
 * @property {Position} applied the target has every entry up to this one, except for what is deferred
 * @property {Position | null} since where to read from instead, when a transaction that ends after `applied` began
 *   earlier
 * @property {SavedWrite[]} [deferred] default: nothing
 *
 * @typedef {object} CheckpointStore
 * @property {() => Promise<void>} claim from now on, only this process can write it
 * @property {() => Promise<OplogProgress | null>} read
 * @property {(progress: OplogProgress) => Promise<void>} write
 */

/**
 * The target itself stores the checkpoint, after a majority has the writes it covers. So if the target loses some
 * writes, no checkpoint covers them.
 *
 * @param {Target} target
 * @param {{ name: string, setId: ObjectId }} identity name of the checkpoint, id of the source's replica set
 * @returns {CheckpointStore}
 */
export function createCheckpoint(target, { name, setId }) {
  const _id = { name, source: setId };
  const deferredStore = createDeferredStore(target, _id);
  const { lease } = target;

  /** @param {Record<string, unknown>} update */
  const update = (update) => target.writeState(COLLECTION, { update: COLLECTION, updates: [update] });

  return {
    claim: () => update({ q: { _id }, u: { $set: { holder: lease.id } } }),
    async read() {
      const [found] = await target.deployment.list(CHECKPOINT_DATABASE, {
        find: COLLECTION,
        filter: { _id },
        limit: 1,
      });
      if (!found) return null;
      const { applied, since } = found;
      return {
        applied: positionAt(applied.ts, applied.term),
        since: since && positionAt(since.ts, since.term),
        deferred: found.deferred ? await deferredStore.read(found.deferred) : [],
      };
    },
    async write({ applied, since, deferred = [] }) {
      const store = (/** @type {Position} */ position) => ({ ts: timestampOf(position), term: position.term });
      const set = deferred.length > 0 ? await deferredStore.write(deferred) : null;
      const checkpoint = { applied: store(applied), since: since && store(since), deferred: set, at: new Date() };
      await target.confirm();
      // If another process has claimed it, this would insert a second one with the same _id.
      await update({ q: { _id, holder: lease.id }, u: { ...checkpoint, holder: lease.id }, upsert: true }).catch(
        (error) => (error.code === DUPLICATE_KEY ? lease.lose() : Promise.reject(error)),
      );
      await deferredStore.deleteOthers(set);
    },
  };
}

/** @returns {CheckpointStore} for a dry run */
export function createMemoryCheckpoint() {
  /** @type {OplogProgress | null} */
  let saved = null;
  return {
    claim: async () => {},
    read: async () => saved,
    write: async (progress) => {
      saved = progress;
    },
  };
}

/** Saves the checkpoint now, or within `everyMs`. */
export class CheckpointTimer {
  #options;
  /** @type {NodeJS.Timeout | undefined} */
  #timer;
  #saved = '';
  /** One write at a time, so that an older checkpoint never overwrites a newer one. */
  #writing = Promise.resolve();

  /**
   * @param {object} options
   * @param {() => OplogProgress} options.progress
   * @param {CheckpointStore['write']} options.write
   * @param {number} options.everyMs
   * @param {(error: unknown) => void} options.onError called when a scheduled save fails
   */
  constructor(options) {
    this.#options = options;
  }

  save() {
    this.#writing = this.#writing.then(() => this.#saveNow());
    return this.#writing;
  }

  schedule() {
    const { everyMs, onError } = this.#options;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.save().catch(onError);
    }, everyMs);
  }

  stop() {
    clearTimeout(this.#timer);
  }

  async #saveNow() {
    const progress = this.#options.progress();
    const { applied, since } = progress;
    const text = JSON.stringify([applied, since]);
    if (text === this.#saved) return;
    await this.#options.write(progress);
    this.#saved = text;
  }
}

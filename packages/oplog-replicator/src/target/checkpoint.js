import { CHECKPOINT_DATABASE } from '../namespaces.js';
import { positionAt, timestampOf } from '../source/position.js';

/** @import { ObjectId } from 'mongodb' */
/** @import { Position } from '../source/position.js' */
/** @import { Target } from './target.js' */

const COLLECTION = 'checkpoints';
const NAMESPACE = `${CHECKPOINT_DATABASE}.${COLLECTION}`;

/**
 * @typedef {object} Progress
 * @property {Position} applied the target has every entry up to this one
 * @property {Position | null} since where to read from instead, when a transaction that ends after `applied` began earlier
 *
 * @typedef {object} CheckpointStore
 * @property {() => Promise<Progress | null>} read
 * @property {(progress: Progress) => Promise<void>} write
 */

/**
 * The target itself stores the checkpoint, after a majority has the writes it covers. So if the target loses some writes, no
 * checkpoint covers them.
 *
 * @param {Target} target
 * @param {{ name: string, setId: ObjectId }} identity name of the checkpoint, id of the source's replica set
 * @returns {CheckpointStore}
 */
export function createCheckpoint(target, { name, setId }) {
  const _id = { name, source: setId };
  return {
    async read() {
      const [found] = await target.end.list(CHECKPOINT_DATABASE, { find: COLLECTION, filter: { _id }, limit: 1 });
      if (!found) return null;
      const { applied, since } = found;
      return { applied: positionAt(applied.ts, applied.term), since: since && positionAt(since.ts, since.term) };
    },
    async write({ applied, since }) {
      const store = (/** @type {Position} */ position) => ({ ts: timestampOf(position), term: position.term });
      const checkpoint = { applied: store(applied), since: since && store(since), at: new Date() };
      const updates = [{ q: { _id }, u: checkpoint, upsert: true }];
      await target.confirm();
      const { writeErrors } = await target.runWrite(CHECKPOINT_DATABASE, { update: COLLECTION, updates }, `a write to ${NAMESPACE}`);
      if (writeErrors) throw new Error(`the target refused a write to ${NAMESPACE}: ${writeErrors[0].errmsg}`);
    },
  };
}

/** @returns {CheckpointStore} for a dry run */
export function createMemoryCheckpoint() {
  /** @type {Progress | null} */
  let saved = null;
  return {
    read: async () => saved,
    write: async (progress) => { saved = progress; },
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
   * @param {() => Progress} options.progress
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
    const text = JSON.stringify(progress);
    if (text === this.#saved) return;
    await this.#options.write(progress);
    this.#saved = text;
  }
}

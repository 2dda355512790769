/**
 * @typedef {object} Figures of a replication, so far or at its end
 * @property {number} ops operations applied, or discarded in a dry run
 * @property {number} inserts
 * @property {number} updates
 * @property {number} deletes
 * @property {number} commands such as create and createIndexes
 * @property {number} noops of the source, and commands that need nothing on the target
 * @property {number} migrations entries of chunk migrations
 * @property {number} excluded entries that the namespace filter excludes
 * @property {number} internal entries of databases that only the server needs
 * @property {number} unsupported entries that the replicator can't apply, for example of views and time series
 * @property {number} batches
 * @property {number} bytes of the batches
 * @property {number} backlog operations that are waiting or being written
 * @property {number[]} backlogByWorker
 * @property {number} lagMs since the source executed the oldest operation not yet written, by the clocks of source and
 *   replicator; 0 if there is none. While the source is silent, since it was last heard of
 * @property {CopyFigures | null} copy null: none was needed
 * @property {number} tookMs since the replication began
 *
 * @typedef {object} CopyFigures of the copy of what was there
 * @property {'copying' | 'catching up' | 'building indexes' | 'done'} phase catching up: with what the source has
 *   changed during the copy
 * @property {number} documents copied, also by earlier processes
 * @property {number} bytes copied
 * @property {number} totalDocuments what the source had when the copy began, about
 * @property {number} totalBytes
 * @property {number} indexes built
 * @property {number} totalIndexes
 */

const FIGURE_OF = /** @type {const} */ ({ insert: 'inserts', update: 'updates', delete: 'deletes' });

/** @returns {CopyFigures} */
export function createCopyFigures() {
  return { phase: 'copying', documents: 0, bytes: 0, totalDocuments: 0, totalBytes: 0, indexes: 0, totalIndexes: 0 };
}

export class Counters {
  ops = 0;
  inserts = 0;
  updates = 0;
  deletes = 0;
  commands = 0;
  noops = 0;
  migrations = 0;
  excluded = 0;
  internal = 0;
  unsupported = 0;
  batches = 0;
  bytes = 0;

  /** @param {{ kinds: (keyof typeof FIGURE_OF)[], documents: { length: number } }} batch written */
  addBatch({ kinds, documents }) {
    this.ops += kinds.length;
    for (const kind of kinds) this[FIGURE_OF[kind]]++;
    this.batches++;
    this.bytes += documents.length;
  }

  addCommand() {
    this.ops++;
    this.commands++;
  }

  /** Entries that were applied or skipped. */
  get processed() {
    return this.ops + this.noops + this.migrations + this.excluded + this.internal + this.unsupported;
  }
}

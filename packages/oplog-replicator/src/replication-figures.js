/** @import { WriteBatch } from './target/write-batch.js' */

/**
 * @typedef {object} Figures of a replication, so far or at its end
 * @property {number} ops operations applied, or discarded in a dry run
 * @property {number} inserts
 * @property {number} updates
 * @property {number} deletes
 * @property {number} commands such as create and createIndexes
 * @property {number} filtered no-ops, chunk migrations, and what the namespace filter excludes
 * @property {number} batches
 * @property {number} bytes of the batches
 * @property {number} backlog operations that are waiting or being written
 * @property {number[]} backlogByWorker
 * @property {number} lagMs since the source executed the oldest operation not yet written, by the clocks of source and
 *   replicator; 0 if there is none. While the source is silent, since it was last heard of
 * @property {number} tookMs since the replication began
 */

const FIGURE_OF = /** @type {const} */ ({ insert: 'inserts', update: 'updates', modify: 'updates', delete: 'deletes' });

export class Counters {
  ops = 0;
  inserts = 0;
  updates = 0;
  deletes = 0;
  commands = 0;
  filtered = 0;
  batches = 0;
  bytes = 0;

  /** @param {WriteBatch} batch */
  addBatch({ kind, count, documents }) {
    this.ops += count;
    this[FIGURE_OF[kind]] += count;
    this.batches++;
    this.bytes += documents.length;
  }

  addCommand() {
    this.ops++;
    this.commands++;
  }
}

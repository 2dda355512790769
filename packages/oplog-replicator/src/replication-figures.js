/** @import { WriteBatch } from './workers/write-batch.js' */

/**
 * @typedef {object} Figures of a replication, up to now or at its end
 * @property {number} ops operations that were written, or thrown away
 * @property {number} inserts
 * @property {number} updates
 * @property {number} deletes
 * @property {number} commands such as create and createIndexes
 * @property {number} skipped no-ops, and what the filter leaves out
 * @property {number} batches writes that the operations were merged into
 * @property {number} bytes of the operations
 * @property {number} queued operations that wait, or are being written
 * @property {number[]} queueDepths of them, by worker
 * @property {number} lagMs how long ago the oldest operation happened that is not written yet, by the clocks of source
 *   and replicator; 0 when all are
 * @property {number} tookMs since the replication began
 */

const COUNTERS = /** @type {const} */ ({ insert: 'inserts', update: 'updates', modify: 'updates', delete: 'deletes' });

/** Counts what is done. */
export function createCounts() {
  const counters = { ops: 0, inserts: 0, updates: 0, deletes: 0, commands: 0, skipped: 0, batches: 0, bytes: 0 };
  return {
    counters,
    /** @param {WriteBatch} batch */
    addBatch({ kind, count, documents }) {
      counters.ops += count;
      counters[COUNTERS[kind]] += count;
      counters.batches++;
      counters.bytes += documents.length;
    },
    addCommand() {
      counters.ops++;
      counters.commands++;
    },
  };
}

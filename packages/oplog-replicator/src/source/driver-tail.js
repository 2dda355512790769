import { readCursorBatch } from '../bson/cursor-batch.js';
import { NoEntryError } from '../errors.js';
import { createFind, createGetMore, CURSOR_CLOSED } from './oplog.js';

/** @import { End } from '../end.js' */
/** @import { EntryBatch } from './op-msg.js' */
/** @import { Tail } from './open-tail.js' */
/** @import { Position } from './position.js' */

/**
 * Reads an oplog through the driver, which supports every connection string. While the caller works on a batch, the next
 * one is on its way.
 *
 * @param {End} end
 * @param {object} options
 * @param {Position} options.from the entry to begin with; if it does not exist, the next one
 * @param {number} options.batchSize entries
 * @returns {Tail}
 */
export function createDriverTail(end, { from, batchSize }) {
  const session = end.startSession();
  const closing = new AbortController();
  // An error is thrown when the caller asks for the batch.
  let next = read(createFind(from, batchSize));
  next.catch(() => {});

  /** @param {Record<string, unknown>} command @returns {Promise<EntryBatch & { cursorId: bigint }>} */
  async function read(command) {
    const { cursor: bytes } = await end.command('local', command, { session, raw: true, signal: closing.signal });
    const { starts, cursorId } = readCursorBatch(bytes, 0);
    if (cursorId === 0n) throw new NoEntryError(end.name, CURSOR_CLOSED);
    return { bytes, starts, cursorId, isFull: starts.length === batchSize };
  }

  return {
    async next() {
      try {
        const batch = await next;
        next = read(createGetMore(batch.cursorId, batchSize));
        next.catch(() => {});
        return closing.signal.aborted ? null : batch;
      } catch (error) {
        if (closing.signal.aborted) return null;
        throw error;
      }
    },
    async close() {
      closing.abort();
      await next.catch(() => {});
      await session.endSession();
    },
  };
}

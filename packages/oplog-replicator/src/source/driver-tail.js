import { readCursorBatch } from '../bson/decode.js';
import { NoEntryError } from '../base/errors.js';
import { createFind, createGetMore, CURSOR_CLOSED } from './oplog.js';

/** @import { Deployment } from '../base/deployment.js' */
/** @import { OplogTail, OplogBatch } from './oplog.js' */
/** @import { Position } from './position.js' */

/**
 * Reads an oplog through the driver, which supports every connection string. While the caller works on a batch, the
 * next one is on its way.
 *
 * @param {Deployment} deployment
 * @param {object} options
 * @param {Position} options.from the entry to begin with; if it does not exist, the next one
 * @param {number} options.batchSize entries
 * @returns {OplogTail}
 */
export function createDriverTail(deployment, { from, batchSize }) {
  const session = deployment.startSession();
  const closing = new AbortController();
  // An error is thrown when the caller asks for the batch.
  let next = read(createFind(from, batchSize));
  next.catch(() => {});

  /** @param {Record<string, unknown>} command @returns {Promise<OplogBatch & { cursorId: bigint }>} */
  async function read(command) {
    const { cursor: bytes } = await deployment.command('local', command, {
      session,
      raw: true,
      signal: closing.signal,
    });
    const { starts, cursorId } = readCursorBatch(bytes, 0);
    if (cursorId === 0n) throw new NoEntryError(deployment.name, CURSOR_CLOSED);
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

import { readInt } from '../bson/bytes.js';
import { timestampOf } from './position.js';

/** @import { MongoClient } from 'mongodb' */
/** @import { Tail } from './open-tail.js' */
/** @import { Position } from './position.js' */

/** How long the server waits for an entry before it returns an empty batch. */
const AWAIT_MS = 1000;

/**
 * Reads an oplog through the driver, which supports every connection string.
 *
 * @param {object} options
 * @param {MongoClient} options.client
 * @param {Position} options.from the entry to begin with; if it does not exist, the next one
 * @param {number} options.batchSize entries
 * @returns {Tail}
 */
export function createDriverTail({ client, from, batchSize }) {
  const cursor = client.db('local').collection('oplog.rs').find({ ts: { $gte: timestampOf(from) } }, {
    tailable: true, awaitData: true, maxAwaitTimeMS: AWAIT_MS, batchSize, raw: true, readConcern: { level: 'majority' },
  });
  let isClosed = false;

  async function readBatch() {
    const first = await cursor.tryNext();
    if (!first && cursor.closed) throw new Error('the source closed the cursor on its oplog');
    const bytes = Buffer.concat(/** @type {any[]} */ (first ? [first, ...cursor.readBufferedDocuments()] : []));
    const starts = [];
    for (let start = 0; start < bytes.length; start += readInt(bytes, start)) starts.push(start);
    return { bytes, starts, isFull: starts.length === batchSize };
  }

  return {
    async next() {
      try {
        return isClosed ? null : await readBatch();
      } catch (error) {
        if (isClosed) return null;
        throw error;
      }
    },
    async close() {
      isClosed = true;
      await cursor.close();
    },
  };
}

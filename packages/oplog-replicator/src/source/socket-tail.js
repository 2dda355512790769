import { connect } from 'node:net';
import { readInt } from '../bson/bytes.js';
import { LineBrokeError } from '../errors.js';
import { HEADER_BYTES, readBatch, writeMessage } from './op-msg.js';
import { timestampOf } from './position.js';

/** @import { Position } from './position.js' */

/** How long the server waits for an entry before it says that there is none: also its sign of life. */
const AWAIT_MS = 5000;
/** A line that is silent for longer is taken for cut. */
const SILENT_MS = 3 * AWAIT_MS;
const FIRST_BYTES = 1 << 20;

/**
 * Tail an oplog over a socket of its own. The driver hands out each entry in an object and in a buffer of its own, and
 * reads a message into several buffers before that: it reads an oplog at a fifth of the speed. Here the server sends
 * batch after batch without being asked again (`exhaust`), each is read into one of two buffers that are used in turn,
 * and entries are not touched.
 *
 * The socket neither logs in nor encrypts: for a source that wants one of these there is the driver's way. Tests hold
 * that both read the same.
 *
 * @param {object} options
 * @param {{ host: string, port: number }} options.address of the primary
 * @param {Position} options.from the first entry, or the next if there is none
 * @param {number} options.batchSize entries
 * @returns {import('./open-tail.js').Tail}
 */
export function createSocketTail({ address, from, batchSize }) {
  const find = {
    find: 'oplog.rs', filter: { ts: { $gte: timestampOf(from) } }, tailable: true, awaitData: true, batchSize,
    readConcern: { level: 'majority' }, $db: 'local',
  };
  let requests = 0;
  // One is read while the other is filled.
  const buffers = [Buffer.allocUnsafeSlow(FIRST_BYTES), Buffer.allocUnsafeSlow(FIRST_BYTES)];
  let filling = 0;
  let length = 0;
  /** How many bytes the message has that is being read; its header's, until that says. */
  let size = HEADER_BYTES;
  /** @type {Buffer | null} read whole, not taken yet */
  let message = null;
  /** @type {Error | null} */
  let failure = null;
  let isClosed = false;
  let notify = () => {};

  const socket = connect({
    ...address,
    noDelay: true,
    // Reads exactly to the end of a message, so that none has to be moved or put together.
    onread: { buffer: () => buffers[filling].subarray(length, size), callback: onRead },
  });
  socket.setTimeout(SILENT_MS);
  socket.on('timeout', () => socket.destroy(new Error(`it was silent for ${SILENT_MS} ms`)));
  socket.on('error', fail);
  socket.on('close', () => fail(new Error('the source closed the connection')));
  send(find);

  /** @param {number} count */
  function onRead(count) {
    length += count;
    if (length < size) return true;
    if (size === HEADER_BYTES) {
      size = readInt(buffers[filling], 0);
      if (size > buffers[filling].length) {
        const larger = Buffer.allocUnsafeSlow(size);
        buffers[filling].copy(larger, 0, 0, HEADER_BYTES);
        buffers[filling] = larger;
      }
      return true;
    }
    message = buffers[filling].subarray(0, size);
    filling = 1 - filling;
    length = 0;
    size = HEADER_BYTES;
    socket.setTimeout(0);
    notify();
    // Whoever took the last batch may still read from the other buffer: pause.
    return false;
  }

  /** @param {Error} cause */
  function fail(cause) {
    failure ??= new LineBrokeError(`the line to the source broke: ${cause.message}`, { cause });
    notify();
  }

  /** @param {Record<string, unknown>} command @param {{ exhaust?: boolean }} [options] */
  function send(command, options) {
    socket.write(writeMessage(++requests, command, options));
  }

  return {
    async next() {
      while (!message && !failure) await new Promise((resolve) => { notify = () => resolve(undefined); });
      if (isClosed) return null;
      if (!message) throw failure;
      const batch = readBatch(message);
      message = null;
      if (!batch.moreToCome) {
        if (batch.cursorId === 0n) throw new Error('the source closed the cursor on its oplog');
        send({
          getMore: batch.cursorId, collection: 'oplog.rs', batchSize, maxTimeMS: AWAIT_MS, $db: 'local',
        }, { exhaust: true });
      }
      socket.setTimeout(SILENT_MS).resume();
      return { ...batch, isFull: batch.starts.length === batchSize };
    },
    async close() {
      isClosed = true;
      socket.destroy();
    },
  };
}

import { connect } from 'node:net';
import { BSON } from 'mongodb';
import { readInt, OBJECT, walk, writeInt } from '../bson/bytes.js';
import { ConnectionLostError, DeploymentError, NoAnswerError, NoEntryError } from '../base/errors.js';
import { createFind, createGetMore, CURSOR_CLOSED } from './oplog.js';
import { readCursorBatch } from '../bson/decode.js';

/** @import { OplogBatch } from './oplog.js' */
/** @import { Deployment } from '../base/deployment.js' */
/** @import { Position } from './position.js' */

// OP_MSG, the message format of drivers and servers: a header (length, request id, response to, opcode), flags,
// sections.
// https://www.mongodb.com/docs/manual/reference/mongodb-wire-protocol/#op_msg

const HEADER_BYTES = 16;

const OP_MSG = 2013;
const MORE_TO_COME = 1 << 1;
const EXHAUST_ALLOWED = 1 << 16;
/** After the header come the flags and the kind of the first section, which is a document. */
const BODY = HEADER_BYTES + 5;

/**
 * @param {number} id
 * @param {Record<string, unknown>} command with its `$db`
 * @param {{ exhaust?: boolean }} [options] exhaust: the server may send many responses
 */
function writeMessage(id, command, { exhaust = false } = {}) {
  const body = BSON.serialize(command);
  const message = Buffer.alloc(BODY + body.length);
  writeInt(message, 0, message.length);
  writeInt(message, 4, id);
  writeInt(message, 12, OP_MSG);
  writeInt(message, HEADER_BYTES, exhaust ? EXHAUST_ALLOWED : 0);
  message.set(body, BODY);
  return message;
}

/**
 * @param {Buffer} message the complete response to `find` or `getMore`
 * @returns {Omit<OplogBatch, 'isFull'> & { cursorId: bigint, moreToCome: boolean }} moreToCome: another response
 *   follows without a request
 * @throws {Error} the server's, with its `code`
 */
function readBatch(message) {
  /** @type {ReturnType<typeof readCursorBatch> | undefined} */
  let batch;
  walk(message, BODY, (type, element, value) => {
    if (type === OBJECT && isNamed(message, element, 'cursor')) batch = readCursorBatch(message, value);
    return batch !== undefined;
  });
  if (!batch) {
    const { errmsg, code, codeName } = BSON.deserialize(message.subarray(BODY));
    throw Object.assign(new Error(errmsg), { code, codeName });
  }
  const moreToCome = (readInt(message, HEADER_BYTES) & MORE_TO_COME) !== 0;
  return { bytes: message, ...batch, moreToCome };
}

/** @param {Buffer} bytes @param {number} element @param {string} name */
function isNamed(bytes, element, name) {
  return bytes.toString('latin1', element + 1, element + 2 + name.length) === `${name}\0`;
}

const INITIAL_BYTES = 1 << 20;

/**
 * Reads an oplog through a plain socket, five times as fast as through the driver, which copies each message several
 * times and makes an object and a buffer for each entry. Here the server sends batch after batch without further
 * requests (`exhaust`), and they fill two buffers in turn.
 *
 * It supports neither authentication nor TLS. A source that needs one of them is read through the driver.
 */
export class SocketTail {
  #deployment;
  #batchSize;
  #socket;
  #requests = 0;
  /** One is filled while the caller reads the other. */
  #buffers = [Buffer.allocUnsafeSlow(INITIAL_BYTES), Buffer.allocUnsafeSlow(INITIAL_BYTES)];
  #filling = 0;
  #length = 0;
  /** Bytes to read: the header, then the message. */
  #size = HEADER_BYTES;
  /** @type {Buffer | null} complete, and not yet taken */
  #message = null;
  /** @type {Error | null} */
  #failure = null;
  #isClosed = false;
  #notify = () => {};

  /**
   * @param {Pick<Deployment, 'name' | 'maxSilenceMs'>} deployment
   * @param {object} options
   * @param {{ host: string, port: number }} options.address of the primary
   * @param {Position} options.from the entry to begin with; if it does not exist, the next one
   * @param {number} options.batchSize entries
   */
  constructor(deployment, { address, from, batchSize }) {
    this.#deployment = deployment;
    this.#batchSize = batchSize;
    this.#socket = connect({
      ...address,
      noDelay: true,
      // Reads exactly up to the end of a message, so that none has to be copied.
      onread: {
        buffer: () => this.#buffers[this.#filling].subarray(this.#length, this.#size),
        callback: (count) => this.#onRead(count),
      },
    });
    this.#socket.setTimeout(deployment.maxSilenceMs);
    this.#socket.on('timeout', () => this.#socket.destroy(new NoAnswerError(deployment.maxSilenceMs)));
    this.#socket.on('error', (error) => this.#fail(error));
    this.#socket.on('close', () => this.#fail(new Error('it was closed')));
    this.#send(createFind(from, batchSize));
  }

  /** @returns {Promise<OplogBatch | null>} */
  async next() {
    while (!this.#message && !this.#failure)
      await new Promise((resolve) => {
        this.#notify = () => resolve(undefined);
      });
    if (this.#isClosed) return null;
    if (!this.#message) throw this.#failure;
    const batch = this.#takeBatch(this.#message);
    this.#message = null;
    if (!batch.moreToCome) {
      if (batch.cursorId === 0n) throw new NoEntryError(this.#deployment.name, CURSOR_CLOSED);
      this.#send(createGetMore(batch.cursorId, this.#batchSize), { exhaust: true });
    }
    this.#socket.setTimeout(this.#deployment.maxSilenceMs).resume();
    return { ...batch, isFull: batch.starts.length === this.#batchSize };
  }

  async close() {
    this.#isClosed = true;
    this.#socket.destroy();
  }

  /** @param {Buffer} message */
  #takeBatch(message) {
    try {
      return readBatch(message);
    } catch (cause) {
      throw new DeploymentError(this.#deployment.name, /** @type {Error} */ (cause).message, cause);
    }
  }

  /** @param {number} count bytes @returns {boolean} whether to continue reading */
  #onRead(count) {
    this.#length += count;
    if (this.#length < this.#size) return true;
    const buffer = this.#buffers[this.#filling];
    if (this.#size === HEADER_BYTES) {
      this.#size = readInt(buffer, 0);
      if (this.#size > buffer.length) {
        const larger = Buffer.allocUnsafeSlow(this.#size);
        buffer.copy(larger, 0, 0, HEADER_BYTES);
        this.#buffers[this.#filling] = larger;
      }
      return true;
    }
    this.#message = buffer.subarray(0, this.#size);
    this.#filling = 1 - this.#filling;
    this.#length = 0;
    this.#size = HEADER_BYTES;
    this.#socket.setTimeout(0);
    this.#notify();
    // Pause: the caller may still be reading the last batch from the other buffer.
    return false;
  }

  /** @param {Error} cause */
  #fail(cause) {
    this.#failure ??= new DeploymentError(
      this.#deployment.name,
      `the connection was lost: ${cause.message}`,
      new ConnectionLostError(cause.message, { cause }),
    );
    this.#notify();
  }

  /** @param {Record<string, unknown>} command @param {{ exhaust?: boolean }} [options] */
  #send(command, options) {
    this.#socket.write(writeMessage(++this.#requests, { ...command, $db: 'local' }, options));
  }
}

import { BSON } from 'mongodb';
import { OBJECT, readInt, walk, writeInt } from '../bson/bytes.js';
import { readCursorBatch } from '../bson/cursor-batch.js';

/** @import { OplogBatch } from './oplog.js' */

// OP_MSG, the message format of drivers and servers: a header (length, request id, response to, opcode), flags,
// sections.
// https://www.mongodb.com/docs/manual/reference/mongodb-wire-protocol/#op_msg

export const HEADER_BYTES = 16;

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
export function writeMessage(id, command, { exhaust = false } = {}) {
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
export function readBatch(message) {
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

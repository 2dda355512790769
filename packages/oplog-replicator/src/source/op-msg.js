import { BSON } from 'mongodb';
import { ARRAY, LONG, OBJECT, readInt, skipName, walk, writeInt } from '../bson/bytes.js';

// OP_MSG, the message format of drivers and servers: a header (length, request id, response to, opcode), flags, sections.
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
 * @typedef {object} EntryBatch entries of an oplog as the source sent them
 * @property {Buffer} bytes valid until the next batch is requested
 * @property {number[]} starts where each entry begins
 * @property {boolean} isFull if so, the source probably has more entries
 */

/**
 * @param {Buffer} message the complete response to `find` or `getMore`
 * @returns {Omit<EntryBatch, 'isFull'> & { cursorId: bigint, moreToCome: boolean }} moreToCome: another response follows
 *   without a request
 * @throws {Error} the server's, with its `code`
 */
export function readBatch(message) {
  const starts = /** @type {number[]} */ ([]);
  let cursorId;
  walk(message, BODY, (type, element, value) => {
    if (type !== OBJECT || !isNamed(message, element, 'cursor')) return false;
    walk(message, value, (innerType, inner, innerValue) => {
      if (innerType === LONG && isNamed(message, inner, 'id')) cursorId = message.readBigInt64LE(innerValue);
      // firstBatch or nextBatch is the only array.
      if (innerType === ARRAY) listStarts(message, innerValue, starts);
    });
    return true;
  });
  if (cursorId === undefined) {
    const { errmsg, code, codeName } = BSON.deserialize(message.subarray(BODY));
    throw Object.assign(new Error(errmsg), { code, codeName });
  }
  const moreToCome = (readInt(message, HEADER_BYTES) & MORE_TO_COME) !== 0;
  return { bytes: message, starts, cursorId, moreToCome };
}

/** @param {Buffer} bytes @param {number} array @param {number[]} starts */
function listStarts(bytes, array, starts) {
  for (let at = array + 4; bytes[at] !== 0;) {
    const start = skipName(bytes, at + 1);
    starts.push(start);
    at = start + readInt(bytes, start);
  }
}

/** @param {Buffer} bytes @param {number} element @param {string} name */
function isNamed(bytes, element, name) {
  return bytes.toString('latin1', element + 1, element + 2 + name.length) === `${name}\0`;
}

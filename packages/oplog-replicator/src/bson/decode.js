import { BSON } from 'mongodb';
import { ARRAY, nameOf, OBJECT, readInt, walk, writeInt, LONG, skipName } from './bytes.js';

/** Keeps BSON types: a double remains a double. */
const EXACT = { promoteValues: false, promoteLongs: false, promoteBuffers: false, bsonRegExp: true };

/**
 * Parses a small document that the driver will send again. Inner documents become Maps, because an object puts names
 * that look like numbers first, and an index on `{ 1: 1, b: 1 }` is not one on `{ b: 1, 1: 1 }`.
 *
 * @param {Buffer} bytes
 * @param {number} start
 * @returns {Record<string, any>}
 */
export function decodeDocument(bytes, start) {
  return Object.fromEntries(decodeElements(bytes, start));
}

/** @param {Buffer} bytes @param {number} element @param {number} value where its value begins @param {number} end */
function decodeValue(bytes, element, value, end) {
  const type = bytes[element];
  if (type === OBJECT) return new Map(decodeElements(bytes, value));
  if (type === ARRAY) return decodeElements(bytes, value).map(([, one]) => one);
  const document = Buffer.concat([Buffer.alloc(4), bytes.subarray(element, end), Buffer.alloc(1)]);
  writeInt(document, 0, document.length);
  return Object.values(BSON.deserialize(document, EXACT))[0];
}

/** @param {Buffer} bytes @param {number} start @returns {[string, any][]} */
function decodeElements(bytes, start) {
  const own = bytes.subarray(start, start + readInt(bytes, start));
  /** @type {[string, any][]} */
  const elements = [];
  walk(own, 0, (_, element, value, end) => {
    elements.push([nameOf(own, element, value), decodeValue(own, element, value, end)]);
  });
  return elements;
}

/**
 * Finds the documents in the `cursor` of an answer to `find` or `getMore`, without parsing them.
 *
 * @param {Buffer} bytes
 * @param {number} cursor where the document `{ id, ns, firstBatch or nextBatch }` begins
 * @returns {{ cursorId: bigint, starts: number[] }} where each document begins; the id is 0 once the cursor is closed
 */
export function readCursorBatch(bytes, cursor) {
  const starts = /** @type {number[]} */ ([]);
  let cursorId = 0n;
  walk(bytes, cursor, (type, element, value) => {
    // The only values of these types.
    if (type === LONG) cursorId = bytes.readBigInt64LE(value);
    if (type === ARRAY) listStarts(bytes, value, starts);
  });
  return { cursorId, starts };
}

/** @param {Buffer} bytes @param {number} array @param {number[]} starts */
function listStarts(bytes, array, starts) {
  for (let at = array + 4; bytes[at] !== 0;) {
    const start = skipName(bytes, at + 1);
    starts.push(start);
    at = start + readInt(bytes, start);
  }
}

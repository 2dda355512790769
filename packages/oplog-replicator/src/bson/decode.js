import { BSON } from 'mongodb';
import { ARRAY, nameOf, OBJECT, readInt, walk, writeInt } from './bytes.js';

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

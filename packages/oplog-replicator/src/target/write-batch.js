import { BsonWriter } from '../bson/bson-writer.js';
import { findId, readInt, sizeOf } from '../bson/bytes.js';

/** @import { Namespace } from '../namespaces.js' */
/** @import { Position } from '../source/position.js' */

/**
 * @typedef {'insert' | 'update' | 'delete'} Kind
 *
 * @typedef {object} WriteBatch operations on one collection, which are written together
 * @property {Namespace} namespace
 * @property {Position} after the entry before its first operation
 * @property {number} happenedMs when the source executed its first operation, in ms since 1970
 * @property {Kind[]} kinds of its operations, in order
 * @property {number} memory that it takes, in bytes
 * @property {BsonWriter} documents back to back, in order; insert: the document; delete: `{ _id }`; update: `{ _id }`,
 *   then the change
 */

const ID_NAME_BYTES = 5;

/** @param {BsonWriter} out @param {Buffer} bytes @param {number} start of a document */
export function appendDocument(out, bytes, start) {
  out.copy(bytes, start, start + readInt(bytes, start));
}

/** @param {Buffer} document @returns {Buffer} the document `{ _id }` */
export function idOf(document) {
  const id = new BsonWriter(64);
  appendId(id, document, findId(document, 0));
  return id.bytes;
}

/** @param {Buffer} bytes documents back to back @returns {Buffer[]} views of each */
export function listDocuments(bytes) {
  const documents = [];
  for (let start = 0; start < bytes.length;) {
    const end = start + readInt(bytes, start);
    documents.push(bytes.subarray(start, end));
    start = end;
  }
  return documents;
}

/**
 * Appends the document `{ _id }`.
 * @param {BsonWriter} out @param {Buffer} bytes @param {number} element where an element `_id` begins
 */
export function appendId(out, bytes, element) {
  const value = element + ID_NAME_BYTES;
  out.document(() => out.copy(bytes, element, value + sizeOf(bytes, bytes[element], value)));
}

import { BsonWriter } from '../bson/bson-writer.js';
import { findId, readInt, sizeOf } from '../bson/bytes.js';

/** @import { Namespace } from '../namespaces.js' */
/** @import { Position } from '../source/position.js' */

/**
 * @typedef {'insert' | 'update' | 'modify' | 'delete'} Kind update: by a replacement or a diff; modify: by modifiers such
 *   as $set
 *
 * @typedef {object} WriteBatch operations of one kind on one collection, sent in one command
 * @property {Kind} kind
 * @property {Namespace} namespace
 * @property {Position} after the entry before its first operation
 * @property {number} happenedMs when the source executed its first operation, in ms since 1970
 * @property {number} count operations
 * @property {number} memory that it takes, in bytes
 * @property {BsonWriter} documents back to back; inserts: the documents; deletes: `{ _id }`; updates: `{ _id }` and
 *   the change, alternating
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

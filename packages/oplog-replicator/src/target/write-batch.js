import { BsonWriter } from '../bson/bson-writer.js';
import { findId, readInt, sizeOf } from '../bson/bytes.js';

/** @import { ChunkedWriter } from '../bson/chunked-writer.js' */
/** @import { Namespace } from '../base/namespaces.js' */
/** @import { Position } from '../source/position.js' */

/**
 * @typedef {'insert' | 'update' | 'delete'} OperationKind
 *
 * @typedef {object} WriteBatch operations on one collection, which are written together
 * @property {Namespace} namespace
 * @property {Position} after the entry before its first operation
 * @property {number} happenedMs when the source executed its first operation, in ms since 1970
 * @property {OperationKind[]} kinds of its operations, in order
 * @property {number} memory that it takes, in bytes
 * @property {ChunkedWriter} documents back to back, in order; insert: the document; delete: `{ _id }`; update:
 *   `{ _id }`, then the change
 */

/** The type and `_id\0`. */
const ID_NAME_BYTES = 5;
/** Size of a document without elements. */
const EMPTY_BYTES = 5;

/** @param {ChunkedWriter} out @param {Buffer} bytes @param {number} start of a document */
export function appendDocument(out, bytes, start) {
  const size = readInt(bytes, start);
  out.next(size).copy(bytes, start, start + size);
}

/** @param {Buffer} document @returns {Buffer} the document `{ _id }` */
export function idOf(document) {
  const element = findId(document, 0);
  const id = new BsonWriter(sizeOfId(document, element));
  writeId(id, document, element);
  return id.bytes;
}

/** @param {Pick<ChunkedWriter, 'pieces'>} documents @returns {Buffer[]} views of each */
export function listDocuments({ pieces }) {
  const documents = [];
  for (const bytes of pieces) {
    for (let start = 0; start < bytes.length;) {
      const end = start + readInt(bytes, start);
      documents.push(bytes.subarray(start, end));
      start = end;
    }
  }
  return documents;
}

/**
 * Appends the document `{ _id }`.
 * @param {ChunkedWriter} out @param {Buffer} bytes @param {number} element where an element `_id` begins
 */
export function appendId(out, bytes, element) {
  writeId(out.next(sizeOfId(bytes, element)), bytes, element);
}

/** @param {BsonWriter} out @param {Buffer} bytes @param {number} element where an element `_id` begins */
function writeId(out, bytes, element) {
  out.document(() => out.copy(bytes, element, element + sizeOfId(bytes, element) - EMPTY_BYTES));
}

/** @param {Buffer} bytes @param {number} element where an element `_id` begins @returns {number} of `{ _id }` */
function sizeOfId(bytes, element) {
  const value = element + ID_NAME_BYTES;
  return EMPTY_BYTES + ID_NAME_BYTES + sizeOf(bytes, bytes[element], value);
}

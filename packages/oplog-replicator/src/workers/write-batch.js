import { BsonWriter } from '../bson/bson-writer.js';
import { findId, readInt, sizeOf } from '../bson/bytes.js';

/** @import { Namespace } from '../namespaces.js' */
/** @import { Position } from '../source/position.js' */

/**
 * @typedef {'insert' | 'update' | 'modify' | 'delete'} Kind update: by a whole document or a difference; modify: by
 *   modifiers such as $set
 *
 * @typedef {object} WriteBatch operations of one kind on one collection, written with one command
 * @property {Kind} kind
 * @property {Namespace} namespace
 * @property {Position} after of the entry before its first operation: everything up to it may be written before this batch is
 * @property {number} happenedMs when its first operation happened on the source, since 1970
 * @property {number} count
 * @property {BsonWriter} documents back to back; inserts: the documents; deletes: `{ _id }`; updates: `{ _id }` and
 *   the change, alternating
 */

const ID_NAME_BYTES = 5;

/**
 * @param {Kind} kind
 * @param {Namespace} namespace
 * @param {Position} after
 * @param {number} happenedMs
 * @param {BsonWriter} documents empty
 * @returns {WriteBatch}
 */
export function createBatch(kind, namespace, after, happenedMs, documents) {
  return { kind, namespace, after, happenedMs, count: 0, documents };
}

/**
 * @param {WriteBatch} batch
 * @param {Buffer} bytes
 * @param {number} start of a document
 */
export function appendDocument({ documents }, bytes, start) {
  documents.copy(bytes, start, start + readInt(bytes, start));
}

/**
 * Append the document `{ _id }`.
 * @param {WriteBatch} batch
 * @param {Buffer} bytes
 * @param {number} element where an element `_id` begins
 */
export function appendId({ documents }, bytes, element) {
  writeId(documents, bytes, element);
}

/** @param {Buffer} document @returns {Buffer} the document `{ _id }` */
export function idOf(document) {
  const id = new BsonWriter(64);
  writeId(id, document, findId(document, 0));
  return id.bytes;
}

/** @param {Buffer} bytes documents back to back @returns {Buffer[]} views on each of them */
export function listDocuments(bytes) {
  const documents = [];
  for (let start = 0; start < bytes.length;) {
    const end = start + readInt(bytes, start);
    documents.push(bytes.subarray(start, end));
    start = end;
  }
  return documents;
}

/** @param {BsonWriter} out @param {Buffer} bytes @param {number} element where an element `_id` begins */
function writeId(out, bytes, element) {
  const value = element + ID_NAME_BYTES;
  out.document(() => out.copy(bytes, element, value + sizeOf(bytes, bytes[element], value)));
}

import { ARRAY, OBJECT, readInt, TIMESTAMP, walk } from '../bson/bytes.js';

/** @import { BsonWriter } from '../bson/bson-writer.js' */

// Each function appends one statement of the command `update` or `delete`, as BSON. `id` is a document `{ _id }`.
// Documents are inserted, not copied, because they may be large: the driver will copy them often enough.

const DOLLAR = 36;
/** A stage of an aggregation pipeline. */
export const APPLY_DIFF = '$_internalApplyOplogUpdate';

/**
 * Replaces the document.
 *
 * @param {BsonWriter} out
 * @param {Buffer} id
 * @param {Buffer} document
 * @param {boolean} upsert
 */
export function replaceStatement(out, id, document, upsert) {
  out.document(() => {
    out.begin(OBJECT, 'q');
    out.copy(id);
    if (isStoredUnchanged(document)) {
      out.begin(OBJECT, 'u');
      out.insert(document);
    } else {
      out.begin(ARRAY, 'u');
      insertUnder(out, ['0', '$replaceWith', '$literal'], document);
    }
    if (upsert) out.booleanTrue('upsert');
  });
}

/** @param {BsonWriter} out @param {Buffer} id @param {Buffer} modifiers from the oplog, with or without `$v: 1` */
export function modifyStatement(out, id, modifiers) {
  out.document(() => {
    out.begin(OBJECT, 'q');
    out.copy(id);
    out.begin(OBJECT, 'u');
    out.document(() => {
      walk(modifiers, 0, (_, element, __, end) => {
        if (modifiers.toString('latin1', element + 1, element + 4) !== '$v\0') out.copy(modifiers, element, end);
      });
    });
  });
}

/**
 * Lets the server apply a diff to its document, so that nobody reads the document. MongoDB does not document this
 * stage, but lets every client use it. It must only get diffs that a source logged: one that contradicts itself ends
 * the server. `Target.canApplyDiffs` asks for the stage, and apply-diff.test.js compares its results with ours.
 * https://github.com/mongodb/mongo/blob/master/src/mongo/db/pipeline/document_source_internal_apply_oplog_update.h
 *
 * @param {BsonWriter} out @param {Buffer} id @param {Buffer} change `{ $v: 2, diff }`
 */
export function diffStatement(out, id, change) {
  out.document(() => {
    out.begin(OBJECT, 'q');
    out.copy(id);
    out.begin(ARRAY, 'u');
    insertUnder(out, ['0', APPLY_DIFF, 'oplogUpdate'], change);
  });
}

/**
 * Inserts a document as the innermost of several, one in the other.
 * @param {BsonWriter} out
 * @param {string[]} names from the outermost field to the innermost
 * @param {Buffer} document
 */
function insertUnder(out, [name, ...inner], document) {
  out.document(() => {
    out.begin(OBJECT, name);
    if (inner.length > 0) insertUnder(out, inner, document);
    else out.insert(document);
  });
}

/** @param {BsonWriter} out @param {Buffer} id */
export function deleteStatement(out, id) {
  out.document(() => {
    out.begin(OBJECT, 'q');
    out.copy(id);
    out.int('limit', 1);
  });
}

/**
 * Whether a plain replacement stores the document as it is. The server reads a field that begins with $ as an operator,
 * and replaces an empty timestamp with the current time.
 * @param {Buffer} document
 */
function isStoredUnchanged(document) {
  let isUnchanged = true;
  walk(document, 0, (type, element, value) => {
    const isOperator = document[element + 1] === DOLLAR;
    isUnchanged = !isOperator && !isEmptyTimestamp(document, type, value);
    return !isUnchanged;
  });
  return isUnchanged;
}

/**
 * Whether an insert replaces a timestamp with the current time.
 * @param {Buffer} documents back to back
 */
export function haveEmptyTimestamp(documents) {
  let isFound = false;
  for (let start = 0; start < documents.length && !isFound; start += readInt(documents, start)) {
    walk(documents, start, (type, _, value) => {
      isFound = isEmptyTimestamp(documents, type, value);
      return isFound;
    });
  }
  return isFound;
}

/** @param {Buffer} bytes @param {number} type @param {number} value */
function isEmptyTimestamp(bytes, type, value) {
  return type === TIMESTAMP && readInt(bytes, value) === 0 && readInt(bytes, value + 4) === 0;
}

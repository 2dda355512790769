import { ARRAY, OBJECT, readInt, TIMESTAMP, walk } from '../bson/bytes.js';

/** @import { BsonWriter } from '../bson/bson-writer.js' */

const DOLLAR = 36;

/** Statements of the commands `update` and `delete`, in BSON: `id` is always a document `{ _id }`. */

/**
 * Put a whole document in the place of what is there.
 *
 * @param {BsonWriter} out
 * @param {Buffer} id
 * @param {Buffer} document
 * @param {boolean} upsert whether it is inserted where nothing is there
 */
export function putStatement(out, id, document, upsert) {
  out.document(() => {
    out.begin(OBJECT, 'q');
    out.copy(id);
    if (isTakenLiterally(document)) {
      out.begin(OBJECT, 'u');
      out.copy(document);
    } else {
      out.begin(ARRAY, 'u');
      out.document(() => {
        out.begin(OBJECT, '0');
        out.document(() => {
          out.begin(OBJECT, '$replaceWith');
          out.document(() => {
            out.begin(OBJECT, '$literal');
            out.copy(document);
          });
        });
      });
    }
    if (upsert) out.yes('upsert');
  });
}

/**
 * @param {BsonWriter} out
 * @param {Buffer} id
 * @param {Buffer} modifiers as the oplog has them, with `$v: 1` or without
 */
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

/** @param {BsonWriter} out @param {Buffer} id */
export function deleteStatement(out, id) {
  out.document(() => {
    out.begin(OBJECT, 'q');
    out.copy(id);
    out.int('limit', 1);
  });
}

/**
 * Whether the server takes a document for the update that it is: it takes a field that begins with $ for an operator,
 * and sets a timestamp of 0 to the time.
 * @param {Buffer} document
 */
function isTakenLiterally(document) {
  let isLiteral = true;
  walk(document, 0, (type, element, value) => {
    const isOperator = document[element + 1] === DOLLAR;
    const isNow = type === TIMESTAMP && readInt(document, value) === 0 && readInt(document, value + 4) === 0;
    isLiteral = !isOperator && !isNow;
    return !isLiteral;
  });
  return isLiteral;
}

import { applyDiff } from '../bson/apply-diff.js';
import { nameOf, walk } from '../bson/bytes.js';
import { DELETE, INSERT } from '../source/raw-entry.js';

/** @import { RawEntry } from '../source/raw-entry.js' */
/** @import { Kind } from './write-batch.js' */

const DOLLAR = 36;
const NOWHERE = -1;

/** @param {RawEntry} entry an insert, update or delete @returns {Kind} */
export function kindOf({ bytes, op, o }) {
  if (op === INSERT) return 'insert';
  if (op === DELETE) return 'delete';
  return formOf(bytes, o) === 'modifiers' ? 'modify' : 'update';
}

/**
 * @param {Buffer} bytes
 * @param {number} o of an update: where its document begins
 * @returns {'replacement' | 'diff' | 'modifiers'} diff: `{ $v: 2, diff }`, from servers since 5.0; modifiers:
 *   `{ $v: 1, $set }`, from older ones
 */
export function formOf(bytes, o) {
  if (isReplacement(bytes, o)) return 'replacement';
  return findDiff(bytes, o) === NOWHERE ? 'modifiers' : 'diff';
}

/**
 * @param {Buffer | undefined} document undefined if it does not exist
 * @param {Buffer} change the `o` of an update: a replacement or a diff
 * @returns {Buffer | undefined} the changed document
 */
export function changeDocument(document, change) {
  if (isReplacement(change, 0)) return change;
  return document && applyDiff(document, change.subarray(findDiff(change, 0)));
}

/** A replacement begins with its _id, anything else with a $. @param {Buffer} bytes @param {number} o */
function isReplacement(bytes, o) {
  return bytes[o + 5] !== DOLLAR;
}

/** @param {Buffer} bytes @param {number} o */
function findDiff(bytes, o) {
  let found = NOWHERE;
  walk(bytes, o, (_, element, value) => {
    if (nameOf(bytes, element, value) === 'diff') found = value;
  });
  return found;
}

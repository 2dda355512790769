import { applyDifference } from '../bson/apply-difference.js';
import { nameOf, walk } from '../bson/bytes.js';

const DOLLAR = 36;
const NOWHERE = -1;

/**
 * @param {Buffer} bytes
 * @param {number} o the document of an update
 * @returns {'replacement' | 'difference' | 'modifiers'} whether it is the new document, says what changed (`{ $v: 2, diff }`,
 *   from servers 5.0 on), or has modifiers such as $set (`{ $v: 1, $set }`, before that)
 */
export function formOf(bytes, o) {
  if (isReplacement(bytes, o)) return 'replacement';
  return findDifference(bytes, o) === NOWHERE ? 'modifiers' : 'difference';
}

/**
 * @param {Buffer | undefined} document as it is, where it is there
 * @param {Buffer} change the `o` of an update, whole or a difference
 * @returns {Buffer | undefined} as it will be
 */
export function changeDocument(document, change) {
  if (isReplacement(change, 0)) return change;
  return document && applyDifference(document, change.subarray(findDifference(change, 0)));
}

/** A whole document begins with its _id. @param {Buffer} bytes @param {number} o */
function isReplacement(bytes, o) {
  return bytes[o + 5] !== DOLLAR;
}

/** @param {Buffer} bytes @param {number} o */
function findDifference(bytes, o) {
  let found = NOWHERE;
  walk(bytes, o, (_, element, value) => {
    if (nameOf(bytes, element, value) === 'diff') found = value;
  });
  return found;
}

import { applyDiff } from '../bson/apply-diff.js';
import { walk } from '../bson/bytes.js';

const DOLLAR = 36;
const NOWHERE = -1;
const DIFF = 'diff\0';

/**
 * @typedef {'replacement' | 'diff' | 'modifiers'} UpdateForm of an update. diff: `{ $v: 2, diff }`, from servers since
 *   5.0; modifiers: `{ $v: 1, $set }`, from older ones
 */

/** @param {Buffer} change the `o` of an update @returns {UpdateForm} */
export function formOf(change) {
  if (isReplacement(change)) return 'replacement';
  return findDiff(change) === NOWHERE ? 'modifiers' : 'diff';
}

/**
 * @param {Buffer | undefined} document undefined if it does not exist
 * @param {Buffer} change the `o` of an update: a replacement or a diff
 * @returns {Buffer | undefined} the changed document
 */
export function changeDocument(document, change) {
  if (isReplacement(change)) return change;
  return document && applyDiff(document, change.subarray(findDiff(change)));
}

/** A replacement begins with its _id, anything else with a $. @param {Buffer} change */
function isReplacement(change) {
  return change[5] !== DOLLAR;
}

/** @param {Buffer} change */
function findDiff(change) {
  let found = NOWHERE;
  walk(change, 0, (_, element, value) => {
    if (value - element === DIFF.length + 1 && change.toString('latin1', element + 1, value) === DIFF) found = value;
  });
  return found;
}

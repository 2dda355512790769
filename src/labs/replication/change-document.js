import { applyDifference } from './apply-difference.js';
import { nameOf, skipName } from './bytes.js';

/** In the `o` of an update `{ $v: 2, diff }`: length, type, name, int32, type, name. */
const DIFFERENCE = 4 + 1 + '$v\0'.length + 4 + 1 + 'diff\0'.length;

/**
 * @param {Buffer} change the `o` of an update
 * @returns {boolean} whether it says what changed; the others are the whole new document
 */
export function isDifference(change) {
  // The first name: a whole document begins with its _id.
  return nameOf(change, 4, skipName(change, 5)) === '$v';
}

/**
 * @param {Buffer | undefined} document as it is, where it is there
 * @param {Buffer} change the `o` of an update, either with a difference or whole
 * @returns {Buffer | undefined} as it will be
 */
export function changeDocument(document, change) {
  if (!isDifference(change)) return change;
  return document && applyDifference(document, change.subarray(DIFFERENCE));
}

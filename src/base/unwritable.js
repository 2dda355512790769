import { reasonOf } from './reason-of.js';

/**
 * @param {string} place a file or folder
 * @param {string} option or setting that says where to write instead
 * @param {unknown} cause
 */
export function unwritable(place, option, cause) {
  return new Error(`${place} can't be written: ${reasonOf(cause)}. Choose another place with ${option}`, { cause });
}

import { readTraceOf } from '../formats/trace.js';
import { openText } from './text-file.js';

/** @import { Trace } from '../formats/trace.js' */

/**
 * Reads a trace from a file that may be too large for the memory; see readTraceOf.
 *
 * @param {string} file
 * @returns {Promise<Trace>}
 * @throws {Error} naming the file, and the line if it is not a trace
 */
export async function readTrace(file) {
  return readTraceOf(await openText(file));
}

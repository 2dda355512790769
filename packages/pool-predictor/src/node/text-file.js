import { createReadStream } from 'node:fs';
import { splitLines } from '../formats/text-lines.js';

/** @import { TextFile } from '../formats/text-lines.js' */

/** In characters: enough to see what a file is. */
const HEAD_LENGTH = 65_536;

/**
 * Opens a text file that may be too large for the memory.
 *
 * @param {string} file
 * @returns {Promise<TextFile>}
 * @throws {Error} naming the file, if it can't be read or is not UTF-8
 */
export async function openText(file) {
  const chunks = readChunks(file);
  let head = '';
  while (head.length < HEAD_LENGTH) {
    const { value, done } = await chunks.next();
    if (done) break;
    head += value;
  }
  // UTF-16 has a zero byte in each English letter, and a packed file has some too.
  if (head.includes('\0')) {
    await chunks.return();
    throw new Error(`${file} is not UTF-8 text: unpack it, or save it as UTF-8`);
  }
  head = head.replace(/^\uFEFF/, '');
  return { file, head, lines: (options) => splitLines(resume(head, chunks), file, options) };
}

/** @param {string} file @returns {AsyncGenerator<string, void>} */
async function* readChunks(file) {
  try {
    yield* createReadStream(file, { encoding: 'utf8' });
  } catch (cause) {
    throw new Error(`${file} can't be read: ${/** @type {Error} */ (cause).message}`, { cause });
  }
}

/** @param {string} head @param {AsyncGenerator<string, void>} rest */
async function* resume(head, rest) {
  yield head;
  yield* rest;
}

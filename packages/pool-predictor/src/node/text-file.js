import { createReadStream } from 'node:fs';

/** In characters: enough to see what a file is. */
const HEAD_LENGTH = 65_536;

/** In characters. A file without line ends is no trace. */
const MAX_LINE_LENGTH = 1_000_000;

/**
 * @typedef {object} TextFile
 * @property {string} file its name
 * @property {string} head how it begins
 * @property {(options?: { maxLength?: number }) => AsyncGenerator<string, void>} lines each line without its end, once;
 *   throws for a line longer than maxLength characters
 */

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

/**
 * @param {AsyncIterable<string>} chunks
 * @param {string} file
 * @param {{ maxLength?: number }} [options]
 */
async function* splitLines(chunks, file, { maxLength = MAX_LINE_LENGTH } = {}) {
  /** What came of the current line, in parts: to join them with each chunk takes too long. @type {string[]} */
  let parts = [];
  let length = 0;
  let number = 1;
  for await (const chunk of chunks) {
    const [first, ...others] = chunk.split('\n');
    parts.push(first);
    length += first.length;
    const last = others.pop();
    if (last !== undefined) {
      yield withoutReturn(parts.join(''));
      for (const line of others) yield withoutReturn(line);
      number += others.length + 1;
      parts = [last];
      length = last.length;
    }
    if (length > maxLength) {
      throw new Error(`${file} is not a trace: its line ${number} is longer than ${maxLength} characters`);
    }
  }
  if (length > 0) yield withoutReturn(parts.join(''));
}

/** @param {string} line */
function withoutReturn(line) {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}

/** In characters. A file without line ends is no trace. */
const MAX_LINE_LENGTH = 1_000_000;

/**
 * @typedef {object} TextFile
 * @property {string} file its name
 * @property {string} head how it begins
 * @property {(options?: { maxLength?: number }) => AsyncGenerator<string, void>} lines each line without its end, once;
 *   throws for a line longer than maxLength characters
 */

/** A file that is in the memory already. @param {string} file its name @param {string} text @returns {TextFile} */
export function toTextFile(file, text) {
  const head = text.replace(/^\uFEFF/, '');
  return { file, head, lines: (options) => splitLines(once(head), file, options) };
}

/** @param {string} text */
async function* once(text) {
  yield text;
}

/**
 * @param {AsyncIterable<string>} chunks
 * @param {string} file
 * @param {{ maxLength?: number }} [options]
 */
export async function* splitLines(chunks, file, { maxLength = MAX_LINE_LENGTH } = {}) {
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

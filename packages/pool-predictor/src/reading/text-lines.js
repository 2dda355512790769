/** Most characters of a line. A file without line ends is not a trace. */
const MAX_LENGTH = 1_000_000;

/** The end of an error about a file that is not a trace. */
export const OTHER_FILES = 'docs/trace-format.md shows how to make a trace of other files';

/**
 * Splits a text into its lines, without their ends and without a byte order mark. It yields many at once, because
 * awaiting each would take as long as parsing it.
 *
 * @param {AsyncIterable<string> | Iterable<string>} chunks of the text
 * @param {string} file for errors
 * @returns {AsyncGenerator<string[], void>}
 * @throws {Error} naming the file and a line that is longer than a million characters
 */
export async function* splitLines(chunks, file) {
  /** The current line so far, in parts, because joining them with each chunk would take too long. @type {string[]} */
  let parts = [];
  let length = 0;
  let number = 1;
  for await (const chunk of chunks) {
    const lines = (number === 1 && length === 0 ? chunk.replace(/^\uFEFF/, '') : chunk).split('\n');
    const last = String(lines.pop());
    if (lines.length > 0) {
      lines[0] = [...parts, lines[0]].join('');
      yield lines.map(withoutReturn);
      number += lines.length;
      parts = [];
      length = 0;
    }
    parts.push(last);
    length += last.length;
    if (length > MAX_LENGTH) {
      throw new Error(
        `${file}, line ${number}: this is not a line of a trace: it is longer than ${MAX_LENGTH} characters. ` +
          `${OTHER_FILES}`,
      );
    }
  }
  if (length > 0) yield [withoutReturn(parts.join(''))];
}

/** @param {string} line */
function withoutReturn(line) {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}

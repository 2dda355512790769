import { toPrintable, wrap } from '../../src/base/printable.js';

/** Columns of a lesson's text. */
export const WIDTH = 80;

/** Breaks a message into lines that fit the width of a lesson. @param {string} message */
export function wrapMessage(message) {
  const lines = toPrintable(message).split('\n');
  // An indented line is a command, to be copied.
  return lines.map((line) => (line.startsWith(' ') ? line : wrap(line, WIDTH))).join('\n');
}

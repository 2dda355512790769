/** What an error shows of an app's output. */
const LAST_LINES = 15;
const FRAME = /^\s+at (?:.*\(.+\)|\S+:\d+:\d+|async .+|.+ \[as .+|<anonymous>|native)\s*$/;
/** The first line of an uncaught error, as Node.js prints it. */
const HEADING = /^(?:Uncaught )?[\w$.]*(?:Error|Exception)\b/;

/** An error's cause, as Node.js prints it among the error's other properties. Deeper ones say the same again. */
const CAUSE = /^ {2}\[cause\]: /;

/**
 * The end of an app's output, for an error message: the text of its last error whole, or else the last lines. Of the
 * frames of a stack, only the first one says where it happened. Of the error's properties, which may be hundreds of
 * lines of a driver's objects, only its cause is quoted.
 *
 * @param {string} output
 * @returns {string} empty if there is none
 */
export function quoteOutput(output) {
  const all = output.split('\n');
  const lines = all.filter((line, index) => !FRAME.test(line) || !FRAME.test(all[index - 1] ?? ''));
  const start = lines.findLastIndex((line) => HEADING.test(line));
  if (start < 0) return lines.slice(-LAST_LINES).join('\n');
  const frame = lines.findIndex((line, index) => index > start && FRAME.test(line));
  if (frame < 0) return lines.slice(start, start + LAST_LINES).join('\n');
  const cause = lines.findIndex((line, index) => index > frame && CAUSE.test(line));
  return [...lines.slice(start, frame + 1), ...(cause < 0 ? [] : lines.slice(cause, cause + 2))].join('\n');
}

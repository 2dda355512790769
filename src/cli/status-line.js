import { widthOf } from './terminal-width.js';

/** Between two updates of the line on a terminal, in ms. */
const REDRAW_MS = 500;
/** Between two lines where there is no terminal, in ms. */
const LINE_MS = 10_000;

/**
 * Shows what is going on until it is stopped: on a terminal as one line that changes, elsewhere as a line now and then.
 *
 * @param {NodeJS.WriteStream} stream
 * @param {() => string} describe
 * @param {number} [everyMs]
 */
export function createStatusLine(stream, describe, everyMs = stream.isTTY ? REDRAW_MS : LINE_MS) {
  const clear = () => {
    if (!stream.isTTY) return;
    stream.cursorTo(0);
    stream.clearLine(0);
  };
  const draw = () => {
    clear();
    const text = describe();
    // A longer line would wrap, and could not be cleared.
    stream.write(stream.isTTY ? text.slice(0, widthOf(stream) - 1) : `${text}\n`);
  };
  /** @type {NodeJS.Timeout | undefined} */
  let ticker = setInterval(draw, everyMs);
  return {
    /** @param {string} line that remains */
    report(line) {
      clear();
      stream.write(`${line}\n`);
    },
    stop() {
      if (ticker) clear();
      clearInterval(ticker);
      ticker = undefined;
    },
  };
}

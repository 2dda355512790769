import { widthOf } from '../report/table.js';

/** Between two updates of the line on a terminal, in ms. */
const REDRAW_MS = 500;
/** Between two lines where there is no terminal, in ms. */
const LINE_MS = 10_000;

/**
 * Shows what is going on until it is stopped: on a terminal as one line that changes, elsewhere as a line now and then.
 */
export class StatusLine {
  #stream;
  #describe;
  /** @type {NodeJS.Timeout | undefined} */
  #ticker;

  /**
   * @param {NodeJS.WriteStream} stream
   * @param {() => string} describe
   * @param {number} [everyMs]
   */
  constructor(stream, describe, everyMs = stream.isTTY ? REDRAW_MS : LINE_MS) {
    this.#stream = stream;
    this.#describe = describe;
    this.#ticker = setInterval(() => this.draw(), everyMs);
  }

  draw() {
    this.#clear();
    const text = this.#describe();
    // A longer line would wrap, and could not be cleared.
    this.#stream.write(this.#stream.isTTY ? text.slice(0, widthOf(this.#stream) - 1) : `${text}\n`);
  }

  /** @param {string} line that remains; the next update comes below it */
  report(line) {
    this.#clear();
    this.#stream.write(`${line}\n`);
  }

  stop() {
    if (this.#ticker) this.#clear();
    clearInterval(this.#ticker);
    this.#ticker = undefined;
  }

  #clear() {
    if (!this.#stream.isTTY) return;
    this.#stream.cursorTo(0);
    this.#stream.clearLine(0);
  }
}

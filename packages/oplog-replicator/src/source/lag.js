import { AWAIT_MS } from './oplog.js';

/** @import { Position } from './position.js' */

/** A source that follows the protocol is never silent for this long. */
const MAX_SILENCE_MS = 3 * AWAIT_MS;

/** How far the replication of one source is behind. A silent source may be executing operations. */
export class Lag {
  /** Everything that the source executed before this time is known. */
  #heardAtMs;
  /** @type {(() => number) | null} null between two sessions */
  #findOldestMs = null;
  #isEnded = false;

  /** @param {Position} applied the target has everything up to this entry */
  constructor({ seconds }) {
    this.#heardAtMs = seconds * 1000;
  }

  /**
   * @param {() => number} findOldestMs when the source executed the oldest operation not yet written; Infinity: none
   */
  beginSession(findOldestMs) {
    this.#findOldestMs = findOldestMs;
  }

  /** The source has sent everything that it has now. */
  hear() {
    this.#heardAtMs = Date.now();
  }

  /** Operations that were not written will be read again. */
  endSession() {
    this.#heardAtMs = Math.min(this.#heardAtMs, this.#findOldestMs?.() ?? Infinity);
    this.#findOldestMs = null;
  }

  /** Everything that was asked for is written. */
  end() {
    this.#isEnded = true;
  }

  /** @returns {number} ms since the source executed the oldest operation that may not be written; 0 if there is none */
  measure() {
    if (this.#isEnded) return 0;
    const nowMs = Date.now();
    const isSilent = !this.#findOldestMs || nowMs - this.#heardAtMs > MAX_SILENCE_MS;
    const oldestMs = Math.min(this.#findOldestMs?.() ?? Infinity, isSilent ? this.#heardAtMs : Infinity);
    return Math.max(0, oldestMs === Infinity ? 0 : nowMs - oldestMs);
  }
}

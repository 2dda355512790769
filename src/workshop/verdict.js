/** @import { Verdict } from './types.js' */

/** A tenth: what a busy machine may cost a measurement, and rounding an answer. */
const CLOSE = 0.1;

/** @param {string} words @param {Verdict['figures']} [figures] @returns {Verdict} */
export function right(words, figures) {
  return { isRight: true, words, figures };
}

/** @param {string} words @param {Verdict['figures']} [figures] @returns {Verdict} */
export function wrong(words, figures) {
  return { isRight: false, words, figures };
}

/**
 * Whether a number is as good as another.
 * @param {number} value
 * @param {number} truth
 */
export function isClose(value, truth) {
  return Math.abs(value - truth) <= CLOSE * Math.abs(truth);
}

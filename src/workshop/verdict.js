/** @import { SavedResult, Verdict } from './lesson-types.js' */

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
 * The verdict on the runs that a lesson asks for: one that is right is enough, whatever was measured since.
 *
 * @param {SavedResult[]} runs at least one, the newest first
 * @param {(run: SavedResult) => Verdict} judge
 * @returns {Verdict} that names the run
 */
export function judgeRuns(runs, judge) {
  const verdicts = runs.map((run) => ({ ...judge(run), runs: [run] }));
  return verdicts.find(({ isRight }) => isRight) ?? verdicts[0];
}

/**
 * Whether a number is as good as another.
 * @param {number} value
 * @param {number} truth
 */
export function isClose(value, truth) {
  return Math.abs(value - truth) <= CLOSE * Math.abs(truth);
}

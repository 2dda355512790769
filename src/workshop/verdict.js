/** @import { SavedResult, Verdict } from './lesson-types.js' */

/** Allows for a busy machine and for rounding. */
const TOLERANCE = 0.1;

/** @param {string} words @param {Pick<Verdict, 'figures' | 'truth'>} [more] @returns {Verdict} */
export function right(words, more) {
  return { isRight: true, words, ...more };
}

/** @param {string} words @returns {Verdict} */
export function wrong(words) {
  return { isRight: false, words };
}

/**
 * Judge several runs. One that is right is enough, even if newer ones are not.
 * @param {SavedResult[]} runs at least one, newest first
 * @param {(run: SavedResult) => Verdict} judge
 * @returns {Verdict}
 */
export function judgeRuns(runs, judge) {
  const verdicts = runs.map((run) => ({ ...judge(run), runs: [run] }));
  return verdicts.find(({ isRight }) => isRight) ?? verdicts[0];
}

/** @param {number} value @param {number} truth */
export function isClose(value, truth) {
  return Math.abs(value - truth) <= TOLERANCE * Math.abs(truth);
}

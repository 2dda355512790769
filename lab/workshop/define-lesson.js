/** @import { LessonRules, SavedResult, Verdict } from './lesson-types.js' */

/** Allows for a busy machine and for rounding. */
const TOLERANCE = 0.1;

/** Returns the rules unchanged, and lets the type checker and the editor check them. @param {LessonRules} rules */
export function defineLesson(rules) {
  return rules;
}

/** @param {string} words @param {Pick<Verdict, 'figures' | 'truth'>} [more] @returns {Verdict} */
export function right(words, more) {
  return { isRight: true, words, ...more };
}

/** @param {string} words @returns {Verdict} */
export function wrong(words) {
  return { isRight: false, words };
}

/**
 * Judges the runs with the exercise's settings. One that is right is enough, even if newer ones are not.
 * @param {SavedResult[]} runs newest first
 * @param {string} missing what to say if there are none
 * @param {(run: SavedResult) => Verdict} judge
 * @returns {Verdict}
 */
export function judgeRuns(runs, missing, judge) {
  if (runs.length === 0) return wrong(missing);
  const verdicts = runs.map((run) => ({ ...judge(run), runs: [run] }));
  return verdicts.find(({ isRight }) => isRight) ?? verdicts[0];
}

/**
 * Judges the runs that a puzzle allows. If the newest run is not one of them, the verdict says so, because the rest of
 * it is about an older run.
 * @param {SavedResult[]} results newest first
 * @param {(run: SavedResult) => unknown} isAllowed
 * @param {string} missing what to say if there are none
 * @param {(run: SavedResult) => Verdict} judge
 * @returns {Verdict}
 */
export function judgePuzzle(results, isAllowed, missing, judge) {
  const verdict = judgeRuns(results.filter(isAllowed), missing, judge);
  if (verdict.isRight || !verdict.runs || isAllowed(results[0])) return verdict;
  return {
    ...verdict,
    words: `Your newest run had other settings than the puzzle. About an older one: ${verdict.words}`,
  };
}

/** @param {number} value @param {number} truth */
export function isClose(value, truth) {
  return Math.abs(value - truth) <= TOLERANCE * Math.abs(truth);
}

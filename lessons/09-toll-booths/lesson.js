import { formatNumber, formatQuantity } from 'mongodb-pool-monitor/universal/quantity.js';
import { compareRepeats, judge } from '../../src/labs/saturation/compare.js';
import { judgeRuns, right, wrong } from '../../src/workshop/verdict.js';

/** @import { SavedResult } from '../../src/workshop/lesson-types.js' */
/** @import { Comparison, Figure, MeasuredVariant } from '../../src/labs/saturation/compare.js' */

/** Fewer would not fill a server of many cores. */
const CALLERS = 64;
/** A larger pool that answers more than so many times as many queries means that the smaller one left cores idle. */
const MORE_ANSWERS = 1.5;
/** A guess that is wrong by this factor is still good: nobody can know it exactly. */
const NEAR = 1.5;

/** @type {Figure} */
const heavyP99 = ({ heavy }) => heavy.p99Ms;
/** @type {Figure} */
const rate = ({ ratePerSec }) => ratePerSec;

/** @type {import('../../src/workshop/lesson-types.js').LessonRules} */
export const lesson = {
  minutes: 10,
  lab: 'saturation',
  hints: [
    'Compare the p99 of heavy queries in the lines best and 100.',
    'The server has as many toll booths as cores. With 100 lanes, all queries share them and each crawls.',
    'Two to six times as long, about 3 on two cores. Guess, run the command of the lesson, then verify. Any guess '
      + 'counts.',
  ],
  guess: {
    question: 'With 100 connections instead of a few, how many times as long is the p99 of heavy queries?',
    unit: 'times as long',
  },
  check({ results, guess }) {
    const runs = results.filter((run) => run.startedAt > guess.at && Number(run.settings.callers) >= CALLERS && comparisonOf(run));
    if (runs.length === 0) {
      return wrong('You have not measured since your guess: pool-lab run saturation --causes processor --loads closed '
        + '--heavy-ms 20 --pool-sizes 2,4,8,16 --repeat 3');
    }
    return judgeRuns(runs, (run) => {
      const { best, reference, heavy, answers } = /** @type {Compared} */ (comparisonOf(run));
      const [few, many] = [best, reference].map(({ measured }) => Number(measured?.poolSize));
      const times = `${formatNumber(heavy.ratio, 1)} times as long`;
      const verdict = judge(heavy);
      if (answers.ratio > MORE_ANSWERS || verdict === 'less' || verdict === 'same') {
        return wrong(`With ${many} connections the p99 of heavy queries is ${times} as with ${few}, and the server answers `
          + `${formatNumber(answers.ratio, 1)} times as many queries. So ${few} did not fill it. On a server with many cores, `
          + 'measure with --pool-sizes 8,16,32,64 --callers 256 --reference 256.');
      }
      if (verdict === 'unclear') {
        return wrong(`The repeats disagree: with ${many} connections the p99 of heavy queries is `
          + `${formatSpread(heavy)} times as long as with ${few}. Close other programs and measure again.`);
      }
      return right(`${judgeGuess(guess.value, heavy)} The server answers ${formatNumber(answers.ratio, 1)} times as many queries `
        + `with ${many} connections as with ${few}. More lanes, same toll booths.`, { truth: heavy.ratio, figures: [
        ['you guessed', `${guess.value} times as long`],
        ['measured', `${times}${heavy.spread ? ` (${formatSpread(heavy)})` : ''}`],
        [`heavy p99, pool ${few}`, formatQuantity(Number(best.measured?.heavy.p99Ms), 'ms')],
        [`heavy p99, pool ${many}`, formatQuantity(Number(reference.measured?.heavy.p99Ms), 'ms')],
      ] });
    });
  },
};

/**
 * The large pool and the best of the small ones. `heavy` and `answers` are ratios: large / best.
 * @typedef {{ best: MeasuredVariant, reference: MeasuredVariant, heavy: Comparison, answers: Comparison }} Compared
 */

/** @param {SavedResult} run @returns {Compared | null} null if the run does not compare two pools on a full processor */
function comparisonOf({ variants }) {
  const [best, reference] = ['best', 'reference'].map((role) => /** @type {MeasuredVariant | undefined} */ (variants.find(
    ({ settings }) => settings.cause === 'processor' && settings.load === 'closed' && settings.role === role)));
  const [heavy, answers] = [heavyP99, rate].map((figure) => compareRepeats(reference, best, figure));
  return best && reference && heavy && answers ? { best, reference, heavy, answers } : null;
}

/** @param {number} guess @param {Comparison} comparison */
function judgeGuess(guess, { ratio, spread: [least, most] = [ratio, ratio] }) {
  if (guess >= least / NEAR && guess <= most * NEAR) return 'Your guess was good.';
  if (guess <= 1) return 'The larger pool made heavy queries slower, not quicker.';
  return `Your guess was too ${guess > ratio ? 'high' : 'low'}.`;
}

/** @param {Comparison} comparison */
function formatSpread({ ratio, spread = [ratio, ratio] }) {
  return spread.map((each) => formatNumber(each, 1)).join(' to ');
}

import { formatNumber } from 'mongodb-pool-page/universal/quantity.js';
import { wasBusy } from '../report/machine.js';
import { wrong } from './define-lesson.js';

/** @import { Evidence, Task, Verdict, Guess } from './lesson-types.js' */

export const MAX_SCORE = 3;

/** The points for a guess that is at most this many times too high or too low. */
const STEPS = [
  { times: 1.1, points: MAX_SCORE },
  { times: 1.5, points: 2 },
  { times: 3, points: 1 },
];

/**
 * Scores a guess: 3 points within 10 %, 2 within 1.5 times, 1 within 3 times too high or too low, else 0.
 * @param {number} guess
 * @param {number} truth as measured, or calculated
 */
export function scoreGuess(guess, truth) {
  const off = timesOff(guess, truth);
  return STEPS.find(({ times }) => off <= times)?.points ?? 0;
}

/**
 * How many times too high or too low a guess is; 1 if it is right.
 * @param {number} guess
 * @param {number} truth
 */
export function timesOff(guess, truth) {
  if (guess === truth) return 1;
  return guess / truth > 0 ? Math.max(guess / truth, truth / guess) : Infinity;
}

/**
 * Scores a guess against a verdict. A guess made after the measurement gets no points.
 * @param {Task} task
 * @param {Guess | undefined} guess
 * @param {Verdict} verdict
 * @returns {{ points: number, words: string } | undefined} undefined if there is nothing to compare
 */
export function scoreVerdict(task, guess, { isRight, truth, runs = [] }) {
  if (!guess || !isRight || truth === undefined || !Number.isFinite(truth)) return undefined;
  if (runs.some(({ startedAt }) => startedAt < guess.at)) {
    return { points: 0, words: 'No points for your guess: it came after the measurement.' };
  }
  const points = scoreGuess(guess.value, truth);
  const measured = formatNumber(truth, truth < 10 && !Number.isInteger(truth) ? 1 : 0);
  const found = `you guessed ${guess.value}, and it was ${measured} ${task.guess?.unit}`;
  return { points, words: `${points} of ${MAX_SCORE} points: ${found}.` };
}

/**
 * Runs a check. A run on a busy machine proves nothing, so it never makes a check right. The verdict mentions such runs
 * only if no other was judged, or if they would change it.
 * @param {Task} task
 * @param {Evidence} evidence
 * @returns {Promise<Verdict>}
 * @throws {Error} naming the lesson and the cause: checks trust results and apps to have all figures
 */
export async function judge(task, evidence) {
  const results = evidence.results ?? [];
  const quiet = results.filter((run) => !wasBusy(run));
  const left = results.length - quiet.length;
  try {
    const verdict = await task.check({ ...evidence, results: quiet });
    if (verdict.isRight || left === 0) return verdict;
    // A wrong answer about a quiet run is no reason to measure again.
    const { isRight, words } = await task.check(evidence);
    if (verdict.runs && !isRight && words === verdict.words) return verdict;
    return wrong(
      'The machine was busy with something else during ' +
        `${left === 1 ? '1 run, so it does' : `${left} runs, so they do`} not count. Close other programs and run ` +
        `it again. ${verdict.words}`,
    );
  } catch (cause) {
    const { message } = /** @type {Error} */ (cause);
    throw new Error(`The check of lesson ${task.name} failed: ${message}`, { cause });
  }
}

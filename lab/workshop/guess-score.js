import { formatNumber } from 'mongodb-pool-page/universal/quantity.js';

/** @import { Guess, Task, Verdict } from './lesson-types.js' */

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
 * @param {number} truth as measured
 */
export function scoreGuess(guess, truth) {
  if (guess === truth) return MAX_SCORE;
  const [low, high] = [guess, truth].toSorted((a, b) => a - b);
  return (low > 0 && STEPS.find(({ times }) => high <= times * low)?.points) || 0;
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
  return {
    points,
    words: `${points} of ${MAX_SCORE} points: you guessed ${guess.value}, and it was ${measured} ${task.guess?.unit}.`,
  };
}

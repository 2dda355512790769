import { formatQuantity } from 'mongodb-pool-monitor/universal/quantity.js';
import { isClose, right, wrong } from '../../src/workshop/verdict.js';

const POOL_SIZE = 2;
const SLOW_MS = 5000;

/** @type {import('../../src/workshop/lesson-types.js').LessonRules} */
export const lesson = {
  minutes: 10,
  lab: 'mixed',
  hints: [
    'Draw two lanes and let the five buses enter one after the other, as in lesson 1.',
    'They enter at 0, 1, 5, 6 and 10 s. When does the last one leave, and when did it arrive?',
    'It arrives at 4 s and leaves at 15 s: 11 s. Guess 11, run pool-lab run mixed --pool-sizes 2, then verify. Any '
      + 'guess counts.',
  ],
  guess: { question: 'With 2 connections, how long will the slowest request take?', unit: 'seconds' },
  check({ results, guess }) {
    const [found] = results
      .filter(({ startedAt, settings }) => startedAt > guess.at && settings.slowMs === SLOW_MS)
      .flatMap((run) => run.variants.map((variant) => ({ run, variant })))
      .filter(({ variant: { settings, error } }) => settings.poolSize === POOL_SIZE && !error);
    if (!found) return wrong('You have not measured since your guess: pool-lab run mixed --pool-sizes 2');
    const { run, variant: { measured, predicted } } = found;
    const guessedMs = guess.value * 1000;
    const measuredMs = measured?.maxMs;
    const percent = Math.round(Math.abs(guessedMs / measuredMs - 1) * 100);
    const words = isClose(guessedMs, measuredMs)
      ? 'You think like a queue.'
      : `You were ${percent} % too ${guessedMs > measuredMs ? 'high' : 'low'}. Queues are hard to guess, but easy to `
        + 'calculate.';
    return {
      ...right(words, { figures: [
        ['you guessed', formatQuantity(guessedMs, 'ms')],
        ['predicted', formatQuantity(predicted?.maxMs, 'ms')],
        ['measured', formatQuantity(measuredMs, 'ms')],
      ], truth: measuredMs / 1000 }),
      runs: [run],
    };
  },
};

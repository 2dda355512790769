import { formatQuantity } from '../../src/dashboard/shared/quantity.js';
import { isClose, right, wrong } from '../../src/workshop/verdict.js';

const POOL_SIZE = 2;

/** @type {import('../../src/workshop/types.js').LessonRules} */
export const lesson = {
  minutes: 10,
  lab: 'mixed',
  guess: { question: 'With 2 connections, how long will the slowest request take?', unit: 'seconds' },
  check({ results, guess }) {
    const run = results.filter(({ startedAt }) => startedAt > guess.at)
      .flatMap(({ variants }) => variants)
      .find(({ settings, error }) => settings.poolSize === POOL_SIZE && !error);
    if (!run) return wrong('You have guessed, and not measured since: pool-lab run mixed --pool-sizes 2');
    const guessedMs = guess.value * 1000;
    const measuredMs = run.measured?.maxMs;
    const percent = Math.round(Math.abs(guessedMs / measuredMs - 1) * 100);
    return right(isClose(guessedMs, measuredMs)
      ? 'You think like a queue.'
      : `You were ${percent} % too ${guessedMs > measuredMs ? 'high' : 'low'}. A queue is hard to guess and easy to `
        + 'work out.', [
      ['you guessed', formatQuantity(guessedMs, 'ms')],
      ['predicted', formatQuantity(run.predicted?.maxMs, 'ms')],
      ['measured', formatQuantity(measuredMs, 'ms')],
    ]);
  },
};

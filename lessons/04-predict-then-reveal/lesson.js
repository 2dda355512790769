import { formatQuantity } from 'mongodb-pool-page/universal/quantity.js';
import { simulate } from 'mongodb-pool-predictor';
import { readScenario } from 'mongodb-pool-predictor/node';
import { hasArticleLoad } from '../article-load.js';
import { defineLesson, isClose, right, wrong } from '../../lab/workshop/define-lesson.js';
import { simulateAnswer, slowestMs } from '../../lab/workshop/simulate-answer.js';

const SCENARIO = 'loadtests/mixed.yaml';
const POOL_SIZE = 2;
const REPLAY = { scenario: SCENARIO, poolSize: POOL_SIZE };

export const lesson = defineLesson({
  minutes: 3,
  goal: 'calculate how long requests wait',
  lab: 'mixed',
  hints: [
    'Draw two lanes and let the five buses enter one after the other, as in lesson 1.',
    'They enter at 0, 1, 5, 6 and 10 s. When does the last one leave, and when did it arrive?',
    'It arrives at 4 s and leaves at 15 s: 11 s. Guess 11, run npx pool-lab run mixed --pool-sizes 2, then verify. ' +
      'Any guess counts.',
  ],
  guess: {
    question:
      'Five users arrive one second apart. Each sends a bus, which takes 5 s, and then a Ferrari. The slowest ' +
      'request takes 21 s with 1 connection and 7 s with 3. How long will it take with 2?',
    unit: 'seconds',
    why: 'The fifth bus comes at 4 s, gets a lane at 10 s and needs it for 5 s, so it takes 11 s.',
    replay: REPLAY,
    answer: async () => slowestMs(await simulateAnswer(REPLAY)) / 1000,
  },
  check({ results, guess }) {
    const [found] = results
      .filter((run) => run.startedAt > guess.at && hasArticleLoad(run))
      .flatMap((run) => run.variants.map((variant) => ({ run, variant })))
      .filter(({ variant: { settings, error } }) => settings.poolSize === POOL_SIZE && !error);
    if (!found) return wrong('You have not measured since your guess: npx pool-lab run mixed --pool-sizes 2');
    const { measured, predicted } = found.variant;
    const guessedMs = guess.value * 1000;
    const measuredMs = measured?.maxMs;
    if (!isClose(predicted?.maxMs, measuredMs)) {
      return wrong(
        `The prediction says ${formatQuantity(predicted?.maxMs, 'ms')} and the measurement ` +
          `${formatQuantity(measuredMs, 'ms')}. Something else used this machine: close other ` +
          'programs and measure again.',
      );
    }
    const percent = Math.round(Math.abs(guessedMs / measuredMs - 1) * 100);
    const words = isClose(guessedMs, measuredMs)
      ? 'You think like a queue.'
      : `You were ${percent} % too ${guessedMs > measuredMs ? 'high' : 'low'}. Queues are hard to guess, but easy to ` +
        'calculate.';
    return {
      ...right(words, {
        figures: [
          ['you guessed', formatQuantity(guessedMs, 'ms')],
          ['predicted', formatQuantity(predicted?.maxMs, 'ms')],
          ['measured', formatQuantity(measuredMs, 'ms')],
        ],
        truth: measuredMs / 1000,
      }),
      runs: [found.run],
    };
  },
  twist: {
    asks: {
      question: 'With buses of 2 s and 2 connections, how long does the slowest Ferrari take?',
      unit: 'seconds',
    },
    key: '1 second: the third bus finds both lanes taken, waits a second, and keeps the second Ferrari out.',
    async check({ answer }) {
      const workload = await readScenario(new URL(`../../${SCENARIO}`, import.meta.url).pathname);
      const { routes } = simulate({
        workload,
        pool: { maxPoolSize: POOL_SIZE },
        services: { '/slow': { kind: 'fixed', ms: 2000 }, '/fast': { kind: 'fixed', ms: 2 } },
      });
      const seconds = routes['/fast'].maxMs / 1000;
      if (!isClose(answer, seconds)) return wrong('Look at the column max of /fast.');
      return right('Buses of 2 seconds still block a pool of 2, though only for a second.');
    },
  },
});

import { formatQuantity } from 'mongodb-pool-page/universal/quantity.js';
import { hasArticleLoad } from '../article-load.js';
import { CASES } from '../cases/causes.js';
import { defineLesson, judgeRuns, right, wrong } from '../../lab/workshop/define-lesson.js';
import { simulateAnswer } from '../../lab/workshop/simulate-answer.js';

/** @import { SavedResult } from '../../lab/workshop/lesson-types.js' */

const LIMIT_MS = 2500;
const TWIST_LIMIT_MS = 100;

const REPLAY = { scenario: 'loadtests/mixed.yaml', poolSize: 1, waitQueueTimeoutMs: LIMIT_MS };

export const lesson = defineLesson({
  minutes: 5,
  goal: 'say whom a limit on the wait helps, and whom it refuses',
  lab: 'mixed',
  guess: {
    question:
      'Five users arrive one second apart at a tunnel with one lane. Each sends a bus, which takes 5 s, and once the ' +
      'bus is answered or refused, a Ferrari, which takes 2 ms. A request that has waited for 2.5 s is refused. How ' +
      'many of the ten will be refused?',
    unit: 'requests',
    why:
      'Only two buses, and the Ferrari that comes as the second one leaves, get the lane within 2.5 s; the ' +
      'other seven wait too long behind a bus.',
    isCount: true,
    replay: REPLAY,
    answer: async () => (await simulateAnswer(REPLAY)).trips.filter(({ outcome }) => outcome !== 'ok').length,
  },
  hints: [
    'The column fail counts them. Which requests can get the lane within 2.5 s?',
    'A bus that arrives when the lane is free for the next 5 s keeps out everybody who arrives in its first 2.5 s.',
    '7: two buses and one Ferrari are served, the other seven requests are refused. Verify with --answer 7, or with ' +
      'the number in your fail column.',
  ],
  asks: { question: 'How many requests were refused with one lane?', unit: 'requests', isCount: true },
  check({ results, answer }) {
    const runs = results.filter((run) => {
      const { oneLane, several } = findPools(run);
      return hasArticleLoad(run, { poolTimeout: LIMIT_MS }) && oneLane && several;
    });
    return judgeRuns(
      runs,
      'There is no run yet where one lane refused requests and several lanes did not: ' +
        `npx pool-lab run mixed --pool-sizes 1,5 --parallel --pool-timeout ${LIMIT_MS}`,
      (run) => {
        const { oneLane, several } = findPools(run);
        const { requests, failures, pool } = oneLane?.measured ?? {};
        if (answer !== failures) return wrong(`It is not ${answer}. Look at the column "fail" again.`);
        return right(
          `${failures} of ${requests} were refused after a wait of ${formatQuantity(LIMIT_MS, 'ms')}. The ` +
            `others waited at most ${formatQuantity(pool.waitMaxMs, 'ms')}. With ${several?.settings.poolSize} ` +
            'lanes the timeout hit nobody.',
          { truth: failures },
        );
      },
    );
  },
  case: CASES[0],
  twist: {
    lab: 'mixed',
    asks: {
      question: 'How many of the ten requests get an answer with one lane and a limit of 100 ms?',
      unit: 'requests',
      isCount: true,
    },
    key: 'Two: the first bus and its own Ferrari. All others find the lane taken for longer than 100 ms.',
    check({ results, answer }) {
      const runs = results.filter(
        (run) =>
          hasArticleLoad(run, { poolTimeout: TWIST_LIMIT_MS }) &&
          run.variants[0].settings.poolSize === 1 &&
          run.variants[0].measured,
      );
      return judgeRuns(
        runs,
        'There is no such run yet: npx pool-lab run mixed --pool-sizes 1 --pool-timeout 100',
        ({ variants: [{ measured }] }) => {
          const answered = measured.requests - measured.failures;
          if (answer !== answered) return wrong(`It is not ${answer}. Subtract the column "fail" from "reqs".`);
          return right(
            `${answered} of ${measured.requests} got an answer. A short limit keeps the queue short, not the work.`,
          );
        },
      );
    },
  },
});

/** @param {SavedResult} run */
function findPools({ variants }) {
  return {
    oneLane: variants.find(({ settings, measured }) => settings.poolSize === 1 && measured?.failures > 0),
    several: variants.find(({ settings, measured }) => settings.poolSize > 1 && measured?.failures === 0),
  };
}

import { formatQuantity } from 'mongodb-pool-monitor/universal/quantity.js';
import { judgeRuns, right, wrong } from '../../src/workshop/verdict.js';

/** The twist uses another value. */
const LIMIT_MS = 2500;

/** @type {import('../../src/workshop/lesson-types.js').LessonRules} */
export const lesson = {
  minutes: 10,
  lab: 'mixed',
  guess: {
    question: 'Ten requests meet one lane and a limit of 2.5 s. How many will be refused?',
    unit: 'requests',
  },
  hints: [
    'The column fail counts them. Which requests can get the lane within 2.5 s?',
    'A bus that arrives when the lane is free for the next 5 s keeps out everybody who arrives in its first 2.5 s.',
    '7: two buses and one Ferrari are served, the other seven requests are refused. Verify with --answer 7, or with '
      + 'what your column fail says.',
  ],
  asks: { question: 'How many requests were refused with one lane?', unit: 'requests', isCount: true },
  check({ results, answer }) {
    const runs = results.filter(({ settings, variants }) => {
      const { tight, wide } = sortOut(variants);
      return settings.poolTimeout === LIMIT_MS && tight && wide;
    });
    if (runs.length === 0) {
      return wrong('There is no run yet where one lane refused requests and several lanes did not: '
        + `pool-lab run mixed --pool-sizes 1,5 --parallel --pool-timeout ${LIMIT_MS}`);
    }
    return judgeRuns(runs, ({ variants }) => {
      const { tight, wide } = sortOut(variants);
      const { requests, failures, pool } = tight?.measured ?? {};
      if (answer !== failures) return wrong(`It is not ${answer}. Look at the column "fail" again.`);
      return right(`${failures} of ${requests} were refused. The others waited at most `
        + `${formatQuantity(pool.waitMaxMs, 'ms')}. With ${wide?.settings.poolSize} lanes the timeout hit nobody.`, { truth: failures });
    });
  },
};

/** @param {import('../../src/report/result-types.js').Variant[]} variants */
function sortOut(variants) {
  return {
    tight: variants.find(({ settings, measured }) => settings.poolSize === 1 && measured?.failures > 0),
    wide: variants.find(({ settings, measured }) => settings.poolSize > 1 && measured?.failures === 0),
  };
}

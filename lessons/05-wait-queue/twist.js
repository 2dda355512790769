import { judgeRuns, right, wrong } from '../../src/workshop/verdict.js';

const LIMIT_MS = 100;

/** @type {import('../../src/workshop/lesson-types.js').TwistRules} */
export const twist = {
  lab: 'mixed',
  asks: { question: 'How many of the requests get an answer?', unit: 'requests', isCount: true },
  key: 'Two: the first bus and its own Ferrari. All others find the lane taken for longer than 100 ms.',
  check({ results, answer }) {
    const runs = results.filter(({ settings, variants: [{ settings: { poolSize }, measured }] }) => (
      settings.poolTimeout === LIMIT_MS && poolSize === 1 && measured));
    if (runs.length === 0) {
      return wrong('There is no such run yet: pool-lab run mixed --pool-sizes 1 --pool-timeout 100');
    }
    return judgeRuns(runs, ({ variants: [{ measured }] }) => {
      const answered = measured.requests - measured.failures;
      if (answer !== answered) return wrong(`It is not ${answer}. Subtract the column "fail" from "reqs".`);
      return right(`${answered} of ${measured.requests} got an answer. A short limit keeps the queue short, not the work.`);
    });
  },
};

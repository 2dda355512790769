import { formatQuantity } from 'mongodb-pool-monitor/universal/quantity.js';
import { closeLimitMs } from '../../src/labs/remedies/criterion.js';
import { judgeRuns, right, wrong } from '../../src/workshop/verdict.js';

/** @import { Variant } from '../../src/report/result-types.js' */

const MOST_CONNECTIONS = 4;
const SLOW_MS = 1000;

/** @type {import('../../src/workshop/lesson-types.js').PuzzleRules} */
export const puzzle = {
  lab: 'remedies',
  hints: [
    'A larger pool is not allowed, and neither is a refusal. Which remedy of lesson 8 is left?',
    'A second client keeps a lane free for the customers. --treated sets how many connections both clients have '
      + 'together.',
    'pool-lab run remedies --remedies client --treated 4: three connections for the administrators, one for the '
      + 'customers.',
  ],
  check({ results }) {
    const runs = results.filter(({ settings, variants }) => Number(settings.slowMs) >= SLOW_MS && variants.some(isSmall));
    if (runs.length === 0) {
      return wrong(`There is no run of that load with at most ${MOST_CONNECTIONS} connections yet.`);
    }
    return judgeRuns(runs, ({ variants }) => {
      const all = variants.filter(isSmall).map(({ name, measured }) => ({ name, ...measured?.routes['/fast'], slow: measured?.routes['/slow'] }));
      const alone = variants.find(({ settings, measured }) => settings.load === 'customers' && measured);
      const limitMs = closeLimitMs(alone?.measured?.routes['/fast'].p99Ms ?? 0);
      const solved = all.find(({ p99Ms, refused, failures, slow }) => p99Ms <= limitMs && refused + failures + slow.refused === 0);
      if (solved) {
        return right(`${solved.name}: the p99 of /fast is ${formatQuantity(solved.p99Ms, 'ms')}, and nobody was refused.`);
      }
      return wrong(`${all.map(({ name, p99Ms, refused, slow }) => (
        `${name}: ${formatQuantity(p99Ms, 'ms')}, ${refused + slow.refused} refused`)).join('; ')}.`);
    });
  },
};

/** With the load of customers and administrators. @param {Variant} variant */
function isSmall({ settings: { load, env }, measured }) {
  return measured && load === 'all' && env.MONGO_POOLSIZE + (env.SLOW_POOLSIZE ?? 0) <= MOST_CONNECTIONS;
}

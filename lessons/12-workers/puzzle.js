import { judgeRuns, right, wrong } from '../../src/workshop/verdict.js';

/** @import { SavedResult } from '../../src/workshop/lesson-types.js' */

const MOST_CONNECTIONS = 2;
const TIMES = 3;
const MANY = '100/100 plain';

/** @type {import('../../src/workshop/lesson-types.js').PuzzleRules} */
export const puzzle = {
  lab: 'inserts',
  hints: [
    'More callers at the same entrance make fuller buses.',
    'Put 100/100 and a case with 2 sessions into the same --cases. Which column says how many documents are stored '
      + 'per second?',
    'pool-lab run inserts --cases 100/100,2/100: the line "2/100 gathered" stores several times as many as "100/100 '
      + 'plain".',
  ],
  check({ results }) {
    const runs = results.filter((run) => rateOfMany(run) && findBest(run));
    if (runs.length === 0) {
      return wrong(`There is no run yet with "${MANY}" and a case of at most ${MOST_CONNECTIONS} connections.`);
    }
    return judgeRuns(runs, (run) => {
      const { name, measured } = /** @type {import('../../src/report/result-types.js').Variant} */ (findBest(run));
      const times = measured.ratePerSec / rateOfMany(run);
      const words = `"${name}" stores ${times.toFixed(1)} times as many documents per second as "${MANY}".`;
      return times >= TIMES ? right(words) : wrong(`${words} It must be ${TIMES} times.`);
    });
  },
};

/** @param {SavedResult} run */
function rateOfMany({ variants }) {
  return variants.find(({ name }) => name === MANY)?.measured?.ratePerSec;
}

/** @param {SavedResult} run */
function findBest({ variants }) {
  return variants.filter(({ settings, measured }) => settings.sessions <= MOST_CONNECTIONS && measured)
    .toSorted((a, b) => b.measured.ratePerSec - a.measured.ratePerSec)[0];
}

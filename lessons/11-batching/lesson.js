import { isClose, judgeRuns, right, wrong } from '../../src/workshop/verdict.js';

const ONE_LANE = '1/100 gathered';
const HUNDRED_LANES = '100/100 plain';

/** @type {import('../../src/workshop/lesson-types.js').LessonRules} */
export const lesson = {
  minutes: 10,
  lab: 'inserts',
  guess: {
    question: 'One connection with batches stores how many times as many documents as a hundred without?',
    unit: 'times',
  },
  hints: [
    'You need the column docs/s of two lines: 1/100 gathered and 100/100 plain.',
    'Divide the first by the second. A bus carries many documents in one trip.',
    '26726 / 3627 = 7.4 with the figures in the text. Use your own.',
  ],
  asks: { question: `"${ONE_LANE}" stores how many times as many documents as "${HUNDRED_LANES}"?`, unit: 'times' },
  check({ results, answer }) {
    const runs = results.filter((run) => listRates(run).every(Boolean));
    if (runs.length === 0) return wrong('There is no run of both yet: pool-lab run inserts --cases 1/100,100/100');
    return judgeRuns(runs, (run) => {
      const [gathered, plain] = listRates(run);
      const times = gathered / plain;
      if (!isClose(answer, times)) return wrong('Divide one rate (documents per second) by the other.');
      return right(`${times.toFixed(1)} times as many documents, with a hundredth of the connections.`, { truth: times });
    });
  },
};

/** @param {import('../../src/report/result-types.js').Result} run */
function listRates({ variants }) {
  return [ONE_LANE, HUNDRED_LANES].map((wanted) => (
    variants.find(({ name }) => name === wanted)?.measured?.ratePerSec));
}

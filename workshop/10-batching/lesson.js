import { isClose, right, wrong } from '../../src/workshop/verdict.js';

const ONE_LANE = '1/100 gathered';
const HUNDRED_LANES = '100/100 plain';

/** @type {import('../../src/workshop/types.js').LessonRules} */
export const lesson = {
  minutes: 10,
  lab: 'inserts',
  asks: { question: `How many times as many documents as "${HUNDRED_LANES}" does "${ONE_LANE}" store?`, unit: 'times' },
  check({ results, answer }) {
    const [rates] = results
      .map(({ variants }) => Object.fromEntries(variants.map(({ name, measured }) => [name, measured?.ratePerSec])))
      .filter(({ [ONE_LANE]: gathered, [HUNDRED_LANES]: plain }) => gathered && plain);
    if (!rates) return wrong('There is no run of both: pool-lab run inserts --cases 1/100,100/100');
    const times = rates[ONE_LANE] / rates[HUNDRED_LANES];
    if (!isClose(answer, times)) return wrong('Divide the two rates, documents per second, by each other.');
    return right(`${times.toFixed(1)} times as many documents, over a hundredth of the connections.`);
  },
};

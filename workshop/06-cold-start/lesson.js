import { formatQuantity } from '../../src/dashboard/shared/quantity.js';
import { isClose, right, wrong } from '../../src/workshop/verdict.js';

/** @type {import('../../src/workshop/types.js').LessonRules} */
export const lesson = {
  minutes: 10,
  lab: 'remedies',
  asks: { question: 'How many times as long did the slowest 1 in 100 wait with the cold pool?', unit: 'times' },
  check({ results, answer }) {
    const bursts = results.map(({ variants }) => variants.filter(({ settings }) => settings.load === 'burst')
      .map(({ settings, measured }) => ({ isWarm: settings.env.MONGO_MIN_POOLSIZE > 0, p99Ms: measured?.routes['/fast'].p99Ms })))
      .find((two) => two.length === 2 && two.every(({ p99Ms }) => p99Ms));
    if (!bursts) return wrong('There is no run with both bursts: pool-lab run remedies --remedies warm');
    const [coldMs, warmMs] = [false, true].map((isWarm) => bursts.find((burst) => burst.isWarm === isWarm)?.p99Ms);
    if (!isClose(answer, coldMs / warmMs)) return wrong('Divide the p99 of /fast of the two bursts by each other.');
    return right(`${formatQuantity(coldMs, 'ms')} against ${formatQuantity(warmMs, 'ms')}: the same pool, the same crowd. `
      + 'Only the connections were there already.');
  },
};

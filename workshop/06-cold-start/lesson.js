import { formatQuantity } from '../../src/dashboard/shared/quantity.js';
import { isClose, right, wrong } from '../../src/workshop/verdict.js';

/** @type {import('../../src/workshop/types.js').LessonRules} */
export const lesson = {
  minutes: 10,
  lab: 'remedies',
  asks: { question: 'How many times as long did the slowest 1 in 100 wait with the cold pool?', unit: 'times' },
  check({ results, answer }) {
    const [bursts] = results.map(({ variants }) => [false, true].map((isWarm) => findBurst(variants, isWarm)))
      .filter((both) => both.every(Boolean));
    if (!bursts) return wrong('There is no run with both bursts: pool-lab run remedies --remedies warm');
    const [coldMs, warmMs] = bursts.map((burst) => burst?.measured?.routes['/fast'].p99Ms);
    if (!isClose(answer, coldMs / warmMs)) return wrong('Divide the p99 of /fast of the two bursts by each other.');
    return right(`${formatQuantity(coldMs, 'ms')} against ${formatQuantity(warmMs, 'ms')}: the same pool, the same `
      + 'crowd. Only the connections were there already.');
  },
};

/**
 * @param {import('../../src/report/types.js').Variant[]} variants
 * @param {boolean} isWarm whether its pool was told to keep connections ready
 */
function findBurst(variants, isWarm) {
  return variants.find(({ settings: { load, env }, measured }) => (
    measured && load === 'burst' && Boolean(env.MONGO_MIN_POOLSIZE) === isWarm));
}

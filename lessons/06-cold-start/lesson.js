import { formatQuantity } from '../../src/universal/quantity.js';
import { isClose, judgeRuns, right, wrong } from '../../src/workshop/verdict.js';

/** The twist changes it. */
const RTT_MS = 20;

/** @type {import('../../src/workshop/lesson-types.js').LessonRules} */
export const lesson = {
  minutes: 10,
  lab: 'remedies',
  asks: { question: 'How many ms sooner was the slowest 1 in 100 answered with the warm pool?', unit: 'ms' },
  check({ results, answer }) {
    const runs = results.filter(({ settings, variants }) => (
      settings.rttMs === RTT_MS && findBurst(variants, false) && findBurst(variants, true)));
    if (runs.length === 0) return wrong('There is no run with both bursts: pool-lab run remedies --remedies warm');
    return judgeRuns(runs, ({ variants }) => {
      const [coldMs, warmMs] = [false, true].map((isWarm) => (
        findBurst(variants, isWarm)?.measured?.routes['/fast'].p99Ms));
      if (!isClose(answer, coldMs - warmMs)) return wrong('Compare the p99 of /fast of the two bursts.');
      return right(`${formatQuantity(coldMs, 'ms')} against ${formatQuantity(warmMs, 'ms')}: the same pool, the same `
        + 'crowd. Only the connections were there already.');
    });
  },
};

/**
 * @param {import('../../src/report/result-types.js').Variant[]} variants
 * @param {boolean} isWarm whether its pool was told to keep connections ready
 */
function findBurst(variants, isWarm) {
  return variants.find(({ settings: { load, env }, measured }) => (
    measured && load === 'burst' && Boolean(env.MONGO_MIN_POOLSIZE) === isWarm));
}

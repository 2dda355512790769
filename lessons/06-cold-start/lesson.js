import { formatQuantity } from 'mongodb-pool-monitor/universal/quantity.js';
import { isClose, judgeRuns, right, wrong } from '../../src/workshop/verdict.js';

/** The twist uses another value. */
const RTT_MS = 20;

/** @type {import('../../src/workshop/lesson-types.js').LessonRules} */
export const lesson = {
  minutes: 10,
  lab: 'remedies',
  guess: {
    question: 'By how many ms will a warm pool reduce the p99 of the first crowd?',
    unit: 'ms',
  },
  hints: [
    'Find the two lines called burst. Only their p99 of /fast matters.',
    'A cold pool opens its connections one by one, and each needs several round trips of 20 ms.',
    'Subtract: p99 of burst, cold pool minus p99 of burst, warm pool. It is some hundred ms on most machines.',
  ],
  asks: { question: 'By how many ms did the warm pool reduce the p99?', unit: 'ms' },
  check({ results, answer }) {
    const runs = results.filter(({ settings, variants }) => (
      settings.rttMs === RTT_MS && findBurst(variants, false) && findBurst(variants, true)));
    if (runs.length === 0) return wrong('There is no run with both bursts yet: pool-lab run remedies --remedies warm');
    return judgeRuns(runs, ({ variants }) => {
      const [coldMs, warmMs] = [false, true].map((isWarm) => (
        findBurst(variants, isWarm)?.measured?.routes['/fast'].p99Ms));
      if (!isClose(answer, coldMs - warmMs)) return wrong('Compare the p99 of /fast in the two bursts.');
      return right(`${formatQuantity(coldMs, 'ms')} against ${formatQuantity(warmMs, 'ms')}, with the same pool and the same `
        + 'load. The only difference: the connections were already open.', { truth: coldMs - warmMs });
    });
  },
};

/** @param {import('../../src/report/result-types.js').Variant[]} variants @param {boolean} isWarm with a minPoolSize */
export function findBurst(variants, isWarm) {
  return variants.find(({ settings: { load, env }, measured }) => (
    measured && load === 'burst' && Boolean(env.MONGO_MIN_POOLSIZE) === isWarm));
}

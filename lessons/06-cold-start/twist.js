import { formatQuantity } from 'mongodb-pool-monitor/universal/quantity.js';
import { isClose, judgeRuns, right, wrong } from '../../src/workshop/verdict.js';
import { findBurst } from './lesson.js';

const RTT_MS = 100;

/** @type {import('../../src/workshop/lesson-types.js').TwistRules} */
export const twist = {
  lab: 'remedies',
  asks: { question: 'What is the p99 of /fast in the burst with a cold pool?', unit: 'ms' },
  key: 'Between one and a few seconds, several times as long as with 20 ms: opening a connection takes several round trips. The '
    + 'column p99 has it.',
  check({ results, answer }) {
    const runs = results.filter(({ settings, variants }) => settings.rttMs === RTT_MS && findBurst(variants, false));
    if (runs.length === 0) return wrong('There is no such run yet: pool-lab run remedies --remedies warm --rtt 100');
    return judgeRuns(runs, ({ variants }) => {
      const coldMs = findBurst(variants, false)?.measured?.routes['/fast'].p99Ms;
      if (!isClose(answer, coldMs)) return wrong('Look at the p99 of /fast in the line "burst, cold pool".');
      return right(`${formatQuantity(coldMs, 'ms')}: the farther away the database, the more a warm pool is worth.`);
    });
  },
};

import { formatNumber, formatQuantity } from 'mongodb-pool-monitor/universal/quantity.js';
import { judgeRuns, right, wrong } from '../../src/workshop/verdict.js';
import { findBurst } from './lesson.js';

/** A busy laptop slows down both crowds, so only their ratio counts. */
const TIMES = 1.5;

/** @type {import('../../src/workshop/lesson-types.js').PuzzleRules} */
export const puzzle = {
  lab: 'remedies',
  hints: [
    'What takes so long when a connection opens? It is not the work of the app or of the database.',
    'Opening a connection takes several round trips, one after the other. What decides how long a round trip takes?',
    'Move the app next to its database: pool-lab run remedies --remedies warm --rtt 1.',
  ],
  check({ results }) {
    const runs = results.filter(({ variants }) => findBurst(variants, false) && findBurst(variants, true));
    if (runs.length === 0) return wrong('There is no run of both bursts yet: pool-lab run remedies --remedies warm');
    return judgeRuns(runs, ({ variants, settings }) => {
      const [cold, warm] = [false, true].map((isWarm) => Object(findBurst(variants, isWarm)?.measured).routes['/fast']);
      if (cold.failures > 0) return wrong(`${cold.failures} customers of the cold pool got no answer.`);
      const times = cold.p99Ms / warm.p99Ms;
      const words = `The p99 was ${formatQuantity(cold.p99Ms, 'ms')} with a cold pool and ${formatQuantity(warm.p99Ms, 'ms')} with `
        + `a warm one: ${formatNumber(times, 1)} times.`;
      if (times > TIMES) return wrong(words);
      return right(`${words} With a round trip of ${settings.rttMs} ms, an open connection is hardly worth keeping.`);
    });
  },
};

import { formatQuantity } from 'mongodb-pool-monitor/universal/quantity.js';
import { judgeRuns, right, wrong } from '../../src/workshop/verdict.js';
import { findBurst } from './lesson.js';

const LIMIT_MS = 150;

/** @type {import('../../src/workshop/lesson-types.js').PuzzleRules} */
export const puzzle = {
  lab: 'remedies',
  hints: [
    'What takes so long when a connection opens? It is not the work of the app or of the database.',
    'Opening a connection takes several round trips, one after the other. What decides how long a round trip takes?',
    'Move the app next to its database: pool-lab run remedies --remedies warm --rtt 1. Only the line "burst, cold '
      + 'pool" counts.',
  ],
  check({ results }) {
    const runs = results.filter(({ variants }) => findBurst(variants, false));
    if (runs.length === 0) return wrong('There is no burst on a cold pool yet: pool-lab run remedies --remedies warm');
    return judgeRuns(runs, ({ variants, settings }) => {
      const { p99Ms, failures } = Object(findBurst(variants, false)?.measured).routes['/fast'];
      if (failures > 0) return wrong(`${failures} customers got no answer.`);
      if (p99Ms >= LIMIT_MS) return wrong(`With a cold pool the p99 was ${formatQuantity(p99Ms, 'ms')}.`);
      return right(`With a round trip of ${settings.rttMs} ms the p99 was ${formatQuantity(p99Ms, 'ms')}. Distance is the price of a connection.`);
    });
  },
};

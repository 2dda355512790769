import { isClose, judgeRuns, right, wrong } from '../../src/workshop/verdict.js';

/** @import { Result } from '../../src/report/result-types.js' */

/** The twist uses another value. */
const POOL_SIZE = 20;

/** @type {import('../../src/workshop/lesson-types.js').LessonRules} */
export const lesson = {
  minutes: 10,
  lab: 'handles',
  guess: {
    question: 'How many times as many requests as one client will several clients answer?',
    unit: 'times',
  },
  hints: [
    'The processor of the app is busy all the time. A second has 1,000,000 µs.',
    'Take the column here of the line c128 one, and divide 1,000,000 by it.',
    '1,000,000 / 2931 = 341 µs with the figures in the text. Use your own requests per second.',
  ],
  asks: { question: 'With one client, how many µs of CPU time does the app spend on a request?', unit: 'µs' },
  check({ results, answer }) {
    const runs = results.filter((run) => {
      const { one, several, gathered } = listRates(run);
      return run.settings.poolSize === POOL_SIZE && one && several && gathered;
    });
    if (runs.length === 0) {
      return wrong('There is no run yet with one client, several clients and gathered lookups: '
        + 'pool-lab run handles --connections 128');
    }
    return judgeRuns(runs, (run) => {
      const { one, several, gathered } = listRates(run);
      const [alone, together] = [one, gathered].map((ratePerSec) => 1_000_000 / ratePerSec);
      if (!isClose(answer, alone)) {
        return wrong('Divide 1,000,000 µs by the requests per second with one client.');
      }
      return right(`${Math.round(alone)} µs per request, and ${Math.round(together)} µs with gathered lookups. Several `
        + `clients answered ${(several / one).toFixed(1)} times as many requests as one. Connections were not the bottleneck.`, { truth: several / one });
    });
  },
};

/** Requests per second by handle, for the first number of users. @param {Result} run */
export function listRates({ variants }) {
  return Object.fromEntries(variants
    .filter(({ settings }) => settings.connections === variants[0].settings.connections)
    .map(({ settings, measured }) => [settings.handle, measured?.ratePerSec]));
}

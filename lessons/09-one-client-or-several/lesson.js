import { isClose, judgeRuns, right, wrong } from '../../src/workshop/verdict.js';

/** @import { Result } from '../../src/report/result-types.js' */

/** The twist changes it. */
const POOL_SIZE = 20;

/** @type {import('../../src/workshop/lesson-types.js').LessonRules} */
export const lesson = {
  minutes: 10,
  lab: 'handles',
  asks: { question: 'How many µs of its processor does the app spend on a request, with one client?', unit: 'µs' },
  check({ results, answer }) {
    const runs = results.filter((run) => {
      const { one, several, gathered } = listRates(run);
      return run.settings.poolSize === POOL_SIZE && one && several && gathered;
    });
    if (runs.length === 0) {
      return wrong('There is no run with one client, several and gathered lookups: '
        + 'pool-lab run handles --connections 128');
    }
    return judgeRuns(runs, (run) => {
      const { one, several, gathered } = listRates(run);
      const [alone, together] = [one, gathered].map((ratePerSec) => 1_000_000 / ratePerSec);
      if (!isClose(answer, alone)) {
        return wrong('A second has 1,000,000 µs: divide them by the requests that one client answered in a second.');
      }
      return right(`${Math.round(alone)} µs each, and ${Math.round(together)} µs when lookups are gathered. Several `
        + `clients answered ${(several / one).toFixed(1)} times as many as one: it was not connections that were short.`);
    });
  },
};

/** Requests a second by handle, at the first number of users. @param {Result} run */
function listRates({ variants }) {
  return Object.fromEntries(variants
    .filter(({ settings }) => settings.connections === variants[0].settings.connections)
    .map(({ settings, measured }) => [settings.handle, measured?.ratePerSec]));
}

import { formatNumber } from '../../src/universal/quantity.js';
import { judgeRuns, right, wrong } from '../../src/workshop/verdict.js';

/** @import { Result } from '../../src/report/result-types.js' */

/** @type {import('../../src/workshop/lesson-types.js').LessonRules} */
export const lesson = {
  minutes: 15,
  lab: 'replication',
  asks: { question: 'With how many workers did it move the most?', unit: 'workers', isCount: true },
  check({ results, answer }) {
    // The twist does without merging.
    const runs = results.filter((run) => run.settings.merge !== false
      && new Set(listWays(run).map(({ workers }) => workers)).size > 1);
    if (runs.length === 0) {
      return wrong('There is no run of one case with several numbers of workers: '
        + 'pool-lab run replication --cases 7 --workers 1,8,64');
    }
    return judgeRuns(runs, (run) => {
      const [best, ...others] = listWays(run);
      const last = others[others.length - 1];
      if (answer !== best.workers) return wrong(`It was not ${answer}: compare the operations per second.`);
      return right(`${best.workers} moved ${formatNumber(best.ratePerSec)} operations a second, ${last.workers} moved `
        + `${formatNumber(last.ratePerSec)}.`);
    });
  },
};

/** What the first case moved, by number of workers, the most first. @param {Result} run */
function listWays({ variants }) {
  return variants
    .filter(({ settings, measured }) => settings.case === variants[0].settings.case && measured)
    .map(({ settings, measured }) => ({ workers: settings.workers, ratePerSec: Number(measured?.ratePerSec) }))
    .toSorted((a, b) => b.ratePerSec - a.ratePerSec);
}

import { formatNumber } from 'mongodb-pool-monitor/universal/quantity.js';
import { judgeRuns, right, wrong } from '../../src/workshop/verdict.js';

/** @import { Result } from '../../src/report/result-types.js' */

/** @type {import('../../src/workshop/lesson-types.js').LessonRules} */
export const lesson = {
  minutes: 15,
  lab: 'replication',
  asks: { question: 'Which number of workers was the fastest?', unit: 'workers', isCount: true },
  check({ results, answer }) {
    // The twist turns merging off.
    const runs = results.filter((run) => run.settings.merge !== false
      && new Set(rankWorkers(run).map(({ workers }) => workers)).size > 1);
    if (runs.length === 0) {
      return wrong('There is no run of one case with several numbers of workers yet: '
        + 'pool-lab run replication --cases 7 --workers 1,8,64');
    }
    return judgeRuns(runs, (run) => {
      const [best, ...others] = rankWorkers(run);
      const last = others[others.length - 1];
      if (answer !== best.workers) return wrong(`It is not ${answer}. Compare the operations per second.`);
      return right(`${best.workers} workers moved ${formatNumber(best.ratePerSec)} operations per second, ${last.workers} moved `
        + `${formatNumber(last.ratePerSec)}.`);
    });
  },
};

/** The rates of the first case by number of workers, fastest first. @param {Result} run */
function rankWorkers({ variants }) {
  return variants
    .filter(({ settings, measured }) => settings.case === variants[0].settings.case && measured)
    .map(({ settings, measured }) => ({ workers: settings.workers, ratePerSec: Number(measured?.ratePerSec) }))
    .toSorted((a, b) => b.ratePerSec - a.ratePerSec);
}

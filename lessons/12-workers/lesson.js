import { formatNumber } from 'mongodb-pool-monitor/universal/quantity.js';
import { judgeRuns, right, wrong } from '../../src/workshop/verdict.js';

/** @import { Result } from '../../src/report/result-types.js' */

/** @type {import('../../src/workshop/lesson-types.js').LessonRules} */
export const lesson = {
  minutes: 15,
  lab: 'replication',
  guess: {
    question: 'How many times as fast as 1 worker are 64?',
    unit: 'times',
  },
  hints: [
    'Compare the column ops/s of the three lines.',
    'More workers split the same operations into smaller batches, and each batch costs about as much.',
    'The number in the line with the highest ops/s: 8 on most machines with two processors, 1 on some. Verify with '
      + '--answer and that number.',
  ],
  asks: { question: 'Which number of workers was the fastest?', unit: 'workers', isCount: true },
  // The twist turns merging off.
  check: ({ results, answer }) => checkFastest({ results, answer }, true),
};

/**
 * Whether the answer is the number of workers that was fastest.
 * @param {Pick<import('../../src/workshop/lesson-types.js').Evidence, 'results' | 'answer'>} evidence
 * @param {boolean} isMerging whether the runs merge operations
 */
export function checkFastest({ results, answer }, isMerging) {
  const runs = results.filter((run) => (run.settings.merge !== false) === isMerging
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
      + `${formatNumber(last.ratePerSec)}.`, { truth: compareEnds([best, ...others]) });
  });
}

/** How many times as fast the most workers are as the fewest. @param {{ workers: number, ratePerSec: number }[]} ranked */
function compareEnds(ranked) {
  const [fewest, ...more] = ranked.toSorted((a, b) => a.workers - b.workers);
  return more[more.length - 1].ratePerSec / fewest.ratePerSec;
}

/** The rates of the first case by number of workers, fastest first. @param {Result} run */
function rankWorkers({ variants }) {
  return variants
    .filter(({ settings, measured }) => settings.case === variants[0].settings.case && measured)
    .map(({ settings, measured }) => ({ workers: settings.workers, ratePerSec: Number(measured?.ratePerSec) }))
    .toSorted((a, b) => b.ratePerSec - a.ratePerSec);
}

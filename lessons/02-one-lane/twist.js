import { formatQuantity } from 'mongodb-pool-monitor/universal/quantity.js';
import { judgeRuns, right, wrong } from '../../src/workshop/verdict.js';

/** @type {import('../../src/workshop/lesson-types.js').TwistRules} */
export const twist = {
  lab: 'mixed',
  key: 'A few ms, or some tens of ms on a busy laptop: without buses nobody is in the way.',
  check({ results }) {
    const runs = results.filter((run) => String(run.settings.scenario).endsWith('fast-only.yaml') && findOneLane(run));
    if (runs.length === 0) return wrong('There is no run of loadtests/fast-only.yaml with one lane yet.');
    return judgeRuns(runs, (run) => {
      const { requests, maxMs } = findOneLane(run)?.measured ?? {};
      return right(`The slowest of ${requests} Ferraris took ${formatQuantity(maxMs, 'ms')}. One lane is plenty without buses.`);
    });
  },
};

/** @param {import('../../src/report/result-types.js').Result} run */
function findOneLane({ variants }) {
  return variants.find(({ settings, measured }) => settings.poolSize === 1 && measured);
}

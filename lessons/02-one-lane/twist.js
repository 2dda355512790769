import { formatQuantity } from 'mongodb-pool-monitor/universal/quantity.js';
import { judgeRuns, right, wrong } from '../../src/workshop/verdict.js';

/** @type {import('../../src/workshop/lesson-types.js').TwistRules} */
export const twist = {
  lab: 'mixed',
  key: 'A few ms, or some tens of ms on a busy laptop: without buses nobody is in the way.',
  check({ results }) {
    const runs = results.filter(({ settings, variants }) => (
      String(settings.scenario).endsWith('fast-only.yaml') && variants.some(({ settings: { poolSize }, measured }) => poolSize === 1 && measured)));
    if (runs.length === 0) return wrong('There is no run of loadtests/fast-only.yaml with one lane yet.');
    return judgeRuns(runs, ({ variants }) => {
      const { measured } = /** @type {import('../../src/report/result-types.js').Variant} */ (variants.find(({ settings }) => settings.poolSize === 1));
      return right(`The slowest of ${measured?.requests} Ferraris took ${formatQuantity(measured?.maxMs, 'ms')}. One lane is plenty without buses.`);
    });
  },
};

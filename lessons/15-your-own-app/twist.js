import { judgeRuns, right, wrong } from '../../src/workshop/verdict.js';

/** @type {import('../../src/workshop/lesson-types.js').TwistRules} */
export const twist = {
  lab: 'sweep',
  asks: { question: 'How many of the 10 connections are used at once?', unit: 'connections', isCount: true },
  key: 'One or two, the column peak active: ten Ferraris a second of a few ms each hardly ever meet.',
  check({ results, answer }) {
    const runs = results.filter((run) => String(run.settings.scenario).endsWith('fast-only.yaml') && findTen(run));
    if (runs.length === 0) return wrong('There is no such sweep yet.');
    return judgeRuns(runs, (run) => {
      const most = findTen(run)?.measured?.pool.peakActive;
      if (answer !== most) return wrong(`It is not ${answer}. Look at the column "active" under "peak".`);
      return right(`${most} of 10. The lab's knee depends on the load, not on the app alone.`);
    });
  },
};

/** @param {import('../../src/report/result-types.js').Result} run */
function findTen({ variants }) {
  return variants.find(({ settings, measured }) => settings.poolSize === 10 && measured);
}

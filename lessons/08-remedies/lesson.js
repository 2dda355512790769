import { isCure } from '../../src/labs/remedies/criterion.js';
import { judgeRuns, right, wrong } from '../../src/workshop/verdict.js';

/** The twist uses another value. */
const SLOW_MS = 1000;

/** @type {import('../../src/workshop/lesson-types.js').LessonRules} */
export const lesson = {
  minutes: 15,
  lab: 'remedies',
  asks: { question: 'How many of the remedies work?', unit: 'remedies', isCount: true },
  check({ results, answer }) {
    const runs = results.filter((run) => {
      const { alone, treated } = sortOut(run);
      return run.settings.slowMs === SLOW_MS && alone && treated.length > 1;
    });
    if (runs.length === 0) return wrong('There is no run of several remedies yet: pool-lab run remedies');
    return judgeRuns(runs, (run) => {
      const { alone, treated } = sortOut(run);
      const names = treated.filter((variant) => alone && isCure(variant, alone)).map(({ name }) => name);
      if (answer !== names.length) return wrong(`It is not ${answer}. Read the last sentence of the run again.`);
      return right(`${names.length} of ${treated.length} work${names.length > 0 ? `: ${names.join(', ')}` : ''}. Now `
        + 'look at what each one costs the administrators.');
    });
  },
};

/** @param {import('../../src/report/result-types.js').Result} result */
function sortOut({ variants }) {
  const measured = variants.filter((variant) => variant.measured);
  return {
    alone: measured.find(({ settings }) => settings.load === 'customers'),
    treated: measured.filter(({ settings }) => settings.load === 'all' && settings.remedy !== 'none'),
  };
}

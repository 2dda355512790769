import { isCure } from '../../src/labs/remedies/criterion.js';
import { judgeRuns, right, wrong } from '../../src/workshop/verdict.js';

/** The twist uses another value. */
const SLOW_MS = 1000;

/** @type {import('../../src/workshop/lesson-types.js').LessonRules} */
export const lesson = {
  minutes: 15,
  lab: 'remedies',
  guess: {
    question: 'How many of the six remedies will work?',
    unit: 'remedies',
  },
  hints: [
    'A remedy works if the p99 of /fast is below twice that of the first line, or below 50 ms.',
    'A pool of 1 is worse than 5, and a limit on waiting only turns slow answers into errors.',
    'Four work on most machines: pools of 20 and 100, the second client, and the limit on slow queries. The last '
      + 'sentence of the run names them; count those.',
  ],
  asks: { question: 'How many of the remedies work?', unit: 'remedies', isCount: true },
  check: (evidence) => checkRemedies(evidence, SLOW_MS),
};

/**
 * Whether the answer is the number of remedies that work against slow queries of some length.
 * @param {Pick<import('../../src/workshop/lesson-types.js').Evidence, 'results' | 'answer'>} evidence
 * @param {number} slowMs
 */
export function checkRemedies({ results, answer }, slowMs) {
  const runs = results.filter((run) => {
    const { alone, treated } = sortOut(run);
    return run.settings.slowMs === slowMs && alone && treated.length > 1;
  });
  if (runs.length === 0) return wrong('There is no run of several remedies yet: pool-lab run remedies');
  return judgeRuns(runs, (run) => {
    const { alone, treated } = sortOut(run);
    const names = treated.filter((variant) => alone && isCure(variant, alone)).map(({ name }) => name);
    if (answer !== names.length) return wrong(`It is not ${answer}. Read the last sentence of the run again.`);
    return right(`${names.length} of ${treated.length} work${names.length > 0 ? `: ${names.join(', ')}` : ''}. Now `
      + 'look at what each one costs the administrators.', { truth: names.length });
  });
}

/** @param {import('../../src/report/result-types.js').Result} result */
function sortOut({ variants }) {
  const measured = variants.filter((variant) => variant.measured);
  return {
    alone: measured.find(({ settings }) => settings.load === 'customers'),
    treated: measured.filter(({ settings }) => settings.load === 'all' && settings.remedy !== 'none'),
  };
}

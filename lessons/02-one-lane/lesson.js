import { formatQuantity } from '../../src/universal/quantity.js';
import { judgeRuns, right, wrong } from '../../src/workshop/verdict.js';

/** A response of so many times what the query takes by itself is nearly all waiting. */
const WAITED_TIMES = 10;

/** @type {import('../../src/workshop/lesson-types.js').LessonRules} */
export const lesson = {
  minutes: 5,
  lab: 'mixed',
  check({ results }) {
    const runs = results.filter(({ variants: [{ settings }, ...others] }) => (
      settings.poolSize === 1 && others.length === 0));
    if (runs.length === 0) return wrong('There is no run with one lane alone: pool-lab run mixed --pool-sizes 1');
    return judgeRuns(runs, judge);
  },
};

/** @param {import('../../src/report/result-types.js').Result} run */
function judge({ variants: [{ measured, error }] }) {
  if (!measured || error) return wrong(`That run did not go well (${error}): run it again.`);
  const { serviceMs } = measured.unloaded;
  const { maxMs } = measured.routes['/fast'];
  if (maxMs < WAITED_TIMES * serviceMs) return wrong('In that run no Ferrari waited: send the load as it is.');
  return right(`A query of ${formatQuantity(serviceMs, 'ms')} was answered after ${formatQuantity(maxMs, 'ms')}. `
    + 'It was not slow: it stood behind buses.');
}

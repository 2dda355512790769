import { formatQuantity } from 'mongodb-pool-monitor/universal/quantity.js';
import { judgeRuns, right, wrong } from '../../src/workshop/verdict.js';

/** If the response takes this many times the service time, nearly all of it is waiting. */
const WAIT_FACTOR = 10;

/** @type {import('../../src/workshop/lesson-types.js').LessonRules} */
export const lesson = {
  minutes: 5,
  lab: 'mixed',
  guess: {
    question: 'With one lane and five buses, how long will the slowest Ferrari take?',
    unit: 'seconds',
  },
  hints: [
    'Each user sends a bus, and a Ferrari when the bus has arrived. Who is in the lane at that moment?',
    'The first Ferrari arrives at second 5. The four other buses are already in line, and each one takes 5 s.',
    'It waits for four buses: 4 x 5 = 20 s. Run pool-lab run mixed --pool-sizes 1, then verify.',
  ],
  check({ results }) {
    const runs = results.filter(({ variants: [{ settings }, ...others] }) => (
      settings.poolSize === 1 && others.length === 0));
    if (runs.length === 0) return wrong('First run it with one lane: pool-lab run mixed --pool-sizes 1');
    return judgeRuns(runs, judge);
  },
};

/** @param {import('../../src/report/result-types.js').Result} run */
function judge({ variants: [{ measured, error }] }) {
  if (!measured || error) return wrong(`That run failed (${error}). Run it again.`);
  const { serviceMs } = measured.unloaded;
  const { maxMs } = measured.routes['/fast'];
  if (maxMs < WAIT_FACTOR * serviceMs) return wrong('In that run no Ferrari waited. Do not change the load.');
  return right(`A query of ${formatQuantity(serviceMs, 'ms')} was answered after ${formatQuantity(maxMs, 'ms')}. `
    + 'It was not slow. It waited behind buses.', { truth: maxMs / 1000 });
}

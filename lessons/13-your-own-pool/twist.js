import { right, wrong } from '../../src/workshop/verdict.js';
import { adviseToday } from './lesson.js';

/** @type {import('../../src/workshop/lesson-types.js').TwistRules} */
export const twist = {
  trace: true,
  asks: { question: 'With --headroom 1, how many connections does a separate pool for /slow need in total?', unit: 'connections', isCount: true },
  key: '6: five for /slow and one for the others, instead of 14. Its price: the p95 of /slow is about 9 s instead '
    + 'of 5.',
  async check({ trace, answer }) {
    const { remedies } = await adviseToday(trace);
    const split = remedies.find(({ kind }) => kind === 'split');
    if (!split) return wrong('With this trace, advise knows no separate pool that helps. Use another trace.');
    if (answer !== split.connections) return wrong(`It is not ${answer}. Read "A separate pool" under "Alternatives".`);
    return right(`${split.connections} connections, of which /slow gets ${split.slowSize}. The administrators pay with their waits.`);
  },
};

import { checkRemedies } from './lesson.js';

/** @type {import('../../src/workshop/lesson-types.js').TwistRules} */
export const twist = {
  lab: 'remedies',
  asks: { question: 'How many of the remedies work now?', unit: 'remedies', isCount: true },
  key: 'Those that keep lanes free for customers: the second client, the limit, and a pool of 100. A pool of 20 '
    + 'fills up. '
    + 'The last sentence of the run names them.',
  check: (evidence) => checkRemedies(evidence, 3000),
};

import { checkFastest } from './lesson.js';

/** @type {import('../../src/workshop/lesson-types.js').TwistRules} */
export const twist = {
  lab: 'replication',
  asks: { question: 'Which number of workers was the fastest without merging?', unit: 'workers', isCount: true },
  key: 'More workers than with merging: 64 on most machines. Each operation is a trip of its own, and many trips at '
    + 'once hide the wait.',
  check: ({ results, answer }) => checkFastest({ results, answer }, false),
};

import { right, wrong } from '../../src/workshop/verdict.js';

/** @type {import('../../src/workshop/lesson-types.js').TwistRules} */
export const twist = {
  lab: 'inserts',
  key: 'Little or nothing: about as many documents per second. A lone caller neither gains nor loses much.',
  check({ results }) {
    for (const { variants } of results) {
      const [plain, gathered] = ['1/1 plain', '1/1 gathered'].map((wanted) => (
        variants.find(({ name }) => name === wanted)?.measured?.ratePerSec));
      if (plain && gathered) {
        return right(`Alone, batching stores ${(gathered / plain).toFixed(2)} times as many documents.`);
      }
    }
    return wrong('There is no run of a single caller yet: pool-lab run inserts --cases 1/1');
  },
};

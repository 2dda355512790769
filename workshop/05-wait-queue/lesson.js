import { formatQuantity } from '../../src/dashboard/shared/quantity.js';
import { right, wrong } from '../../src/workshop/verdict.js';

/** @type {import('../../src/workshop/types.js').LessonRules} */
export const lesson = {
  minutes: 10,
  lab: 'mixed',
  asks: { question: 'How many requests were refused with one lane?', unit: 'requests' },
  check({ results, answer }) {
    const pairs = results.map(({ variants }) => ({
      tight: variants.find(({ settings, measured }) => settings.poolSize === 1 && measured?.failures > 0),
      wide: variants.find(({ settings, measured }) => settings.poolSize > 1 && measured?.failures === 0),
    }));
    const pair = pairs.find(({ tight, wide }) => tight && wide);
    if (!pair) return wrong('There is no run in which one lane refused requests and several did not: set the limit.');
    const { requests, failures, pool } = pair.tight?.measured ?? {};
    if (answer !== failures) return wrong(`It was not ${answer}: look at the column "fail" again.`);
    return right(`${failures} of ${requests} were refused, and nobody who was served had waited longer than `
      + `${formatQuantity(pool.waitMaxMs, 'ms')}. With ${pair.wide?.settings.poolSize} lanes the limit hurt nobody.`);
  },
};

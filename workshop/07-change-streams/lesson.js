import { right, wrong } from '../../src/workshop/verdict.js';

/** @type {import('../../src/workshop/types.js').LessonRules} */
export const lesson = {
  minutes: 10,
  lab: 'sessions',
  check({ results }) {
    const leaky = results.filter(({ settings }) => Number(settings.leaks) > 0);
    const frozen = figuresOf(leaky.filter(({ settings }) => !settings.secondClient))
      .find(({ failures, count }) => failures === count);
    const cured = figuresOf(leaky.filter(({ settings }) => settings.secondClient))
      .find(({ failures }) => failures === 0);
    if (!frozen) return wrong('There is no run yet in which streams hold every connection: --leaks 5 --pool-sizes 5');
    if (!cured) return wrong('You have seen the freeze. Now run it with --second-client.');
    return right(`With listeners in every lane, ${frozen.failures} of ${frozen.count} queries got none. With a client `
      + `of their own for the listeners, all ${cured.count} were answered.`);
  },
};

/** @param {import('../../src/report/types.js').Result[]} results */
function figuresOf(results) {
  return results.flatMap(({ variants }) => variants.flatMap(({ measured }) => measured ?? []));
}

import { right, wrong } from '../../src/workshop/verdict.js';

/** @import { Variant } from '../../src/report/types.js' */

/** Within so many times of what customers have without administrators, a remedy works. */
const WORKS_TIMES = 2;

/** @type {import('../../src/workshop/types.js').LessonRules} */
export const lesson = {
  minutes: 15,
  lab: 'remedies',
  asks: { question: 'How many of the remedies work?', unit: 'remedies' },
  check({ results, answer }) {
    const [run] = results.map(sortOut).filter(({ alone, treated }) => alone && treated.length > 1);
    if (!run) return wrong('There is no run of several remedies: pool-lab run remedies');
    const { alone, treated } = run;
    const names = treated
      .filter((variant) => fastP99(variant) <= WORKS_TIMES * fastP99(alone))
      .map(({ name }) => name);
    if (answer !== names.length) return wrong(`It is not ${answer}: read the run's last sentence.`);
    return right(`${names.length} of ${treated.length} work${names.length > 0 ? `: ${names.join(', ')}` : ''}. Now look `
      + 'at what each costs the administrators.');
  },
};

/** @param {import('../../src/report/types.js').Result} result */
function sortOut({ variants }) {
  const measured = variants.filter((variant) => variant.measured);
  return {
    alone: measured.find(({ settings }) => settings.load === 'customers'),
    treated: measured.filter(({ settings }) => settings.load === 'all' && settings.remedy !== 'none'),
  };
}

/** @param {Variant | undefined} variant @returns {number} */
function fastP99(variant) {
  return variant?.measured?.routes['/fast'].p99Ms;
}

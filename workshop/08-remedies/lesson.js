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
    const runs = results.map(({ variants }) => ({
      alone: variants.find(({ settings, measured }) => settings.load === 'customers' && measured),
      treated: variants.filter(({ settings, measured }) => settings.load === 'all' && settings.remedy !== 'none' && measured),
    }));
    const run = runs.find(({ alone, treated }) => alone && treated.length > 1);
    if (!run) return wrong('There is no run of several remedies: pool-lab run remedies');
    const { alone, treated } = run;
    const cures = treated.filter((variant) => fastP99(variant) <= WORKS_TIMES * fastP99(/** @type {Variant} */ (alone)));
    if (answer !== cures.length) return wrong(`It is not ${answer}: read the run's last sentence, or the p99 of /fast.`);
    return right(`${cures.length} of ${treated.length} work${cures.length > 0 ? `: ${cures.map(({ name }) => name).join(', ')}` : ''}. `
      + 'Now look at what each costs the administrators.');
  },
};

/** @param {Variant} variant @returns {number} */
function fastP99({ measured }) {
  return measured?.routes['/fast'].p99Ms;
}

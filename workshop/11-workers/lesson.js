import { formatNumber } from '../../src/dashboard/shared/quantity.js';
import { right, wrong } from '../../src/workshop/verdict.js';

/** @type {import('../../src/workshop/types.js').LessonRules} */
export const lesson = {
  minutes: 15,
  lab: 'replication',
  asks: { question: 'With how many workers did it move the most?', unit: 'workers' },
  check({ results, answer }) {
    const [run] = results
      .map(({ variants }) => variants
        .filter(({ settings, measured }) => settings.case === variants[0].settings.case && measured)
        .map(({ settings, measured }) => ({ workers: settings.workers, ratePerSec: Number(measured?.ratePerSec) }))
        .toSorted((a, b) => b.ratePerSec - a.ratePerSec))
      .filter((ways) => new Set(ways.map(({ workers }) => workers)).size > 1);
    if (!run) return wrong('There is no run of one case with several numbers of workers: give --workers 1,8,64');
    const [best, ...others] = run;
    const last = others[others.length - 1];
    if (answer !== best.workers) return wrong(`It was not ${answer}: compare the operations per second.`);
    return right(`${best.workers} moved ${formatNumber(best.ratePerSec)} operations a second, ${last.workers} moved `
      + `${formatNumber(last.ratePerSec)}.`);
  },
};

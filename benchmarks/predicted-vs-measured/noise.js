// How far is a second measurement from the first one? The loads of apps.js are measured once more, at the same sizes
// and with the same arrivals. No prediction can be nearer than that, unless by chance.
//
// Rules: figures are compared as in apps.js, as if the second one were a prediction. With --keep, `npm run corpus --
// --import` takes over both.
import { compareMeasurements, listErrors, summariseFigures } from '../../scripts/corpus/accuracy.js';
import { readRecordings } from './apps.js';
import { measureRoutes } from './measure-routes.js';
import { KINDS } from './recorded-loads.js';

/** @import { PartContext } from '../parts/run-parts.js' */

export const PART = {
  name: 'noise',
  about: 'the loads of apps once more, beside the first measurement (16 minutes more; --quick: 6)',
  /** @param {PartContext} context */
  async run(context) {
    const compared = [];
    for (const kind of Object.keys(KINDS)) {
      const [measured, again] = [await measureKind(kind, context, false), await measureKind(kind, context, true)];
      const { isCpuBound = false } = KINDS[kind];
      compared.push(...compareMeasurements({ name: kind, measured: { kind, isCpuBound, goal: '', measured, again } }));
    }
    return [
      { title: 'A second measurement beside the first one', rows: [summariseFigures(compared)] },
      { title: 'The same by figure, where 5 ms do not excuse any error', rows: listErrors(compared) },
    ];
  },
};

/** @param {string} kind @param {PartContext} context @param {boolean} again */
async function measureKind(kind, context, again) {
  const recorded = await readRecordings(kind, context, again);
  return Object.fromEntries(
    Object.entries(recorded).map(([pool, trace]) => [pool, measureRoutes(trace, KINDS[kind].options?.appName)]),
  );
}

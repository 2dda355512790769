import { readFile } from 'node:fs/promises';
import { wasBusy } from '../report/machine.js';
import { formatNumber, formatQuantity } from 'mongodb-pool-page/universal/quantity.js';

/** @import { SavedResult } from './lesson-types.js' */

const EXAMPLE = 'For example, 200 queries a second of 5 ms each keep 200 x 0.005 = 1 connection in use.';

/**
 * What to take home from the lessons, as Markdown.
 * @param {SavedResult[]} [runs] of the lab utilisation, newest first: an example with the learner's own figures
 */
export async function writeCard(runs = []) {
  const text = await readFile(new URL('../../lessons/card.md', import.meta.url), 'utf8');
  const [own = EXAMPLE] = runs.filter((run) => !wasBusy(run)).flatMap(describeRun);
  return text.replace('{{ example }}', own);
}

/** @param {SavedResult} run */
function describeRun({ variants }) {
  return variants
    .filter(({ settings, measured }) => settings.arrivals === 'random' && measured)
    .toSorted((a, b) => b.settings.share - a.settings.share)
    .slice(0, 1)
    .map(
      ({ measured: { ratePerSec, waitMeanMs } }) =>
        `On your machine, with ${formatNumber(ratePerSec, 1)} queries a second and a mean wait ` +
        `of ${formatQuantity(waitMeanMs, 'ms')}, ` +
        `${formatNumber((ratePerSec * waitMeanMs) / 1000, 1)} were waiting on average.`,
    );
}

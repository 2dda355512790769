// The table of figures in the README of the predictor, as the corpus gives them.
import { readFile, writeFile } from 'node:fs/promises';
import { compareFigures, compareMeasurements, listErrors } from './accuracy.js';

/** @import { Compared } from './accuracy.js' */
/** @import { Answers, Recording } from './recordings.js' */

const PAGE = new URL('../../packages/pool-predictor/README.md', import.meta.url);
const PLACE = /(?<=<!-- accuracy -->\n).*(?=\n<!-- \/accuracy -->)/s;

/** @typedef {{ recording: Recording, answers: Answers }} Answered */

/** @param {Answered[]} all recordings of loads */
export function compareAll(all) {
  return all.flatMap(({ recording, answers }) => compareFigures(recording, answers));
}

/**
 * Compares the two measurements of each figure that is shown: no prediction of it can be better.
 * @param {Answered[]} all recordings of loads
 */
export function compareAllMeasurements(all) {
  return all.flatMap(({ recording, answers }) => {
    const isShown = new Set(
      compareFigures(recording, answers).flatMap((each) => (each.predictedMs === null ? [] : nameFigure(each))),
    );
    return compareMeasurements(recording).filter((each) => isShown.has(nameFigure(each)));
  });
}

/** @param {Compared} compared */
function nameFigure({ poolSize, route, figure }) {
  return `${poolSize} ${route} ${figure}`;
}

/** @param {Answered[]} all recordings of loads */
export function renderAccuracy(all) {
  const noise = listErrors(compareAllMeasurements(all));
  const rows = listErrors(compareAll(all)).map(({ figure, ...shares }, index) => {
    const { 'mean error, %': meanError, 'median error, %': medianError } = noise[index];
    return [figure, ...[...Object.values(shares), meanError, medianError].map((share) => share.toFixed(1))];
  });
  const headings = ['figure', 'shown', 'mean error', 'median error', 'in its 90 % band', 'mean noise', 'median noise'];
  return [headings, headings.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** The table as it stands there. */
export async function readAccuracy() {
  return (await readFile(PAGE, 'utf8')).match(PLACE)?.[0];
}

/** @param {string} table */
export async function writeAccuracy(table) {
  await writeFile(
    PAGE,
    (await readFile(PAGE, 'utf8')).replace(PLACE, () => table),
  );
}

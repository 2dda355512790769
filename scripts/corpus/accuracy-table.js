// How accurate the answers to the corpus are, as the READMEs say it.
import { compareFigures, compareMeasurements, judgeAdvice, listErrors, summariseAdvice } from './accuracy.js';
import { renderRows } from './render-rows.js';

/** @import { Compared } from './accuracy.js' */
/** @import { Answers, Recording } from './recordings.js' */

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
  return renderRows(headings, rows);
}

/** @param {Answered[]} all recordings of loads */
export function describeSizes(all) {
  const { goals, ...counts } = summariseAdvice(all.map(({ recording, answers }) => judgeAdvice(recording, answers)));
  const given = goals - counts['no size'];
  const missed =
    counts['false pass'] === 0
      ? 'No size that it gave missed its goal.'
      : `${counts['false pass']} of ${given} sizes missed their goal.`;
  return (
    `${missed} ${counts['too large']} of ${given} were larger than needed, ${counts['by 2 connections or more']} of ` +
    `them by more than one connection. For ${counts['no size']} of ${goals} goals it gave none.`
  );
}

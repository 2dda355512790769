// The figures of the corpus in the README and in that of the predictor.
import { readFile, writeFile } from 'node:fs/promises';
import { compareFigures, compareMeasurements, judgeAdvice, listErrors, summariseAdvice } from './accuracy.js';

/** @import { Compared } from './accuracy.js' */
/** @import { Answers, Recording } from './recordings.js' */

const PREDICTOR = new URL('../../packages/pool-predictor/README.md', import.meta.url);
const README = new URL('../../README.md', import.meta.url);
const TABLE = /(?<=<!-- accuracy -->\n).*(?=\n<!-- \/accuracy -->)/s;
const KINDS = /\d+(?= kinds of load)/;
const SIZES = /(?:No size that it gave|\d+ of \d+ sizes).*?gave none\./s;

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
function renderTable(all) {
  const noise = listErrors(compareAllMeasurements(all));
  const rows = listErrors(compareAll(all)).map(({ figure, ...shares }, index) => {
    const { 'mean error, %': meanError, 'median error, %': medianError } = noise[index];
    return [figure, ...[...Object.values(shares), meanError, medianError].map((share) => share.toFixed(1))];
  });
  const headings = ['figure', 'shown', 'mean error', 'median error', 'in its 90 % band', 'mean noise', 'median noise'];
  return [headings, headings.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** @param {Answered[]} all recordings of loads */
function describeSizes(all) {
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

/**
 * Both pages with the figures of these answers.
 * @param {Answered[]} all recordings of loads
 * @returns {Promise<{ page: URL, text: string, filled: string }[]>} as they stand, and as they should
 * @throws {Error} if a page has no place for one of them
 */
export async function fillPages(all) {
  const kinds = String(new Set(all.map(({ recording }) => recording.name.split('/')[1])).size);
  const rows = listErrors(compareAll(all)).map(({ figure, ...shares }) => ({
    place: new RegExp(`(?<=^\\| ${figure} \\| )[\\d.]+(?: \\| [\\d.]+){3}`, 'm'),
    words: Object.values(shares)
      .map((share) => share.toFixed(1))
      .join(' | '),
  }));
  const pages = [
    { page: PREDICTOR, parts: [{ place: TABLE, words: renderTable(all) }] },
    { page: README, parts: [...rows, { place: SIZES, words: describeSizes(all) }] },
  ];
  return Promise.all(
    pages.map(async ({ page, parts }) => {
      const text = await readFile(page, 'utf8');
      let filled = text;
      for (const { place, words } of [...parts, { place: KINDS, words: kinds }]) {
        if (!place.test(filled)) throw new Error(`${page.pathname} has no place for ${words}`);
        filled = filled.replace(place, () => words);
      }
      return { page, text, filled };
    }),
  );
}

/** @param {Answered[]} all recordings of loads */
export async function writePages(all) {
  for (const { page, filled } of await fillPages(all)) await writeFile(page, filled);
}

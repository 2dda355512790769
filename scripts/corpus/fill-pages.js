// The figures of the corpus in the documents.
import { readFile, writeFile } from 'node:fs/promises';
import { listErrors } from './accuracy.js';
import { compareAll, describeSizes, renderAccuracy } from './accuracy-table.js';
import { renderVerdicts } from './verdict-table.js';

/** @import { Answered } from './accuracy-table.js' */

const PREDICTOR = new URL('../../packages/pool-predictor/README.md', import.meta.url);
const README = new URL('../../README.md', import.meta.url);
const DOCTOR = new URL('../../docs/doctor.md', import.meta.url);
const ACCURACY = /(?<=<!-- accuracy -->\n).*(?=\n<!-- \/accuracy -->)/s;
const VERDICTS = /(?<=<!-- verdicts -->\n).*(?=\n<!-- \/verdicts -->)/s;
const KINDS = /\d+(?= kinds of load)/;
const SIZES = /(?:No size that it gave|\d+ of \d+ sizes).*?gave none\./s;

/**
 * All pages with the figures of these answers.
 * @param {Answered[]} all recordings
 * @returns {Promise<{ page: URL, text: string, filled: string }[]>} as they stand, and as they should
 * @throws {Error} if a page has no place for one of them
 */
export async function fillPages(all) {
  const loads = all.filter(({ recording }) => recording.measured);
  const kinds = {
    place: KINDS,
    words: String(new Set(loads.map(({ recording }) => recording.name.split('/')[1])).size),
  };
  const rows = listErrors(compareAll(loads)).map(({ figure, ...shares }) => ({
    place: new RegExp(`(?<=^\\| ${figure} \\| )[\\d.]+(?: \\| [\\d.]+){3}`, 'm'),
    words: Object.values(shares)
      .map((share) => share.toFixed(1))
      .join(' | '),
  }));
  const pages = [
    { page: PREDICTOR, parts: [{ place: ACCURACY, words: renderAccuracy(loads) }, kinds] },
    { page: README, parts: [...rows, { place: SIZES, words: describeSizes(loads) }, kinds] },
    { page: DOCTOR, parts: [{ place: VERDICTS, words: renderVerdicts(all) }] },
  ];
  return Promise.all(
    pages.map(async ({ page, parts }) => {
      const text = await readFile(page, 'utf8');
      return { page, text, filled: fillPlaces(text, parts, page.pathname) };
    }),
  );
}

/**
 * @param {string} text
 * @param {{ place: RegExp, words: string }[]} parts
 * @param {string} name of the page
 * @returns {string} the page with the words at their places
 * @throws {Error} if a place is missing
 */
export function fillPlaces(text, parts, name) {
  return parts.reduce((filled, { place, words }) => {
    if (!place.test(filled)) throw new Error(`${name} has no place for ${words}`);
    return filled.replace(place, () => words);
  }, text);
}

/** @param {Answered[]} all recordings */
export async function writePages(all) {
  for (const { page, filled } of await fillPages(all)) await writeFile(page, filled);
}

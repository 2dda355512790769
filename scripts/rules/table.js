// The raw table, and what it says of each rule.
import { quantile } from 'mongodb-pool-predictor/statistics';

/** @import { Row } from './trial.js' */

/** See groupOf in trial.js. */
export const GROUPS = ['even', 'varied', 'callers'];

/** @typedef {Row & { measuredMs: number | null }} MeasuredRow measuredMs: p95 of a real app, where it was measured */

/** @param {MeasuredRow[]} rows @returns {string} CSV; no value has a comma, and what there is not is empty */
export function writeTable(rows) {
  return [Object.keys(rows[0]), ...rows.map((row) => Object.values(row))].map((cells) => `${cells.join()}\n`).join('');
}

/** @param {string} text CSV @returns {MeasuredRow[]} */
export function readTable(text) {
  const [keys, ...lines] = text
    .trimEnd()
    .split('\n')
    .map((line) => line.split(','));
  const read = (/** @type {string} */ cell) => (cell === '' ? null : Number.isNaN(Number(cell)) ? cell : Number(cell));
  return lines.map((cells) => /** @type {any} */ (Object.fromEntries(keys.map((key, at) => [key, read(cells[at])]))));
}

/**
 * How often a rule is right and wrong, and by how much.
 *
 * @typedef {object} Score
 * @property {string} rule
 * @property {number[]} sizes that it gives, ascending
 * @property {number} right loads
 * @property {number} small
 * @property {number} large
 * @property {[median: number, worst: number] | null} slower factors of p95 where it is too small; null if it never is
 * @property {[median: number, worst: number] | null} larger factors of connections where it is too large
 * @property {[right: number, all: number][]} groups in the order of GROUPS
 */

/** @param {MeasuredRow[]} rows @returns {Score[]} those that are right most often first */
export function scoreRules(rows) {
  const rules = [...new Set(rows.map(({ rule }) => rule))];
  return rules
    .map((rule) => {
      const own = rows.filter((row) => row.rule === rule && row.verdict !== 'none');
      const having = (/** @type {string} */ verdict) => own.filter((row) => row.verdict === verdict);
      const inGroup = (/** @type {MeasuredRow[]} */ of, /** @type {string} */ group) =>
        of.filter((row) => row.group === group).length;
      return {
        rule,
        sizes: own.map(({ size }) => Number(size)).sort((a, b) => a - b),
        right: having('right').length,
        small: having('small').length,
        large: having('large').length,
        slower: summarise(having('small').map(({ slower }) => Number(slower))),
        larger: summarise(having('large').map(({ larger }) => Number(larger))),
        groups: GROUPS.map(
          (group) => /** @type {[number, number]} */ ([inGroup(having('right'), group), inGroup(own, group)]),
        ),
      };
    })
    .sort((a, b) => shareOf(b) - shareOf(a));
}

/** The share of loads for which a rule is right, of those it applies to. @param {Score} score */
function shareOf({ right, small, large }) {
  return right / (right + small + large);
}

/** @param {number[]} factors @returns {Score['slower']} */
function summarise(factors) {
  return factors.length === 0 ? null : [quantile(factors, 0.5), Math.max(...factors)];
}

/**
 * The pairs of a load and a size that were measured, once each.
 * @param {MeasuredRow[]} rows
 */
export function judgeMeasured(rows) {
  const pairs = new Map(rows.filter(({ size }) => size !== null).map((row) => [`${row.load} ${row.size}`, row]));
  const measured = [...pairs.values()].filter(({ measuredMs }) => measuredMs !== null);
  const inBand = measured.filter(
    ({ measuredMs, lowMs, highMs }) => Number(measuredMs) >= Number(lowMs) && Number(measuredMs) <= Number(highMs),
  );
  return { pairs: pairs.size, measured: measured.length, inBand: inBand.length };
}

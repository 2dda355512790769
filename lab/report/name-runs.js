import { DASH } from './columns.js';

/** @import { Result } from './result-types.js' */

/**
 * @typedef {object} NamedRun one of several results of a lab
 * @property {string} name A, B, C ...
 * @property {string} label when it started, and which settings and environment differ
 * @property {Result} result
 */

/** @param {Result[]} results of one lab @returns {NamedRun[]} */
export function nameRuns(results) {
  const facts = results.map(({ settings, environment }) => ({ ...environment, ...settings }));
  const differing = [...new Set(facts.flatMap(Object.keys))].filter(
    (key) => new Set(facts.map((each) => formatSetting(each[key]))).size > 1,
  );
  return results.map((result, index) => ({
    name: nameRun(index),
    label: [formatDate(result.startedAt), ...differing.map((key) => `${key} ${formatSetting(facts[index][key])}`)].join(
      ' · ',
    ),
    result,
  }));
}

/** A to Z, then A2 to Z2 and so on. @param {number} index */
function nameRun(index) {
  const round = Math.floor(index / 26);
  return String.fromCharCode(65 + (index % 26)) + (round ? round + 1 : '');
}

/**
 * Formats a date in UTC, so that the text is the same on every machine. A date that can't be parsed stays as it is.
 * @param {string} iso
 */
export function formatDate(iso) {
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return iso;
  return `${date.toLocaleString('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' })} UTC`;
}

/** @param {unknown} value @returns {string} */
export function formatSetting(value) {
  if (value === null || value === undefined || value === '') return DASH;
  if (Array.isArray(value)) return value.map(formatSetting).join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

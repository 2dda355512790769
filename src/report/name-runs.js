import { formatDate, formatSetting } from './format.js';

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
  const differing = [...new Set(facts.flatMap(Object.keys))].filter((key) => (
    new Set(facts.map((each) => formatSetting(each[key]))).size > 1
  ));
  return results.map((result, index) => ({
    name: nameRun(index),
    label: [
      formatDate(result.startedAt), ...differing.map((key) => `${key} ${formatSetting(facts[index][key])}`),
    ].join(' · '),
    result,
  }));
}

/** A to Z, then A2 to Z2 and so on. @param {number} index */
function nameRun(index) {
  const round = Math.floor(index / 26);
  return String.fromCharCode(65 + index % 26) + (round ? round + 1 : '');
}

import { parsePoolSizes } from 'mongodb-pool-predictor';
import { MAX_DELAY_MS } from '../../src/base/settings-table.js';

/**
 * @typedef {object} LabOption an option of `pool-lab run LAB`, by its name in camel case
 * @property {string} about
 * @property {string} [value] name of the value in the help; without it the option is a flag
 * @property {(text: string) => unknown} [parse] throws an error saying what is allowed
 * @property {unknown} [default]
 * @property {unknown} [published] value for `--preset published`
 */

/** @param {string} text @returns {number} @throws {Error} saying what is allowed */
export function parseInteger(text) {
  const number = /^\d+$/.test(text) ? Number(text) : NaN;
  if (!Number.isSafeInteger(number) || number < 1) throw new Error('It must be a whole number from 1.');
  return number;
}

/** @param {string} text @returns {number} ms @throws {Error} saying what is allowed */
function parseDelay(text) {
  const ms = parseInteger(text);
  if (ms > MAX_DELAY_MS) throw new Error(`It must be at most ${MAX_DELAY_MS} ms.`);
  return ms;
}

/**
 * @param {string} text whole numbers with commas between them, e.g. `1,10,100`
 * @returns {number[]}
 * @throws {Error} naming the part that is wrong
 */
function parseIntegers(text) {
  return text.split(',').map((part) => {
    try {
      return parseInteger(part.trim());
    } catch (cause) {
      throw new Error(`"${part.trim()}" is not a whole number from 1; several are written 1,10,100.`, { cause });
    }
  });
}

/** @param {string[]} choices @returns {(text: string) => string} */
export function createChoiceParser(choices) {
  return (text) => {
    const choice = text.trim();
    if (!choices.includes(choice)) throw new Error(`"${choice}" is not one of ${choices.join(', ')}.`);
    return choice;
  };
}

/** @param {string[]} choices @returns {(text: string) => string[]} reads a list with commas */
export function createChoicesParser(choices) {
  const parseChoice = createChoiceParser(choices);
  return (text) => text.split(',').map(parseChoice);
}

/** Kinds of options: what their value is called, and how it is read. */
export const DELAY = { value: 'ms', parse: parseDelay };
export const COUNT = { value: 'n', parse: parseInteger };
export const COUNTS = { value: 'list', parse: parseIntegers };
export const POOL_SIZES = { value: 'list', parse: parsePoolSizes };

/** @param {string[]} choices which can all be chosen, and are by default */
export function listOption(choices) {
  return { value: 'list', parse: createChoicesParser(choices), default: choices };
}

/**
 * Takes the published value of each option that was not given.
 * @param {Record<string, LabOption>} options of a lab
 * @param {Record<string, unknown>} values
 * @param {(name: string) => boolean} isGiven
 * @returns {Record<string, unknown>}
 */
export function takePublished(options, values, isGiven) {
  const published = Object.entries(options)
    .filter(([name, option]) => option.published !== undefined && !isGiven(name))
    .map(([name, option]) => [name, option.published]);
  return { ...values, ...Object.fromEntries(published) };
}

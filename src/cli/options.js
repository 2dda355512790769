import { InvalidArgumentError } from 'commander';
import { parseInteger } from '../harness/lab-options.js';

/** More runs make no figure better. */
export const MAX_SEEDS = 10_000;

/**
 * Have the command line say why a parser refused a value.
 * @template T
 * @param {(text: string) => T} parse
 */
export function orInvalid(parse) {
  return (/** @type {string} */ text) => {
    try {
      return parse(text);
    } catch (error) {
      throw new InvalidArgumentError(/** @type {Error} */ (error).message);
    }
  };
}

export const parsePositive = parseUpTo(Number.MAX_SAFE_INTEGER);

/**
 * @param {number} most beyond it nobody could wait for the answer, or a timer would not hold it
 * @returns {(text: string) => number} reads a whole number from 1
 */
export function parseUpTo(most) {
  return orInvalid((text) => {
    const number = parseInteger(text);
    if (number > most) throw new Error(`It must be a whole number from 1 to ${most}.`);
    return number;
  });
}

/**
 * A variable of a shell that is not set leaves nothing, which must not mean "as if the option were not there".
 * @param {string} text
 */
export function parseText(text) {
  if (text.trim() === '') throw new Error('It is empty.');
  return text;
}

/**
 * An option that may be given several times: all its values.
 * @template T
 * @param {(text: string) => T} parse
 */
export function collect(parse) {
  const parseOne = orInvalid(parse);
  return (/** @type {string} */ text, /** @type {T[]} */ before = []) => [...before, parseOne(text)];
}

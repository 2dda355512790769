import { InvalidArgumentError } from 'commander';
import { parseWhole } from '../bench/lab-options.js';

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

export const parsePositive = orInvalid(parseWhole);

/**
 * An option that may be given several times: all its values.
 * @template T
 * @param {(text: string) => T} parse
 */
export function collect(parse) {
  const parseOne = orInvalid(parse);
  return (/** @type {string} */ text, /** @type {T[]} */ before = []) => [...before, parseOne(text)];
}

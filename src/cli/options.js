import { InvalidArgumentError } from 'commander';

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

/** @param {string} text */
export function parsePositive(text) {
  const number = /^\d+$/.test(text) ? Number(text) : NaN;
  if (!Number.isSafeInteger(number) || number < 1) {
    throw new InvalidArgumentError('It must be a whole number from 1.');
  }
  return number;
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

import { InvalidArgumentError } from 'commander';
import { isRecord } from '../base/shape.js';

const MAX_PORT = 65_535;
/** A limit above it would tell nobody anything. */
const HUGE = 1e12;
/** More runs do not improve the estimates. */
export const MAX_SEEDS = 10_000;

/**
 * Makes the command line print a parser's error.
 * @template T
 * @param {(text: string, before?: any) => T} parse before: what an option has collected
 */
export function orInvalid(parse) {
  return (/** @type {string} */ text, /** @type {unknown} */ before = undefined) => {
    try {
      return parse(text, before);
    } catch (error) {
      throw new InvalidArgumentError(/** @type {Error} */ (error).message);
    }
  };
}

export const parsePositive = parseUpTo(Number.MAX_SAFE_INTEGER);

/**
 * @param {number} max
 * @param {number} [min]
 * @returns {(text: string) => number} reads an integer from `min` to `max`
 */
export function parseUpTo(max, min = 1) {
  return orInvalid((text) => {
    const number = /^\d+$/.test(text) ? Number(text) : NaN;
    if (number >= min && number <= max) return number;
    throw new Error(`It must be a whole number from ${min}${max < HUGE ? ` to ${max}` : ''}.`);
  });
}

/** Reads a port. 0 stands for any free one. */
export const parsePort = parseUpTo(MAX_PORT, 0);

/** Reads how many clients sent the requests of a trace. 0: the requests arrived on their own. */
export const parseCallers = parseUpTo(Number.MAX_SAFE_INTEGER, 0);

/** The seeds of all runs must be exact integers. */
export const parseFirstSeed = parseUpTo(Number.MAX_SAFE_INTEGER - MAX_SEEDS);

/**
 * @param {number} min
 * @param {number} max
 * @param {number} example
 * @returns {(text: string) => number} reads a number that may have decimals
 */
export function parseBetween(min, max, example) {
  return orInvalid((text) => {
    const number = text.trim() === '' ? NaN : Number(text);
    if (number >= min && number <= max) return number;
    throw new Error(`It must be a number from ${min} to ${max}, such as ${example}.`);
  });
}

/** More than any machine has. */
const MAX_CORES = 10_000;

/** Reads how many cores queries share, or `none`. @param {string} text */
export function parseCores(text) {
  if (text === 'none') return text;
  const cores = text.trim() === '' ? NaN : Number(text);
  if (!(cores > 0 && cores <= MAX_CORES)) {
    throw new Error(`It must be a number above 0, up to ${MAX_CORES}, such as 2 or 1.8; or none.`);
  }
  return cores;
}

/** @param {string} text @returns {Record<string, unknown>} */
export function parseVariables(text) {
  try {
    const variables = JSON.parse(text);
    if (isRecord(variables)) return variables;
  } catch {
    // Like any other text.
  }
  throw new Error(`It must be a JSON object, such as '{"rate": 5}'.`);
}

/** Refuses an empty value: an unset shell variable must not act as if the option were missing. @param {string} text */
export function parseText(text) {
  if (text.trim() === '') throw new Error('It is empty.');
  return text;
}

/**
 * Reads an option that may be given several times.
 * @template T
 * @param {(text: string) => T} parse
 */
export function collect(parse) {
  const parseOne = orInvalid(parse);
  return (/** @type {string} */ text, /** @type {T[]} */ before = []) => [...before, parseOne(text)];
}

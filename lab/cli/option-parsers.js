import { InvalidArgumentError, Option } from 'commander';
import { isRecord } from '../base/shape.js';

const MAX_PORT = 65_535;
/** A limit above it would tell nobody anything. */
const HUGE = 1e12;
/** More runs do not improve the estimates. */
export const MAX_SEEDS = 10_000;

/**
 * Makes the command line print a parser's error.
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

/** 0 stands for any free one. */
export const parsePort = orInvalid((text) => {
  const port = /^\d+$/.test(text) ? Number(text) : NaN;
  if (!(port <= MAX_PORT)) throw new Error(`It must be a whole number from 0 to ${MAX_PORT}.`);
  return port;
});

/** For commands that start the user's app. */
export const mongoOption = new Option(
  '--mongo <which>',
  'embedded starts a private MongoDB for the app and\nsets MONGODB_URI, MONGODB_URL, MONGO_URI, MONGO_URL',
).choices(['embedded']);

export const parsePositive = parseUpTo(Number.MAX_SAFE_INTEGER);

/** @param {number} max @returns {(text: string) => number} reads an integer from 1 to `max` */
export function parseUpTo(max) {
  return orInvalid((text) => {
    const number = /^\d+$/.test(text) ? Number(text) : NaN;
    if (number >= 1 && number <= max) return number;
    throw new Error(`It must be a whole number from 1${max < HUGE ? ` to ${max}` : ''}.`);
  });
}

/** The seeds of all runs must be exact integers. */
export const parseFirstSeed = parseUpTo(Number.MAX_SAFE_INTEGER - MAX_SEEDS);

/** More than any machine has. */
const MAX_CORES = 10_000;

/** Reads how many cores queries share, or `none`. */
export const parseCores = orInvalid((text) => {
  if (text === 'none') return text;
  const cores = text.trim() === '' ? NaN : Number(text);
  if (!(cores > 0 && cores <= MAX_CORES)) {
    throw new Error(`It must be a number above 0, up to ${MAX_CORES}, such as 2 or 1.8; or none.`);
  }
  return cores;
});

/** @type {(text: string) => Record<string, unknown>} */
export const parseVariables = orInvalid((text) => {
  try {
    const variables = JSON.parse(text);
    if (isRecord(variables)) return variables;
  } catch {
    // Like any other text.
  }
  throw new Error(`It must be a JSON object, such as '{"rate": 5}'.`);
});

/** Refuses an empty value: an unset shell variable must not act as if the option were missing. @param {string} text */
export function parseText(text) {
  if (text.trim() === '') throw new Error('It is empty.');
  return text;
}

/**
 * For an option that may be given several times.
 * @template T
 * @param {(text: string) => T} parse
 */
export function collect(parse) {
  const parseOne = orInvalid(parse);
  return (/** @type {string} */ text, /** @type {T[]} */ before = []) => [...before, parseOne(text)];
}

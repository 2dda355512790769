import { textOf } from './text-of.js';

/** A year: what takes longer is a slip of the pen, and in sums of it milliseconds would get lost. */
export const LONGEST_MS = 365 * 86_400_000;

/** @type {[notation: RegExp, ms: number][]} */
const UNITS = [
  [/^(ms|msecs?|milliseconds?)$/, 1],
  [/^(s|secs?|seconds?)$/, 1000],
  [/^(m|mins?|minutes?)$/, 60_000],
  [/^(h|hrs?|hours?)$/, 3_600_000],
  [/^(d|days?)$/, 86_400_000],
];

/**
 * A length of time as Artillery reads it: a whole number of seconds, or text with a unit such as 500ms, 90s
 * or 1.5m. Artillery takes a fraction without a unit for milliseconds, or for nothing at all; here it is
 * refused.
 *
 * @param {unknown} value
 * @returns {number} ms, a year at most
 */
export function parseDurationMs(value) {
  const [, number, unit] = /^(\d*\.?\d+) *([a-z]*)$/.exec(textOf(value).trim().toLowerCase()) ?? [];
  const isSeconds = unit === '' && /^\d+$/.test(number);
  const [, unitMs] = UNITS.find(([notation]) => notation.test(isSeconds ? 's' : unit)) ?? [];
  if (!unitMs) {
    throw new Error(`${JSON.stringify(value)} is no length of time: `
      + 'write whole seconds, or a number with its unit, such as 500ms, 90s or 1.5m');
  }
  const ms = Number(number) * unitMs;
  if (ms > LONGEST_MS) throw new Error(`${JSON.stringify(value)} is too long a time: a year, 365d, is the most`);
  return ms;
}

import { textOf } from './json-value.js';

/** A year. Anything longer is a typo, and sums of such times would lose milliseconds to rounding. */
export const MAX_DURATION_MS = 365 * 86_400_000;

/** @type {[notation: RegExp, ms: number][]} */
const UNITS = [
  [/^(ms|msecs?|milliseconds?)$/, 1],
  [/^(s|secs?|seconds?)$/, 1000],
  [/^(m|mins?|minutes?)$/, 60_000],
  [/^(h|hrs?|hours?)$/, 3_600_000],
  [/^(d|days?)$/, 86_400_000],
];

/**
 * Parses a duration as Artillery does: whole seconds, or a number with a unit such as 500ms, 90s or 1.5m. Artillery
 * reads a fraction without a unit as milliseconds, or ignores it. This function refuses it.
 *
 * @param {unknown} value
 * @returns {number} ms
 * @throws {Error} naming what is allowed; for more than a year, too
 */
export function parseDurationMs(value) {
  const [, number, unit] = /^(\d*\.?\d+) *([a-z]*)$/.exec(textOf(value).trim().toLowerCase()) ?? [];
  const isSeconds = unit === '' && /^\d+$/.test(number);
  const [, unitMs] = UNITS.find(([notation]) => notation.test(isSeconds ? 's' : unit)) ?? [];
  if (!unitMs) {
    throw new Error(
      `${JSON.stringify(value)} is not a duration: ` +
        'write whole seconds, or a number with a unit, such as 500ms, 90s or 1.5m',
    );
  }
  const ms = Number(number) * unitMs;
  if (ms > MAX_DURATION_MS) throw new Error(`${JSON.stringify(value)} is too long: at most a year, 365d`);
  return ms;
}

/** @param {unknown} value @returns {value is number} whether it can be a wait or a use */
export function isDurationMs(value) {
  return typeof value === 'number' && value >= 0 && value <= MAX_DURATION_MS;
}

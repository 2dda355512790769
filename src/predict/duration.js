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
 * @returns {number} ms
 */
export function parseDurationMs(value) {
  const [, number, unit] = /^(\d*\.?\d+) *([a-z]*)$/.exec(String(value).trim().toLowerCase()) ?? [];
  if (unit === '' && /^\d+$/.test(number)) return Number(number) * 1000;
  const known = UNITS.find(([notation]) => notation.test(unit));
  if (!known) {
    throw new Error(`${JSON.stringify(value)} is no length of time: `
      + 'write whole seconds, or a number with its unit, such as 500ms, 90s or 1.5m');
  }
  return Number(number) * known[1];
}

/** @type {Record<string, number>} */
const UNITS_MS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const NOTATION = /^(\d*\.?\d+) *(?:(ms|msecs?|milliseconds?)|(s|secs?|seconds?)|(m|mins?|minutes?)|(h|hrs?|hours?)|(d|days?))$/i;
const UNIT_OF_GROUP = ['ms', 's', 'm', 'h', 'd'];

/**
 * A length of time as Artillery reads it: a whole number of seconds, or text with a unit such as 500ms, 90s or 1.5m.
 * Artillery takes a fraction without a unit for milliseconds, or for nothing at all; here it is refused.
 *
 * @param {unknown} value
 * @returns {number} ms
 */
export function parseDurationMs(value) {
  if (typeof value === 'number' || typeof value === 'string') {
    const text = String(value).trim();
    if (/^\d+$/.test(text)) return Number(text) * 1000;
    const match = NOTATION.exec(text);
    if (match) {
      const unit = UNIT_OF_GROUP[match.slice(2).findIndex((group) => group !== undefined)];
      return Number(match[1]) * UNITS_MS[unit];
    }
  }
  throw new Error(`${JSON.stringify(value)} is no length of time: `
    + 'write a whole number of seconds, or a number with its unit, such as 500ms, 90s or 1.5m');
}

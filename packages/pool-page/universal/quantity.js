/** Formats by their settings: one takes 25 times as long to create as to use. @type {Map<string, Intl.NumberFormat>} */
const formats = new Map();

/**
 * @param {number} value
 * @param {number} [digits] decimals
 * @param {boolean} [grouping] 21,117 rather than 21117
 */
export function formatNumber(value, digits = 0, grouping = true) {
  const settings = `${digits} ${grouping}`;
  let format = formats.get(settings);
  if (!format) {
    const fixed = { minimumFractionDigits: digits, maximumFractionDigits: digits };
    format = new Intl.NumberFormat('en', { ...fixed, useGrouping: grouping });
    formats.set(settings, format);
  }
  return format.format(value);
}

/**
 * Formats a quantity for reading: 21.1 s, 6 ms, 3.8 ms, 84,428 docs/s.
 * @param {number} value
 * @param {string} unit
 */
export function formatQuantity(value, unit) {
  if (unit !== 'ms') {
    return `${value.toLocaleString('en', { maximumFractionDigits: value < 100 ? 2 : 0 })} ${unit}`.trim();
  }
  if (value >= 1000) return `${formatNumber(value / 1000, 1)} s`;
  return `${formatNumber(value, digitsOf(value))} ms`;
}

/** With one decimal, where none is not zero: 0, under 0.1, 2.0. @param {number} value */
export function formatTenths(value) {
  return value > 0 && value < 0.05 ? 'under 0.1' : formatNumber(value, 1);
}

/** Decimals of a time: 21, 3.8, 2. @param {number} ms */
export function digitsOf(ms) {
  return ms < 9.95 && !Number.isInteger(ms) ? 1 : 0;
}

/** @param {number} share from 0 to 1 */
export function formatShare(share) {
  if (share > 0 && share < 0.005) return 'under 1 %';
  return `${Math.min(Math.round(share * 100), share < 1 ? 99 : 100)} %`;
}

/** @param {number} count @param {string} one @param {string} many */
export function countOf(count, one, many) {
  return `${count} ${count === 1 ? one : many}`;
}

/** @param {number} count */
export function countConnections(count) {
  return countOf(count, 'connection', 'connections');
}

/** Formats a band: 8 to 15 ms, 800 ms to 1.2 s. @param {number} lowMs @param {number} highMs */
export function describeBand(lowMs, highMs) {
  const [low, high] = [lowMs, highMs].map((ms) => formatQuantity(ms, 'ms'));
  if (low === high) return low;
  const unit = high.slice(high.indexOf(' '));
  return `${low.endsWith(unit) ? low.slice(0, -unit.length) : low} to ${high}`;
}

/** @import { Column, Variant } from './types.js' */

export const DASH = '–';

/**
 * @param {number} value
 * @param {number} [digits] decimals
 * @param {boolean} [grouping] 21,117 rather than 21117
 */
export function formatNumber(value, digits = 0, grouping = true) {
  return value.toLocaleString('en', {
    minimumFractionDigits: digits, maximumFractionDigits: digits, useGrouping: grouping,
  });
}

/**
 * The text of a table's cell; a dash where there is no value.
 * @param {Column} column
 * @param {Variant} variant
 * @param {boolean} [grouping]
 */
export function formatCell(column, variant, grouping = true) {
  const value = column.value(variant);
  if (value === null || value === undefined || Number.isNaN(value)) return DASH;
  return typeof value === 'number' ? formatNumber(value, column.digits, grouping) : value;
}

/**
 * A value as one says it: 21.1 s, 6 ms, 3.8 ms, 84,428 docs/s.
 * @param {number} value
 * @param {string} unit
 */
export function formatQuantity(value, unit) {
  if (unit !== 'ms') {
    return `${value.toLocaleString('en', { maximumFractionDigits: value < 100 ? 2 : 0 })} ${unit}`.trim();
  }
  if (value >= 1000) return `${formatNumber(value / 1000, 1)} s`;
  return `${formatNumber(value, value < 10 && !Number.isInteger(value) ? 1 : 0)} ms`;
}

/**
 * The same text on every machine, hence UTC; a date that can't be read is shown as it came.
 * @param {string} iso
 */
export function formatDate(iso) {
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return iso;
  return `${date.toLocaleString('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' })} UTC`;
}

/**
 * Settings and environment values: lists with commas, absent ones as a dash.
 * @param {unknown} value
 * @returns {string}
 */
export function formatSetting(value) {
  if (value === null || value === undefined || value === '') return DASH;
  if (Array.isArray(value)) return value.map(formatSetting).join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

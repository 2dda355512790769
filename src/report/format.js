import { formatNumber } from 'mongodb-pool-monitor/universal/quantity.js';

/** @import { Column } from './result-types.js' */

export const DASH = '–';

/**
 * @template Row
 * @param {Column<Row>} column
 * @param {Row} row
 * @param {boolean} [grouping]
 */
export function formatCell(column, row, grouping = true) {
  const value = column.value(row);
  if (value === null || value === undefined || Number.isNaN(value)) return DASH;
  if (typeof value !== 'number') return value;
  const { digits } = column;
  return formatNumber(value, typeof digits === 'function' ? digits(value) : digits, grouping);
}

/**
 * In UTC, so that the text is the same on every machine. A date that can't be parsed is returned as it is.
 * @param {string} iso
 */
export function formatDate(iso) {
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return iso;
  return `${date.toLocaleString('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' })} UTC`;
}

/** @param {unknown} value @returns {string} */
export function formatSetting(value) {
  if (value === null || value === undefined || value === '') return DASH;
  if (Array.isArray(value)) return value.map(formatSetting).join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

import { formatNumber } from '../universal/quantity.js';

/** @import { Column } from './result-types.js' */

export const DASH = '–';

/**
 * The text of a table's cell; a dash where there is no value.
 * @template Row
 * @param {Column<Row>} column
 * @param {Row} row
 * @param {boolean} [grouping]
 */
export function formatCell(column, row, grouping = true) {
  const value = column.value(row);
  if (value === null || value === undefined || Number.isNaN(value)) return DASH;
  return typeof value === 'number' ? formatNumber(value, column.digits, grouping) : value;
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

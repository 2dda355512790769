import { DASH, formatCell } from './format.js';

/** @import { Column, LabView, Result } from './result-types.js' */

/**
 * @template [Row=import('./result-types.js').Variant]
 * @typedef {object} Group neighbouring columns under one heading
 * @property {string} heading with the unit, if all its columns share one; empty for a column without a group
 * @property {Column<Row>[]} columns
 * @property {string[]} headings of the columns, with the unit if the group's heading lacks it
 */

/** @template Row @param {Column<Row>[]} columns @returns {Group<Row>[]} */
export function groupColumns(columns) {
  /** @type {Column<Row>[][]} */
  const groups = [];
  for (const column of columns) {
    const last = groups.at(-1);
    if (last && column.group && last[0].group === column.group) last.push(column);
    else groups.push([column]);
  }
  return groups.map((members) => {
    const [{ group, unit }] = members;
    const shared = group && unit && members.every((column) => column.unit === unit);
    return {
      heading: shared ? `${group} ${unit}` : group ?? '',
      columns: members,
      headings: members.map((column) => (
        shared || !column.unit ? column.heading : `${column.heading} ${column.unit}`
      )),
    };
  });
}

/**
 * The columns that have a value in some row, and the first one, which names the rows.
 * @template Row
 * @param {Column<Row>[]} columns
 * @param {Row[]} rows
 */
export function pickFilled(columns, rows) {
  return columns.filter((column, index) => index === 0 || rows.some((row) => formatCell(column, row) !== DASH));
}

/**
 * Whether a column holds text, which aligns left. Numbers align right.
 * @template Row
 * @param {Column<Row>} column
 * @param {Row[]} rows
 */
export function isText(column, rows) {
  return rows.some((row) => typeof column.value(row) === 'string');
}

/** Errors and warnings. @param {Result} result */
export function listNotes({ variants, warnings = [] }) {
  const failed = variants.filter((variant) => variant.error).map(({ name, measured, error }) => (
    `${name} ${measured ? 'had failures' : 'did not run'}: ${error}`
  ));
  return [...failed, ...warnings];
}

/** The lab's sentence; empty if nothing was measured or predicted. @param {LabView} lab @param {Result} result */
export function sumUp(lab, result) {
  const variants = result.variants.filter(({ measured, predicted }) => measured ?? predicted);
  return variants.length ? lab.takeaway({ ...result, variants }) : '';
}

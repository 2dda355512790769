import { MIN_FOR_PERCENTILES } from 'mongodb-pool-predictor';
import { digitsOf, formatNumber } from 'mongodb-pool-page/universal/quantity.js';

/** @import { Column, Variant } from './result-types.js' */

export const DASH = '–';
/** Cells of which a whole column would say nothing. */
const EMPTY = /^(–|0(\.0+)?)$/;

/**
 * @template [Row=import('./result-types.js').Variant]
 * @typedef {object} ColumnGroup neighbouring columns under one heading
 * @property {string} heading with the unit, if all its columns share one; empty for a column without a group, and for
 *   columns that name the rows together
 * @property {Column<Row>[]} columns
 * @property {string[]} headings of the columns, with the unit if the group's heading lacks it
 */

/**
 * @template [Row=import('./result-types.js').Variant]
 * @typedef {(common: Partial<Column<Row>>, columns: Column<Row>[]) => Column<Row>[]} ShareColumns
 */

/** Gives columns what they have in common: the group, or the unit and the digits. @type {ShareColumns<any>} */
export const shareColumns = (common, columns) => columns.map((column) => ({ ...common, ...column }));

/** @template Row @param {Column<Row>[]} columns @returns {ColumnGroup<Row>[]} */
export function groupColumns(columns) {
  /** @type {Column<Row>[][]} */
  const groups = [];
  for (const column of columns) {
    const last = groups.at(-1);
    if (last && column.group !== undefined && last[0].group === column.group) last.push(column);
    else groups.push([column]);
  }
  return groups.map((members) => {
    const [{ group, unit }] = members;
    const shared = group && unit && members.every((column) => column.unit === unit);
    return {
      heading: shared ? `${group} ${unit}` : (group ?? ''),
      columns: members,
      headings: members.map((column) => (shared || !column.unit ? column.heading : `${column.heading} ${column.unit}`)),
    };
  });
}

/** @template Row @param {Column<Row>[]} columns @returns {Column<Row>[]} those that are not folded */
export function pickMain(columns) {
  return columns.filter(({ detail }) => !detail);
}

/**
 * The columns that have a value other than zero in some row, and the first one, which names the rows. Each has the same
 * digits in all rows.
 * @template Row
 * @param {Column<Row>[]} columns
 * @param {Row[]} rows
 * @returns {Column<Row>[]}
 */
export function pickFilled(columns, rows) {
  return columns
    .filter((column, index) => index === 0 || rows.some((row) => !EMPTY.test(formatCell(column, row))))
    .map((column) => (column.digits === 'times' ? { ...column, digits: digitsOfTimes(column, rows) } : column));
}

/** @template Row @param {Column<Row>} column of times in ms, or of bands @param {Row[]} rows */
function digitsOfTimes(column, rows) {
  const times = rows.flatMap((row) => column.value(row) ?? []).filter((value) => typeof value === 'number');
  // Beside hundreds of ms, a tenth is noise.
  return times.some((ms) => ms >= 99.5) ? 0 : Math.max(0, ...times.filter(Number.isFinite).map(digitsOf));
}

/**
 * Whether a column holds text, which aligns left. Numbers align right.
 * @template Row
 * @param {Column<Row>} column
 * @param {Row[]} rows
 */
export function isText(column, rows) {
  return rows.some((row) => ['string', 'object'].includes(typeof (column.value(row) ?? 0)));
}

/**
 * @template Row
 * @param {Column<Row>} column
 * @param {Row} row
 * @param {boolean} [grouping]
 */
export function formatCell(column, row, grouping = true) {
  const value = column.value(row);
  if (value === null || value === undefined || Number.isNaN(value)) return DASH;
  if (typeof value === 'string') return value;
  const { digits } = column;
  const format = (/** @type {number} */ each, /** @type {boolean} */ isGrouped) =>
    Number.isFinite(each) ? formatNumber(each, digits === 'times' ? digitsOf(each) : digits, isGrouped) : DASH;
  if (typeof value === 'number') return format(value, grouping);
  return [...new Set(value.map((end) => format(end, false)))].join('-');
}

/** What the views of load tests share. Their figures have `requests`, `failures`, `routes` and `pool`. */

/** @type {Column<Variant<any, any>>} */
export const poolSizeColumn = {
  heading: 'pool',
  about: 'connections in the pool',
  value: ({ settings }) => settings.poolSize,
};

/** @type {Column<Variant<any, any>>[]} */
export const requestColumns = [
  { heading: 'reqs', about: 'requests', value: ({ measured }) => measured?.requests },
  { heading: 'fail', about: 'requests without a good answer', value: ({ measured }) => measured?.failures },
];

/** @type {Column<Variant<any, any>>[]} */
export const peakColumns = [
  {
    group: 'peak',
    heading: 'active',
    about: 'highest number of connections in use at once',
    value: ({ measured }) => measured?.pool?.peakActive,
  },
  {
    group: 'peak',
    heading: 'waiting',
    about: 'highest number of requests that waited for a connection at once',
    value: ({ measured }) => measured?.pool?.peakWaiting,
  },
];

/** @typedef {'p50Ms' | 'p95Ms' | 'p99Ms' | 'maxMs'} TimeFigure */

/**
 * @param {any} figures measured or predicted
 * @param {string} route
 * @param {TimeFigure} figure
 * @param {number} [repeats] that had these requests together
 * @returns {number | undefined} in ms; undefined where there are too few requests: a percentile of them is chance
 */
export function timeOf(figures, route, figure, repeats = 1) {
  const times = figures?.routes?.[route];
  return figure === 'maxMs' || times?.count >= MIN_FOR_PERCENTILES * repeats ? times?.[figure] : undefined;
}

/** @param {string} route @param {TimeFigure} figure */
export function ofRoute(route, figure) {
  return (/** @type {Pick<Variant<any, any>, "measured" | "repeats">} */ { measured, repeats }) =>
    timeOf(measured, route, figure, repeats?.length || 1);
}

/**
 * The figure to compare a route by: p95, or the maximum if that says more.
 * @param {string} route
 * @param {Variant[]} variants
 */
export function chooseFigure(route, variants) {
  const measured = variants.filter((variant) => typeof ofRoute(route, 'maxMs')(variant) === 'number');
  return measured.every((variant) => typeof ofRoute(route, 'p95Ms')(variant) === 'number') ? 'p95' : 'max';
}

/** @param {string} route @returns {Record<'p50' | 'p95' | 'p99' | 'max', Column<Variant<any, any>>>} */
export function routeColumns(route) {
  const column = { group: route, unit: 'ms' };
  return {
    p50: {
      ...column,
      heading: 'p50',
      about: '50 % of requests took this long or less',
      value: ofRoute(route, 'p50Ms'),
    },
    p95: { ...column, heading: 'p95', about: '95 % took this long or less', value: ofRoute(route, 'p95Ms') },
    p99: { ...column, heading: 'p99', about: '99 % took this long or less', value: ofRoute(route, 'p99Ms') },
    max: { ...column, heading: 'max', value: ofRoute(route, 'maxMs') },
  };
}

/** @param {number} poolSize */
export function describeSize(poolSize) {
  return poolSize === 1 ? '1 connection' : `${poolSize} connections`;
}

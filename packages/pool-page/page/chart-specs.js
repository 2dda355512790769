import { formatNumber, formatQuantity } from '../universal/quantity.js';

/** @import { Second } from '../universal/feed-shapes.js' */
/** @import { ChartRoute } from './chart-routes.js' */
/** @import { Palette } from './palette.js' */

/**
 * @typedef {object} ChartSeries in the order of the legend
 * @property {string} label
 * @property {keyof Palette} color
 * @property {boolean} [thin]
 * @property {(second: Second) => number | undefined} value
 *
 * @typedef {object} Spec
 * @property {string} id of the figure in index.html
 * @property {'dots' | 'line' | 'bar'} kind
 * @property {(value: number) => string} format
 * @property {(routes: ChartRoute[]) => ChartSeries[]} listSeries
 */

/** @type {Spec[]} */
export const SPECS = [
  {
    id: 'latency-chart',
    kind: 'dots',
    format: (value) => formatQuantity(value, 'ms'),
    listSeries: (routes) =>
      routes.map(({ label, names, color }) => ({ label: `${label} p95`, color, value: p95Of(names) })),
  },
  {
    id: 'pool-chart',
    kind: 'line',
    format: (value) => formatNumber(value),
    listSeries: () => [
      { label: 'waiting', color: 'ink', value: ({ waiting }) => waiting },
      { label: 'active', color: 'muted', value: ({ active }) => active },
      { label: 'max', color: 'muted', thin: true, value: ({ max }) => max || undefined },
    ],
  },
  {
    id: 'rate-chart',
    kind: 'bar',
    format: (value) => formatNumber(value),
    listSeries: (routes) => [
      ...routes.map(({ label, names, color }) => ({ label, color, value: successesOf(names) })),
      { label: 'failed', color: 'ink', value: failuresOf },
    ],
  },
];

/** @typedef {{ x: number, y: number | null }} ChartPoint x in seconds from now, at most 0 */

/**
 * @param {Second[]} seconds oldest first
 * @param {(second: Second) => number | undefined} value undefined for a gap
 * @returns {ChartPoint[]}
 */
export function listPoints(seconds, value) {
  const nowMs = seconds.at(-1)?.atMs ?? 0;
  return seconds.map((second) => ({ x: Math.round((second.atMs - nowMs) / 1000), y: value(second) ?? null }));
}

/** Of several routes, the slowest counts. @param {string[]} names @returns {(second: Second) => number | undefined} */
export function p95Of(names) {
  return ({ routes }) => {
    const values = names.flatMap((name) => routes[name]?.p95Ms ?? []);
    return values.length > 0 ? Math.max(...values) : undefined;
  };
}

/** @param {string[]} names of routes @returns {(second: Second) => number} */
export function successesOf(names) {
  return ({ routes }) =>
    names.reduce((sum, name) => sum + (routes[name]?.count ?? 0) - (routes[name]?.failures ?? 0), 0);
}

/** @param {Second} second */
export function failuresOf({ routes }) {
  return Object.values(routes).reduce((sum, { failures }) => sum + failures, 0);
}

/** @param {(number | null)[]} values */
export function latestOf(values) {
  return values.findLast((value) => value !== null) ?? null;
}

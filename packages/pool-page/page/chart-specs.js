import { formatNumber, formatQuantity } from '../universal/quantity.js';
import { MIN_FOR_PERCENTILES } from '../universal/stats.js';

/** @import { Second } from '../universal/feed-shapes.js' */
/** @import { ChartRoute } from './chart-routes.js' */
/** @import { Palette } from './palette.js' */

/**
 * @typedef {object} ChartSeries in the order of the legend
 * @property {string} label
 * @property {keyof Palette} color
 * @property {boolean} [thin]
 * @property {(second: Second) => number | undefined} value
 * @property {(second: Second) => string} [figure] what the value is, where that differs
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
      routes.map(({ label, names, color }) => ({
        ...{ label, color },
        value: (second) => slowestOf(names, second)?.ms,
        figure: (second) => slowestOf(names, second)?.figure ?? '',
      })),
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

/**
 * The 95th percentile of the slowest of several routes, or its maximum if few of its requests ended in that second.
 * @param {string[]} names
 * @param {Second} second
 * @returns {{ ms: number, figure: 'p95' | 'max' } | undefined} undefined without a response
 */
export function slowestOf(names, { routes }) {
  return names
    .flatMap((name) => {
      const { count = 0, failures = 0, p95Ms, maxMs } = routes[name] ?? {};
      const [ms, figure] = count - failures < MIN_FOR_PERCENTILES ? [maxMs, 'max'] : [p95Ms, 'p95'];
      return ms === undefined ? [] : [{ ms, figure: /** @type {'p95' | 'max'} */ (figure) }];
    })
    .sort((a, b) => b.ms - a.ms)[0];
}

/** @param {string[]} names of routes @returns {(second: Second) => number} */
function successesOf(names) {
  return ({ routes }) =>
    names.reduce((sum, name) => sum + (routes[name]?.count ?? 0) - (routes[name]?.failures ?? 0), 0);
}

/** @param {Second} second */
function failuresOf({ routes }) {
  return Object.values(routes).reduce((sum, { failures }) => sum + failures, 0);
}

/** @param {(number | null)[]} values @returns {number} the index of the latest value; -1 if there is none */
export function findLatest(values) {
  return values.findLastIndex((value) => value !== null);
}

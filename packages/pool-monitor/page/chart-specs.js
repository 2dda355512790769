import { failuresOf, latencyOf, successesOf } from './chart-points.js';
import { formatNumber, formatQuantity } from '../universal/quantity.js';

/** @import { Second } from '../src/live/feed-shapes.js' */
/** @import { Palette } from './palette.js' */

/**
 * @typedef {object} Series in the order of the legend
 * @property {string} label
 * @property {keyof Palette} color
 * @property {boolean} [thin]
 * @property {(second: Second) => number | undefined} value
 *
 * @typedef {object} Spec
 * @property {string} id of the figure in index.html
 * @property {'line' | 'bar'} kind
 * @property {boolean} [log]
 * @property {number} [min] smaller values are below the chart
 * @property {(value: number) => string} format
 * @property {Series[]} series
 */

/** @type {Spec[]} */
export const SPECS = [{
  id: 'latency-chart',
  kind: 'line',
  log: true,
  format: (value) => formatQuantity(value, 'ms'),
  series: [
    { label: '/fast p95', color: 'measured-2', value: latencyOf('/fast', 'p95Ms') },
    { label: '/fast p50', color: 'measured-2', thin: true, value: latencyOf('/fast', 'p50Ms') },
    { label: '/slow p95', color: 'measured-1', value: latencyOf('/slow', 'p95Ms') },
    { label: '/slow p50', color: 'measured-1', thin: true, value: latencyOf('/slow', 'p50Ms') },
  ],
}, {
  id: 'use-chart',
  kind: 'line',
  log: true,
  // Who gets an idle connection waits for microseconds.
  min: 0.1,
  format: (value) => formatQuantity(value, 'ms'),
  series: [
    { label: '/fast use p95', color: 'measured-2', value: latencyOf('/fast', 'useP95Ms') },
    { label: '/fast wait p95', color: 'measured-2', thin: true, value: latencyOf('/fast', 'waitP95Ms') },
    { label: '/slow use p95', color: 'measured-1', value: latencyOf('/slow', 'useP95Ms') },
    { label: '/slow wait p95', color: 'measured-1', thin: true, value: latencyOf('/slow', 'waitP95Ms') },
  ],
}, {
  id: 'pool-chart',
  kind: 'line',
  format: (value) => formatNumber(value),
  series: [
    { label: 'waiting', color: 'predicted', value: ({ waiting }) => waiting },
    { label: 'active', color: 'measured-3', value: ({ active }) => active },
    { label: 'idle', color: 'published', thin: true, value: ({ idle }) => idle },
    { label: 'max', color: 'ink', thin: true, value: ({ max }) => max || undefined },
  ],
}, {
  id: 'rate-chart',
  kind: 'bar',
  format: (value) => formatNumber(value),
  series: [
    { label: '/fast', color: 'measured-2', value: successesOf('/fast') },
    { label: '/slow', color: 'measured-1', value: successesOf('/slow') },
    { label: 'failed', color: 'ink', value: failuresOf },
  ],
}];

/** @import { Column, Variant } from './result-types.js' */

/** What the views of load tests share. Their figures have `requests`, `failures`, `routes` and `pool`. */

/** @type {Column<Variant<any, any>>} */
export const poolSizeColumn = { heading: 'pool', about: 'connections in the pool', value: ({ settings }) => settings.poolSize };

/** @type {Column<Variant<any, any>>[]} */
export const requestColumns = [
  { heading: 'reqs', about: 'requests', value: ({ measured }) => measured?.requests },
  { heading: 'fail', about: 'requests without a good answer', value: ({ measured }) => measured?.failures },
];

/** @type {Column<Variant<any, any>>[]} */
export const peakColumns = [
  {
    group: 'peak', heading: 'active', about: 'highest number of connections in use at once',
    value: ({ measured }) => measured?.pool?.peakActive,
  },
  {
    group: 'peak', heading: 'waiting', about: 'highest number of requests that waited for a connection at once',
    value: ({ measured }) => measured?.pool?.peakWaiting,
  },
];

/** @param {string} route @param {'p50Ms' | 'p95Ms' | 'p99Ms' | 'maxMs'} figure */
export function ofRoute(route, figure) {
  return (/** @type {Variant<unknown, any>} */ { measured }) => measured?.routes?.[route]?.[figure];
}

/** @param {string} route @returns {Record<'p50' | 'p95' | 'p99' | 'max', Column<Variant<any, any>>>} */
export function routeColumns(route) {
  const column = { group: route, unit: 'ms' };
  return {
    p50: { ...column, heading: 'p50', about: '50 % of requests took this long or less', value: ofRoute(route, 'p50Ms') },
    p95: { ...column, heading: 'p95', about: '95 % took this long or less', value: ofRoute(route, 'p95Ms') },
    p99: { ...column, heading: 'p99', about: '99 % took this long or less', value: ofRoute(route, 'p99Ms') },
    max: { ...column, heading: 'max', value: ofRoute(route, 'maxMs') },
  };
}

/** @param {number} poolSize */
export function describeSize(poolSize) {
  return poolSize === 1 ? '1 connection' : `${poolSize} connections`;
}

/** @import { Second } from './feed-types.js' */

/** @typedef {{ x: number, y: number | null }} Point x in seconds before now, so at most 0 */

/**
 * One line of a chart.
 * @param {Second[]} seconds oldest first
 * @param {(second: Second) => number | undefined} value undefined leaves a gap
 * @returns {Point[]}
 */
export function listPoints(seconds, value) {
  const nowMs = seconds.at(-1)?.atMs ?? 0;
  return seconds.map((second) => ({ x: Math.round((second.atMs - nowMs) / 1000), y: value(second) ?? null }));
}

/**
 * @param {string} route
 * @param {'p50Ms' | 'p95Ms' | 'maxMs'} figure
 * @returns {(second: Second) => number | undefined}
 */
export function latencyOf(route, figure) {
  return ({ routes }) => routes[route]?.[figure];
}

/**
 * Requests that ended well.
 * @param {string} route
 * @returns {(second: Second) => number}
 */
export function successesOf(route) {
  return ({ routes }) => (routes[route]?.count ?? 0) - (routes[route]?.failures ?? 0);
}

/** @param {Second} second */
export function failuresOf({ routes }) {
  return Object.values(routes).reduce((sum, { failures }) => sum + failures, 0);
}

/**
 * The latest value that there is.
 * @param {Point[]} points
 */
export function latestOf(points) {
  return points.findLast(({ y }) => y !== null)?.y ?? null;
}

/**
 * Round numbers on a logarithmic axis: 1, 10, 100 ...
 * @param {number} value
 */
export function isPowerOfTen(value) {
  return Number.isInteger(Math.round(Math.log10(value) * 1e9) / 1e9);
}

/** @param {number} ms a round number */
export function formatTick(ms) {
  return ms < 1000 ? `${ms} ms` : `${ms / 1000} s`;
}

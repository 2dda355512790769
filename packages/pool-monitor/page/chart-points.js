/** @import { Second } from '../src/live/feed-shapes.js' */

/** @typedef {{ x: number, y: number | null }} Point x in seconds from now, at most 0 */

/**
 * @param {Second[]} seconds oldest first
 * @param {(second: Second) => number | undefined} value undefined for a gap
 * @returns {Point[]}
 */
export function listPoints(seconds, value) {
  const nowMs = seconds.at(-1)?.atMs ?? 0;
  return seconds.map((second) => ({ x: Math.round((second.atMs - nowMs) / 1000), y: value(second) ?? null }));
}

/**
 * @param {string[]} names of routes; of several, the slowest counts
 * @param {'p50Ms' | 'p95Ms' | 'maxMs' | 'waitP95Ms' | 'useP95Ms'} figure
 * @returns {(second: Second) => number | undefined}
 */
export function latencyOf(names, figure) {
  return ({ routes }) => {
    const values = names.flatMap((name) => routes[name]?.[figure] ?? []);
    return values.length > 0 ? Math.max(...values) : undefined;
  };
}

/** @param {string[]} names of routes @returns {(second: Second) => number} */
export function successesOf(names) {
  return ({ routes }) => names.reduce((sum, name) => sum + (routes[name]?.count ?? 0) - (routes[name]?.failures ?? 0), 0);
}

/** @param {Second} second */
export function failuresOf({ routes }) {
  return Object.values(routes).reduce((sum, { failures }) => sum + failures, 0);
}

/** @param {Point[]} points */
export function latestOf(points) {
  return points.findLast(({ y }) => y !== null)?.y ?? null;
}

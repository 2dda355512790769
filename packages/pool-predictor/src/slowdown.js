/** @import { Service } from './simulator/service-time.js' */
/** @import { RouteResult } from './simulator/route-stats.js' */

/** A p99 up to this much above the best is about as good: a smaller difference is lost in the noise of a measurement. */
const SLOWER = 1.25;
const SLOWER_MS = 1;

/**
 * Where a larger pool makes a route slower, because its queries share the server's cores.
 *
 * @typedef {object} Slowdown
 * @property {string} route whose p99 grows most
 * @property {number} poolSize the largest with a p99 about as good as the best
 * @property {number} p99Ms with it
 * @property {number} largerSize the largest size looked at
 * @property {number} largerMs p99 with that
 */

/**
 * @param {{ poolSize: number, routes: Record<string, Pick<RouteResult, 'p99Ms'>> }[]} sizes ascending
 * @param {Record<string, Service>} services
 * @returns {Slowdown | null} null when the largest is about as good as any
 */
export function findSlowdown(sizes, services) {
  const found = Object.keys(services).filter((route) => Number(services[route].workShare) > 0).flatMap((route) => {
    const known = sizes.filter(({ routes }) => routes[route]?.p99Ms >= 0)
      .map(({ poolSize, routes }) => ({ poolSize, p99Ms: routes[route].p99Ms }));
    const bestMs = Math.min(...known.map(({ p99Ms }) => p99Ms));
    const last = known.findLastIndex(({ p99Ms }) => p99Ms <= bestMs * SLOWER + SLOWER_MS);
    if (last < 0 || last === known.length - 1) return [];
    const larger = known[known.length - 1];
    return [{ route, ...known[last], largerSize: larger.poolSize, largerMs: larger.p99Ms }];
  });
  return found.toSorted((a, b) => b.largerMs / b.p99Ms - a.largerMs / a.p99Ms)[0] ?? null;
}

/** @import { RouteSecond, Second } from '../universal/feed-shapes.js' */

/**
 * @typedef {object} RecentLoad the last minute with traffic
 * @property {number} atMs its end, by the app's clock
 * @property {number} max the pool's size at its end, 0 for no limit
 * @property {Record<string, number>} requests by route
 * @property {Record<string, number>[]} arrivals of each second, by route
 * @property {Record<string, number>} p95Ms measured by route, only of requests that arrived at the current pool size
 *
 * @typedef {RouteSecond & { route: string, atMs: number }} Group requests of one route that ended within one second
 * @typedef {Group & Required<Pick<RouteSecond, 'p50Ms' | 'p95Ms' | 'maxMs'>>} ServedGroup those that succeeded
 */

const RECENT_MS = 60_000;
const SECOND_MS = 1000;
/** How many values represent the requests of a second, of which only three percentiles are known. */
const MAX_VALUES = 20;

/**
 * The load of the minute up to the last request. The app counts requests when they end, so arrivals are an estimate:
 * all requests of a second count as having arrived their p50 before.
 * @param {Second[]} seconds oldest first
 * @returns {RecentLoad}
 */
export function readRecentLoad(seconds) {
  const last = seconds.findLastIndex(({ routes }) => Object.keys(routes).length > 0);
  const past = seconds.slice(0, last + 1);
  const { atMs: endMs = 0, max = 0 } = past.at(-1) ?? {};
  const groups = past
    .filter(({ atMs }) => atMs > endMs - RECENT_MS)
    .flatMap(({ atMs, routes }) => Object.entries(routes).map(([route, figures]) => ({ route, atMs, ...figures })));
  return {
    atMs: endMs,
    max,
    requests: byRoute(groups, (each) => each.reduce((sum, { count }) => sum + count, 0)),
    arrivals: countArrivals(groups),
    p95Ms: byRoute(groups.flatMap(listServed).filter(arrivedAtSize(max, past)), estimateP95),
  };
}

/** @param {Group[]} groups */
function countArrivals(groups) {
  const startMs = Math.min(...groups.map(arrivedAtMs));
  /** @type {Record<string, number>[]} */
  const arrivals = [];
  for (const group of groups) {
    const second = Math.floor((arrivedAtMs(group) - startMs) / SECOND_MS);
    const counts = (arrivals[second] ??= {});
    counts[group.route] = (counts[group.route] ?? 0) + group.count;
  }
  return Array.from(arrivals, (counts = {}) => counts);
}

/** Of a group, those that succeeded. @param {Group} group @returns {ServedGroup[]} */
function listServed(group) {
  const { p50Ms, p95Ms, maxMs, count, failures } = group;
  if (p50Ms === undefined || p95Ms === undefined || maxMs === undefined) return [];
  return [{ ...group, p50Ms, p95Ms, maxMs, count: count - failures }];
}

/** @param {Group} group */
function arrivedAtMs({ atMs, p50Ms = 0 }) {
  return atMs - SECOND_MS / 2 - p50Ms;
}

/**
 * Whether all requests of a group arrived after the pool got its current size.
 * @param {number} max
 * @param {Second[]} seconds the last one has that size
 * @returns {(group: ServedGroup) => boolean}
 */
function arrivedAtSize(max, seconds) {
  const before = seconds.findLastIndex((second) => second.max !== max);
  const sinceMs = before === -1 ? -Infinity : seconds[before + 1].atMs;
  return ({ atMs, maxMs }) => atMs - SECOND_MS - maxMs >= sinceMs;
}

/** @template {Group} T @param {T[]} groups @param {(groups: T[]) => number} sumUp */
function byRoute(groups, sumUp) {
  const routes = [...new Set(groups.map(({ route }) => route))].sort();
  return Object.fromEntries(routes.map((name) => [name, sumUp(groups.filter(({ route }) => route === name))]));
}

/**
 * The p95 over several seconds, from the p50, p95 and maximum of each. It is exact for up to two requests per second.
 * For more it assumes that the values between these three lie evenly, as they do behind a bus.
 * @param {Pick<ServedGroup, 'count' | 'p50Ms' | 'p95Ms' | 'maxMs'>[]} groups at least one
 */
export function estimateP95(groups) {
  const values = groups.flatMap(spread).sort((a, b) => a.ms - b.ms);
  const rank = 0.95 * values.reduce((sum, { weight }) => sum + weight, 0) - 1e-6;
  let seen = 0;
  return values.find(({ weight }) => (seen += weight) >= rank)?.ms ?? NaN;
}

/** @param {Pick<ServedGroup, 'count' | 'p50Ms' | 'p95Ms' | 'maxMs'>} group */
function spread({ count, p50Ms, p95Ms, maxMs }) {
  const length = Math.min(count, MAX_VALUES);
  const [at50, at95] = [Math.ceil(0.5 * length), Math.ceil(0.95 * length)];
  return Array.from({ length }, (_, index) => {
    const rank = index + 1;
    const between = p50Ms + ((p95Ms - p50Ms) * (rank - at50)) / (at95 - at50);
    return { ms: rank <= at50 ? p50Ms : rank <= at95 ? between : maxMs, weight: count / length };
  });
}

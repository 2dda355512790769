import { weightedMedian } from './stats.js';

/** @import { KnownQuery, Second } from './feed-shapes.js' */

/**
 * @typedef {'bus' | 'ferrari'} Kind
 *
 * @typedef {object} RouteKinds
 * @property {Record<string, Kind>} known routes whose kind is certain, whatever a single request does
 * @property {Record<string, number>} useMs how long a request of each route holds connections, the median of the last
 *   two minutes
 * @property {Record<string, Kind>} learned from that
 */

/** Nobody notices a shorter wait. */
export const NOTICED_WAIT_MS = 50;
/** Who holds a connection this long delays others for longer than people call instant. */
const BUS_MS = 100;
/** So does this many times the use of the quickest route: behind it, the quick one is no longer quick. */
const BUS_RATIO = 10;
/** Nobody notices a shorter use, whatever the ratio. */
const MIN_BUS_MS = 10;

/**
 * Which routes are buses and which are Ferraris, by how long they hold a connection. A route is a bus from 100 ms on,
 * and already from 10 ms on if that is ten times as long as the quickest route. What the app knows about a route comes
 * before what was measured.
 *
 * @param {Second[]} seconds
 * @param {Record<string, KnownQuery>} queries
 * @returns {RouteKinds}
 */
export function findKinds(seconds, queries) {
  const measuredMs = findMedians(seconds);
  const knownMs = Object.fromEntries(Object.entries(queries).map(([route, { aloneMs }]) => [route, aloneMs]));
  const useMs = { ...measuredMs, ...knownMs };
  const shortestMs = Math.min(...Object.values(useMs));
  const busMs = Math.min(BUS_MS, Math.max(MIN_BUS_MS, BUS_RATIO * shortestMs));
  const judge = (/** @type {Record<string, number>} */ timesMs) =>
    Object.fromEntries(
      Object.entries(timesMs).map(([route, ms]) => [route, /** @type {Kind} */ (ms >= busMs ? 'bus' : 'ferrari')]),
    );
  return { known: judge(knownMs), useMs, learned: judge(measuredMs) };
}

/**
 * A vehicle's kind. A Ferrari that holds its connection like a bus is one, for now.
 *
 * @param {RouteKinds} kinds
 * @param {string | null} route
 * @param {number} [busyMs] how long it has held its connection
 * @returns {Kind}
 */
export function kindOf({ known, learned }, route, busyMs = 0) {
  const name = route ?? '';
  return known[name] ?? (busyMs >= BUS_MS ? 'bus' : (learned[name] ?? 'ferrari'));
}

/** @param {Second[]} seconds @returns {Record<string, number>} by route */
function findMedians(seconds) {
  /** @type {Map<string, { value: number, count: number }[]>} */
  const uses = new Map();
  for (const { routes } of seconds) {
    for (const [route, { useP50Ms, count }] of Object.entries(routes)) {
      if (useP50Ms === undefined) continue;
      const ofRoute = uses.get(route);
      if (ofRoute) ofRoute.push({ value: useP50Ms, count });
      else uses.set(route, [{ value: useP50Ms, count }]);
    }
  }
  return Object.fromEntries([...uses].map(([route, each]) => [route, weightedMedian(each)]));
}

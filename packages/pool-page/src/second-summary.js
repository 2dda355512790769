import { percentile } from '../universal/stats.js';

/** @import { EndedRequest } from 'mongodb-pool-monitor' */
/** @import { RouteSecond, Second } from '../universal/feed-shapes.js' */

/** More routes than that share one line, so that an app with a name for each request does not fill the memory. */
const MAX_ROUTES = 50;
const OTHER = 'other';
/** A random sample of this size stands for more requests of one route. */
const MAX_SAMPLES = 2000;

/** @typedef {Pick<EndedRequest, 'route' | 'status' | 'totalMs' | 'waitMs' | 'useMs'>} Ended */
/**
 * @typedef {{ count: number, failures: number, maxMs: number, totalMs: number[], waitMs: number[], useMs: number[] }}
 *   RouteCounts
 */

/** The requests that end within one second. */
export class SecondSummary {
  /** @type {Map<string, RouteCounts>} */
  #routes = new Map();

  /** @param {Ended} request */
  add(request) {
    const route = this.#routes.get(request.route) ?? this.#add(request.route);
    route.count += 1;
    if (request.status < 200 || request.status >= 400) {
      // How long it took to fail says nothing about the queries.
      route.failures += 1;
      return;
    }
    route.maxMs = Math.max(route.maxMs, request.totalMs);
    const served = route.count - route.failures;
    const index = served <= MAX_SAMPLES ? served - 1 : Math.floor(Math.random() * served);
    if (index >= MAX_SAMPLES) return;
    // Numbers only: keeping the requests would cost the app much more.
    route.totalMs[index] = request.totalMs;
    route.waitMs[index] = request.waitMs;
    route.useMs[index] = request.useMs;
  }

  /** @param {string} route that has no counts of its own yet @returns {RouteCounts} */
  #add(route) {
    const name = this.#routes.size < MAX_ROUTES ? route : OTHER;
    let counts = this.#routes.get(name);
    if (!counts)
      this.#routes.set(name, (counts = { count: 0, failures: 0, maxMs: 0, totalMs: [], waitMs: [], useMs: [] }));
    return counts;
  }

  /** @param {number} periodMs @returns {Pick<Second, 'ratePerSec' | 'routes'>} */
  summarise(periodMs) {
    const routes = [...this.#routes];
    return {
      ratePerSec: (routes.reduce((sum, [, { count }]) => sum + count, 0) / periodMs) * 1000,
      routes: Object.fromEntries(routes.map(([name, route]) => [name, summariseRoute(route)])),
    };
  }
}

/** @param {RouteCounts} counts @returns {RouteSecond} */
function summariseRoute({ count, failures, maxMs, totalMs, waitMs, useMs }) {
  const [total, wait, use] = [totalMs, waitMs, useMs.filter((ms) => ms > 0)].map(sort);
  if (total.length === 0) return { count, failures };
  return {
    count,
    failures,
    maxMs,
    p50Ms: percentile(total, 0.5),
    p95Ms: percentile(total, 0.95),
    waitP95Ms: percentile(wait, 0.95),
    ...(use.length > 0 && { useP50Ms: percentile(use, 0.5), useP95Ms: percentile(use, 0.95) }),
  };
}

/** @param {number[]} values */
function sort(values) {
  return new Float64Array(values).sort();
}

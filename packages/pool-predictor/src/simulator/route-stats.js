import { createLatencyHistogram } from './latency-histogram.js';
import { createPlaces } from './places.js';
import { createRandom } from './random.js';
import { createRequestTimes } from './service-time.js';

/** @import { Service } from './service-time.js' */

/**
 * Times in ms, NaN where there was no request. Percentiles have an error of at most 0.4 %, the rest is exact.
 *
 * @typedef {object} Latencies
 * @property {number} p50Ms
 * @property {number} p95Ms
 * @property {number} p99Ms
 * @property {number} maxMs
 * @property {number} meanMs
 */

/**
 * Response times of all requests, failed ones as Infinity.
 *
 * @typedef {{ p50Ms: number, p90Ms: number, p95Ms: number, p99Ms: number, p999Ms: number, maxMs: number }} AllTimes
 */

/**
 * Response times of successful requests; waits of queries that had a connection; `count` of all requests. `meanUseMs`:
 * how long a query had its connection.
 *
 * @typedef {Latencies & { count: number, failures: number, wait: Latencies, meanUseMs: number, all: AllTimes }}
 *   RouteResult
 */

/**
 * @param {string} name
 * @param {ReturnType<typeof createRequestTimes>} drawRequest
 * @param {Pick<Service, 'workShare' | 'limit'>} service
 */
function createRouteStats(name, drawRequest, { workShare = 0, limit }) {
  const responses = createLatencyHistogram();
  const waits = createLatencyHistogram();
  let failures = 0;
  let uses = 0;
  let usedMs = 0;

  return {
    name,
    drawRequest,
    workShare,
    places: limit ? createPlaces(limit) : null,
    recordResponse: responses.record,
    recordWait: waits.record,
    recordFailure: () => void failures++,
    /** @param {number} ms */
    recordUse(ms) {
      uses++;
      usedMs += ms;
    },
    /** @returns {RouteResult} */
    result: () => {
      const count = responses.count() + failures;
      return {
        count,
        failures,
        ...summarise(responses),
        wait: summarise(waits),
        meanUseMs: usedMs / uses,
        all: {
          p50Ms: responses.percentileAmong(0.5, count),
          p90Ms: responses.percentileAmong(0.9, count),
          p95Ms: responses.percentileAmong(0.95, count),
          p99Ms: responses.percentileAmong(0.99, count),
          p999Ms: responses.percentileAmong(0.999, count),
          maxMs: failures > 0 ? Infinity : responses.max(),
        },
      };
    },
  };
}

/** @typedef {ReturnType<typeof createRouteStats>} RouteStats */

/** @param {ReturnType<typeof createLatencyHistogram>} histogram @returns {Latencies} */
export function summarise(histogram) {
  return {
    p50Ms: histogram.percentile(0.5),
    p95Ms: histogram.percentile(0.95),
    p99Ms: histogram.percentile(0.99),
    maxMs: histogram.max(),
    meanMs: histogram.mean(),
  };
}

/**
 * Keeps the routes of a simulation by name. `get` adds a route that it does not know yet.
 *
 * @param {Record<string, Service>} services
 * @param {number} seed
 */
export function createRoutes(services, seed) {
  /** @type {Map<string, RouteStats>} */
  const routes = new Map();

  /** @param {string} name */
  function get(name) {
    let route = routes.get(name);
    if (!route) {
      const service = services[name];
      const random = createRandom(seed, name);
      route = createRouteStats(name, createRequestTimes(service, random, name), service ?? {});
      routes.set(name, route);
    }
    return route;
  }

  function requireServices() {
    const missing = [...routes.keys()].filter((name) => !services[name]);
    if (missing.length > 0) throw new Error(`There is no service time for ${missing.join(', ')}`);
  }

  return {
    get,
    requireServices,
    results: () => Object.fromEntries(Array.from(routes.values(), (route) => [route.name, route.result()])),
  };
}

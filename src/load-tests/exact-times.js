import { simulate } from 'mongodb-pool-predictor';

/** @import { Service, Workload } from 'mongodb-pool-predictor' */

/** The paths of the demo app that take no connection from the pool. */
export const QUERYLESS_PATHS = ['/', '/livez', '/readyz', '/pool', '/pool/checkouts', '/pool/server', '/metrics'];

/**
 * @typedef {{ workload: Workload, routes: string[], poolSize: number, slowMs: number }} ExactLoad in which all users
 *   are the same
 */

/**
 * Simulates the load as the article computes it: fast queries take no time, and all connections are open.
 * @param {ExactLoad} load
 * @param {{ arrivals?: { atMs: number }[], keepRequests?: boolean }} [options] arrivals: of the users; default: as
 *   planned
 */
export function workOut({ workload, routes, poolSize, slowMs }, options) {
  return simulate({
    workload,
    pool: { maxPoolSize: poolSize },
    services: servicesWithSleep(routes, 0, slowMs),
    ...options,
  });
}

/**
 * Every query takes the same time; a query of /slow also sleeps.
 * @param {string[]} routes
 * @param {number} serviceMs
 * @param {number} slowMs
 * @returns {Record<string, Service>}
 */
export function servicesWithSleep(routes, serviceMs, slowMs) {
  return Object.fromEntries(
    routes.map((route) => {
      if (isQueryless(route)) return [route, { kind: 'none' }];
      return [route, { kind: 'fixed', ms: pathOf(route) === '/slow' ? slowMs + serviceMs : serviceMs }];
    }),
  );
}

/** Whether it takes no connection from the pool. @param {string} route */
export function isQueryless(route) {
  return QUERYLESS_PATHS.includes(pathOf(route));
}

/** Without the method, which a route has when its path is used with GET and HEAD. @param {string} route */
export function pathOf(route) {
  return route.replace(/^[A-Z]+ /, '');
}

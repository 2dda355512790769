import { simulate } from 'mongodb-pool-predictor';
import { isQueryless, pathOf } from './check-requests.js';

/** @import { CheckoutRecord } from 'mongodb-pool-monitor' */
/** @import { Service, Workload } from 'mongodb-pool-predictor' */

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
 * When the users came, as their first queries show it. No load generator is on time to the millisecond, and a user
 * who comes late keeps everyone behind waiting.
 * @param {ExactLoad} load
 * @param {Pick<CheckoutRecord, 'route' | 'checkOutStartedAtMs'>[]} checkouts of the load alone
 * @returns {{ atMs: number }[] | undefined} undefined where the first query of a user looks like a later one
 */
export function findArrivals(load, checkouts) {
  const { records = [] } = workOut(load, { arrivals: [{ atMs: 0 }], keepRequests: true });
  const [first, ...later] = records.filter(({ route }) => !isQueryless(route)).map(({ route }) => pathOf(route));
  if (later.includes(first)) return undefined;
  const startsMs = checkouts
    .filter(({ route }) => route === first)
    .map(({ checkOutStartedAtMs }) => checkOutStartedAtMs)
    .sort((a, b) => a - b);
  return startsMs.map((ms) => ({ atMs: ms - startsMs[0] }));
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

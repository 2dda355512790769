import { sum } from '../base/sample-statistics.js';
import { createRuns, simulateHere } from '../runs/simulation-runs.js';
import { createRandom } from '../simulator/random.js';
import { meanServiceMs } from '../simulator/service-time.js';

/** @import { Load } from '../load/load.js' */
/** @import { PredictedFigures } from '../runs/run-figures.js' */
/** @import { Service } from '../simulator/service-time.js' */

/**
 * @typedef {object} RecentArrivals
 * @property {Record<string, number>[]} arrivals requests of each second, by route
 * @property {number} max maxPoolSize of the pool; 0 for no limit
 *
 * @typedef {object} Prediction
 * @property {number[]} poolSizes ascending
 * @property {Record<string, number[]>} p95Ms by route, one for each size
 */

/** Every size where it matters most, then growing steps up to the page's maximum. */
const SIZES = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 20, 25, 30, 40, 50, 70, 100, 150, 200, 300, 400, 500, 700, 1000];
const MIN_LARGEST = 10;
/** This many requests take a fifth of a second to simulate. */
const MAX_SIMULATED_REQUESTS = 2e5;
const MAX_RUNS = 10;

/**
 * Predicts the p95 of each route, if the same load had been served by pools of other sizes.
 *
 * @param {RecentArrivals} recent
 * @param {Record<string, Service>} services by route; routes without one are left out
 * @returns {Promise<Prediction>}
 */
export async function predictPoolSizes({ arrivals, max }, services) {
  const load = createRecentLoad(arrivals, Object.keys(services));
  const poolSizes = choosePoolSizes(max, countNeeded(arrivals, services));
  const requests = sum(arrivals.flatMap(Object.values));
  const seeds = Math.floor(MAX_SIMULATED_REQUESTS / requests / poolSizes.length);
  const runs = createRuns({
    simulateRuns: simulateHere({ load, services }),
    seeds: Math.max(1, Math.min(seeds, MAX_RUNS)),
  });
  /** @type {PredictedFigures[]} */
  const results = [];
  for (const maxPoolSize of poolSizes) results.push(await runs.predict({ maxPoolSize }));
  return {
    poolSizes,
    p95Ms: Object.fromEntries(load.routes.map((route) => [route, results.map(({ routes }) => routes[route].p95Ms)])),
  };
}

/**
 * Chooses sizes up to twice the present size and twice what the load needs, the present size included.
 *
 * @param {number} max 0 for no limit
 * @param {number} needed
 */
export function choosePoolSizes(max, needed) {
  const largest = Math.max(MIN_LARGEST, 2 * max, 2 * needed);
  const end = SIZES.findIndex((size) => size >= largest);
  const sizes = end === -1 ? SIZES : SIZES.slice(0, end + 1);
  return max === 0 ? sizes : [...new Set([...sizes, max])].sort((a, b) => a - b);
}

/**
 * Counts the connections that the load uses on average (Little's law).
 *
 * @param {Record<string, number>[]} arrivals
 * @param {Record<string, Service>} services
 */
function countNeeded(arrivals, services) {
  const busyMs = arrivals
    .flatMap(Object.entries)
    .reduce((sum, [route, count]) => sum + (services[route] ? count * meanServiceMs(services[route]) : 0), 0);
  return busyMs / (arrivals.length * 1000);
}

/**
 * Makes a load with the requests of each second, at random times in that second: Poisson arrivals, given their number.
 *
 * @param {Record<string, number>[]} arrivals of each second, by route
 * @param {string[]} known routes
 * @returns {Load}
 */
export function createRecentLoad(arrivals, known) {
  const routes = known.filter((route) => arrivals.some((counts) => counts[route] > 0)).sort();
  return {
    routes,
    durationMs: arrivals.length * 1000,
    isRandom: () => true,
    arrivals: (seed, factor) => ({
      *[Symbol.iterator]() {
        const random = createRandom(seed, 'arrivals');
        for (const [second, counts] of arrivals.entries()) {
          const requests = routes.flatMap((route) =>
            Array.from({ length: counts[route] ?? 0 }, () => ({
              route,
              atMs: ((second + random.uniform()) * 1000) / factor,
            })),
          );
          yield* requests.sort((a, b) => a.atMs - b.atMs);
        }
      },
    }),
  };
}

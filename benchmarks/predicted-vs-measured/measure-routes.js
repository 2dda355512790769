import { pickPool } from 'mongodb-pool-predictor';
import { mean, quantile } from 'mongodb-pool-predictor/statistics';

/** @import { RecordedTrace } from 'mongodb-pool-predictor' */
/** @import { Trace } from 'mongodb-pool-predictor/node' */

/**
 * @typedef {object} MeasuredRoute
 * @property {number} count requests, failed ones too
 * @property {number} failures requests without a good answer: a status from 500 on, or the client left before
 * @property {number} meanMs of the others, until the app had answered, whether or not they made a query; so are the
 *   percentiles
 * @property {number} p50Ms
 * @property {number} p95Ms
 * @property {number} p99Ms
 * @property {number} useMs mean time that a query held its connection
 */

/**
 * What the users of an app would have measured, from what it recorded of its requests. It asks none of the code that
 * predicts.
 *
 * @param {RecordedTrace} recorded
 * @param {string} [client] whose use of connections is measured
 * @returns {Record<string, MeasuredRoute>} by route with an answer
 */
export function measureRoutes(recorded, client) {
  const { requests, routes } = recorded;
  const { trace } = pickPool(recorded, { client });
  const uses = meanUses(trace);
  /** @type {Map<string, { answeredMs: number[], failures: number }>} */
  const found = new Map();
  for (let request = 0; request < requests.length; request++) {
    const route = routes[requests.routeOf[request]];
    if (route === undefined) continue;
    const of = found.get(route) ?? { answeredMs: [], failures: 0 };
    found.set(route, of);
    const status = requests.statusOf[request];
    if (status > 0 && status < 500) of.answeredMs.push(requests.durationMs[request]);
    else of.failures++;
  }
  return Object.fromEntries(
    [...found]
      .filter(([, { answeredMs }]) => answeredMs.length > 0)
      .map(([route, { answeredMs, failures }]) => [
        route,
        {
          ...{ count: answeredMs.length + failures, failures, meanMs: mean(answeredMs) },
          ...{ p50Ms: quantile(answeredMs, 0.5), p95Ms: quantile(answeredMs, 0.95), p99Ms: quantile(answeredMs, 0.99) },
          useMs: uses[trace.routes.indexOf(route)],
        },
      ]),
  );
}

/** How long queries held their connection. @param {Trace} trace @returns {number[]} ms by row of its routes */
function meanUses({ routes, routeOf, useMs }) {
  return routes.map((_, route) => mean(Array.from(useMs).filter((_use, row) => routeOf[row] === route)));
}

/** Queries of two recordings took equally long if the means of each route differ by less than this factor. */
const ALIKE = 1.25;

/**
 * Whether the queries of two recordings took equally long.
 * @param {Record<string, Pick<MeasuredRoute, 'useMs'>>} one by route
 * @param {Record<string, Pick<MeasuredRoute, 'useMs'>>} other
 */
export function isAlike(one, other) {
  return Object.entries(one).every(([route, { useMs }]) => {
    const ratio = other[route]?.useMs / useMs;
    return ratio < ALIKE && ratio > 1 / ALIKE;
  });
}

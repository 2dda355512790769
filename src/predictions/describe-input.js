import { quantile } from 'mongodb-pool-predictor';
import { formatNumber, formatQuantity } from 'mongodb-pool-monitor/universal/quantity.js';
import { describeAppPool } from './app-pool.js';

/** @import { Service } from 'mongodb-pool-predictor' */
/** @import { Trace } from 'mongodb-pool-predictor/node' */
/** @import { KnownPool } from './app-pool.js' */

/**
 * What the predicted times consist of.
 *
 * @param {Service | undefined} overhead
 * @param {string} source of the overhead, such as "in result.json"
 * @param {string} [otherwise] what would tell the overhead
 */
export function describeCoverage(overhead, source, otherwise = '--app or --from tells') {
  if (!overhead) {
    return 'The times cover only the wait for a connection and its use, not the rest of a response. '
      + `${otherwise} how long that takes.`;
  }
  const size = overhead.kind === 'sample'
    ? `${formatQuantity(quantile(Array.from(overhead.valuesMs), 0.5), 'ms')} (median of ${overhead.valuesMs.length} ${source})`
    : `as it is ${source}`;
  return `The times are whole responses: the wait for a connection, its use, and the overhead, ${size}.`;
}

/** What the routes of a trace do not tell apart. @param {string[]} routes @returns {string[]} */
export function describeTraceRoutes(routes) {
  return routes.some((route) => /^\/\S*$/.test(route))
    ? ['The trace names routes by their path, so all methods and GraphQL operations of a path are one route.']
    : [];
}

/** How many queries a request makes, where the trace tells. @param {Trace} trace @returns {string[]} */
export function describeTraceQueries({ routes, routeOf, requestOf }) {
  if (!requestOf) return [];
  const several = routes.flatMap((route, index) => {
    const requests = Array.from(requestOf).filter((request, checkout) => request >= 0 && routeOf[checkout] === index);
    const queries = requests.length / new Set(requests).size;
    return queries > 1 ? [`${formatNumber(queries, 1)} for ${route}`] : [];
  });
  if (several.length === 0) return [];
  return [`Some requests make several queries: ${several.join(', ')}, on average. The figures are those of one query.`];
}

/** Which pool is simulated. @param {KnownPool} pool */
export function describePool({ settings, app }) {
  return `The simulated pool is that of ${app}: ${describeAppPool(settings)}. Only the size of the main pool changes.`;
}

/** What an advice leaves out: it is for one pool that all routes share. @param {KnownPool} pool @returns {string} may be empty */
export function describeSharedPool({ settings, app }) {
  const { slowPoolSize, slowConcurrency, waitQueueTimeoutMs } = settings;
  if (!slowPoolSize && !slowConcurrency && !waitQueueTimeoutMs) return '';
  return `The advice is for one pool that all routes share, without timeouts. That is not the pool of ${app}: `
    + `${describeAppPool(settings)}.`;
}

import { quantile } from 'mongodb-pool-predictor';
import { formatQuantity } from '../universal/quantity.js';
import { describeAppPool } from './app-pool.js';

/** @import { Service } from 'mongodb-pool-predictor' */
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

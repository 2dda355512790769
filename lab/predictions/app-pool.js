import { countConnections, countOf, formatQuantity } from 'mongodb-pool-page/universal/quantity.js';
import { SLOW_ROUTES } from 'mongodb-pool-predictor';
import { orNone, shape } from '../base/shape.js';

/** @import { AppPool } from 'mongodb-pool-predictor' */

/** @typedef {{ settings: AppPool, app: string }} KnownPool app: such as "the app at URL" */

/** No pool is larger, and no timeout longer: 25 days. */
const [MAX_CONNECTIONS, MAX_MS] = [100_000, 2 ** 31 - 1];

const [connections, ms] = [MAX_CONNECTIONS, MAX_MS].map(
  (max) => (/** @type {unknown} */ value, /** @type {string} */ path) => {
    if (Number.isInteger(value) && Number(value) >= 0 && Number(value) <= max) return;
    throw new Error(`${path} must be a whole number from 0 to ${max}`);
  },
);

const checkNumbers = shape({
  poolSize: connections,
  minPoolSize: orNone(connections),
  maxConnecting: orNone(connections),
  slowPoolSize: orNone(connections),
  slowConcurrency: orNone(ms),
  maxIdleTimeMs: orNone(ms),
  waitQueueTimeoutMs: orNone(ms),
  timeoutMs: orNone(ms),
  requestTimeoutMs: orNone(ms),
});

/**
 * Checks settings that came from outside.
 *
 * @param {unknown} value
 * @param {string} path of the value, for the error
 * @returns {asserts value is AppPool}
 */
export function checkAppPool(value, path) {
  checkNumbers(value, path);
}

/**
 * Describes the settings, such as "10 connections, 2 more for /slow, wait-queue timeout 500 ms".
 * @param {AppPool} settings
 */
export function describeAppPool(settings) {
  const { poolSize, slowPoolSize, slowConcurrency, waitQueueTimeoutMs, timeoutMs, requestTimeoutMs } = settings;
  const slow = SLOW_ROUTES.join(', ');
  return [
    poolSize === 0 ? 'no limit on connections' : countConnections(poolSize),
    ...(slowPoolSize ? [`${slowPoolSize} more for ${slow}`] : []),
    ...(slowConcurrency ? [`at most ${countOf(slowConcurrency, 'request', 'requests')} of ${slow} at once`] : []),
    ...(waitQueueTimeoutMs && !timeoutMs ? [`wait-queue timeout ${formatQuantity(waitQueueTimeoutMs, 'ms')}`] : []),
    ...(timeoutMs ? [`timeoutMS ${formatQuantity(timeoutMs, 'ms')} for each operation`] : []),
    ...(requestTimeoutMs ? [`request deadline ${formatQuantity(requestTimeoutMs, 'ms')}`] : []),
  ].join(', ');
}

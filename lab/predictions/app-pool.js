import { countConnections, countOf, formatQuantity } from 'mongodb-pool-page/universal/quantity.js';
import { orNone, shape } from '../base/shape.js';

/** @import { PoolOptions, RecordedPool, Trace } from 'mongodb-pool-predictor' */

/**
 * The settings of an app that decide how long its requests wait. They have the names of src/settings-table.js.
 *
 * @typedef {object} AppPool
 * @property {number} poolSize 0: no limit
 * @property {number} [minPoolSize]
 * @property {number} [maxConnecting]
 * @property {number} [maxIdleTimeMs] 0: connections are never closed
 * @property {number} [waitQueueTimeoutMs] 0: no timeout
 * @property {number} [timeoutMs] of an operation, in drivers in which it has an effect; it replaces the wait-queue timeout
 * @property {number} [slowPoolSize] of the second client, for /slow
 * @property {number} [slowConcurrency] concurrency limit of /slow
 * @property {number} [requestTimeoutMs]
 *
 * @typedef {{ settings: AppPool, app: string }} KnownPool app: such as "the app at URL"
 */

const SLOW_ROUTES = ['/slow'];

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
 * The settings of the pool that a trace was picked for.
 *
 * @param {AppPool | undefined} app the settings in its header
 * @param {RecordedPool} pool
 * @returns {AppPool | undefined}
 */
export function poolOfTrace(app, { maxPoolSize, options }) {
  // Before version 3, a trace had one pool.
  if (!options || maxPoolSize === undefined) return app;
  const of = (/** @type {string} */ name) => /** @type {number | undefined} */ (options[name]?.value);
  return {
    ...app,
    poolSize: maxPoolSize,
    minPoolSize: of('minPoolSize'),
    maxConnecting: of('maxConnecting'),
    maxIdleTimeMs: of('maxIdleTimeMS'),
    waitQueueTimeoutMs: of('waitQueueTimeoutMS'),
    timeoutMs: of('timeoutMS'),
    slowPoolSize: undefined,
  };
}

/**
 * The simulator's options for the pool of the lab's app.
 *
 * @param {AppPool} settings
 * @param {{ connectMs?: number, warm?: boolean }} [state] see DriverPoolOptions
 * @returns {PoolOptions}
 */
export function poolOfApp(settings, state) {
  const {
    poolSize,
    minPoolSize = 0,
    maxConnecting,
    maxIdleTimeMs,
    waitQueueTimeoutMs,
    timeoutMs,
    slowPoolSize,
    slowConcurrency,
    requestTimeoutMs,
  } = settings;
  const driver = {
    maxPoolSize: poolSize,
    minPoolSize: Math.min(minPoolSize, poolSize),
    maxConnecting,
    maxIdleTimeMS: maxIdleTimeMs,
    waitQueueTimeoutMS: waitQueueTimeoutMs,
    timeoutMS: timeoutMs,
    requestTimeoutMs,
    ...state,
  };
  if (slowPoolSize) {
    return {
      ...driver,
      kind: 'split',
      maxPoolSize: poolSize + slowPoolSize,
      slowRoutes: SLOW_ROUTES,
      slowSize: slowPoolSize,
      slowLimit: slowConcurrency,
    };
  }
  if (slowConcurrency) return { ...driver, kind: 'limited', slowRoutes: SLOW_ROUTES, slowSize: slowConcurrency };
  return driver;
}

/**
 * The pool that a trace was recorded with.
 *
 * @param {Pick<Trace, 'header'>} trace
 * @param {AppPool} [settings] of the app, where they are known
 * @returns {PoolOptions | undefined} undefined where its size is unknown
 */
export function poolOfRecording({ header: { maxPoolSize } }, settings) {
  if (typeof maxPoolSize !== 'number' || maxPoolSize === 0) return undefined;
  return settings ? poolOfApp({ ...settings, poolSize: maxPoolSize }) : { maxPoolSize };
}

/** Lists the routes that have a separate pool. @param {AppPool} settings */
export function separateRoutes({ slowPoolSize }) {
  return slowPoolSize ? SLOW_ROUTES : [];
}

/** Describes the settings, such as "10 connections, 2 more for /slow, wait-queue timeout 500 ms". @param {AppPool} settings */
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

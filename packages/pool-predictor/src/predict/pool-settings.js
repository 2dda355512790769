/** @import { PoolOptions } from '../simulator/create-pool.js' */
/** @import { RecordedPool } from '../reading/recorded-trace.js' */
/** @import { Trace } from '../trace/trace.js' */

/**
 * The settings of an app that decide how long its requests wait. They have the names that the lab's app gives them.
 *
 * @typedef {object} AppPool
 * @property {number} poolSize 0: no limit
 * @property {number} [minPoolSize]
 * @property {number} [maxConnecting]
 * @property {number} [maxIdleTimeMs] 0: connections are never closed
 * @property {number} [waitQueueTimeoutMs] 0: no timeout
 * @property {number} [timeoutMs] of an operation, in drivers in which it has an effect; it replaces the wait-queue
 *   timeout
 * @property {number} [slowPoolSize] of the second client, for /slow
 * @property {number} [slowConcurrency] concurrency limit of /slow
 * @property {number} [requestTimeoutMs]
 */

/** The app's routes that a second client may serve. */
export const SLOW_ROUTES = ['/slow'];

/**
 * The settings of the pool that a trace was picked for.
 *
 * @param {AppPool | undefined} app the settings in its header
 * @param {RecordedPool} pool
 * @returns {AppPool | undefined}
 */
export function poolOfTrace(app, { maxPoolSize, options = {} }) {
  if (maxPoolSize === undefined) return app;
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

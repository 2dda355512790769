/** @import { Settings } from '../settings.js' */
/** @import { PoolOptions } from 'mongodb-pool-predictor' */

/**
 * The simulator's options for the pool of the lab's app. With a concurrency limit, the simulated app lets the next slow
 * request wait where the real one refuses it. That makes no difference to the other routes.
 *
 * @param {{ poolSize: number } & Partial<Settings>} settings of the app
 * @param {{ connectMs?: number, warm?: boolean }} [state] of a pool without split or limit; see DriverPoolOptions
 * @returns {PoolOptions}
 */
export function poolOfApp({ poolSize, slowPoolSize, slowConcurrency, maxConnecting, waitQueueTimeoutMs }, state = {}) {
  const slowRoutes = ['/slow'];
  if (slowPoolSize) {
    return { kind: 'split', maxPoolSize: poolSize + slowPoolSize, slowRoutes, slowSize: slowPoolSize };
  }
  if (slowConcurrency) {
    return { kind: 'limited', maxPoolSize: poolSize, slowRoutes, slowSize: Math.min(slowConcurrency, poolSize) };
  }
  return { maxPoolSize: poolSize, maxConnecting, waitQueueTimeoutMS: waitQueueTimeoutMs, ...state };
}

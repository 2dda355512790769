/** @import { Settings } from '../settings.js' */
/** @import { PoolOptions } from 'mongodb-pool-predictor' */

/**
 * The pool of the lab's app, as the simulator takes it. The simulated cap has the next request wait in the app where
 * ours refuses it: those of other routes are served alike.
 *
 * @param {{ poolSize: number } & Partial<Settings>} settings of the app
 * @param {{ connectMs?: number, warm?: boolean }} [state] of a pool that slow queries share with the others; see
 *   driver-pool.js
 * @returns {PoolOptions}
 */
export function poolOfApp({ poolSize, slowPoolSize, slowConcurrency, maxConnecting, waitQueueTimeoutMs }, state = {}) {
  const apartRoutes = ['/slow'];
  if (slowPoolSize) {
    return { kind: 'split', maxPoolSize: poolSize + slowPoolSize, apartRoutes, apartSize: slowPoolSize };
  }
  if (slowConcurrency) {
    return { kind: 'capped', maxPoolSize: poolSize, apartRoutes, apartSize: Math.min(slowConcurrency, poolSize) };
  }
  return { maxPoolSize: poolSize, maxConnecting, waitQueueTimeoutMS: waitQueueTimeoutMs, ...state };
}

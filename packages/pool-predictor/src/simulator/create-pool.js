import { createLimitedPool, createSplitPool } from './divided-pool.js';
import { createDriverPool } from './driver-pool.js';
import { createPipeliningPool } from './pipelining-pool.js';

/** @import { DividedPoolOptions } from './divided-pool.js' */
/** @import { DriverPoolOptions } from './driver-pool.js' */
/** @import { PipeliningPoolOptions } from './pipelining-pool.js' */
/** @import { User } from './users.js' */

/** @typedef {DriverPoolOptions | PipeliningPoolOptions | DividedPoolOptions} PoolOptions */

/**
 * What a pool asks of the simulation: to start a query now, or to call connected() or check() later.
 *
 * @typedef {object} PoolHost
 * @property {(user: User, connection: number) => void} serve
 * @property {(delayMs: number, connection: number) => void} connectAfter
 * @property {(delayMs: number) => void} checkAfter
 */

/**
 * What the simulation asks of a pool. Connections are numbered from 0.
 *
 * @typedef {object} Pool
 * @property {() => void} start once, at time 0
 * @property {(user: User) => void} checkOut the user is served at once, or waits
 * @property {(connection: number) => void} finish the query that the connection served is over
 * @property {(connection: number) => void} [abandon] nobody waits for that query any more; a pool that lacks this works on
 * @property {(user: User) => void} [leave] the user waits no more: its ticket is another already
 * @property {(connection: number) => void} connected
 * @property {() => void} check
 * @property {() => number} total connections open or opening
 */

/**
 * @param {PoolOptions} options
 * @param {PoolHost} host
 * @returns {Pool}
 * @throws {Error} naming the option that is wrong and what is allowed
 */
export function createPool(options, host) {
  const { maxPoolSize } = options;
  requireInteger('maxPoolSize', maxPoolSize, 1, Infinity);
  if (options.kind === 'split' || options.kind === 'capped') {
    const isSplit = options.kind === 'split';
    requireInteger('apartSize', options.apartSize, 1, isSplit ? maxPoolSize - 1 : maxPoolSize);
    return isSplit ? createSplitPool(options, host) : createLimitedPool(options, host);
  }

  const { connectMs = 0 } = options;
  if (!(connectMs >= 0)) throw new Error(`connectMs must be at least 0, not ${connectMs}`);
  if (options.kind === 'pipelining') return createPipeliningPool(options, host);

  if (!isDriverPool(options)) {
    const { kind } = /** @type {any} */ (options);
    throw new Error(`Unknown kind of pool "${kind}": allowed are driver, pipelining, split and capped`);
  }
  const { minPoolSize = 0, maxConnecting = 2, waitQueueTimeoutMS = 0 } = options;
  requireInteger('minPoolSize', minPoolSize, 0, maxPoolSize);
  requireInteger('maxConnecting', maxConnecting, 1, Infinity);
  if (!(waitQueueTimeoutMS >= 0)) {
    throw new Error(`waitQueueTimeoutMS must be at least 0 (wait for ever), not ${waitQueueTimeoutMS}`);
  }
  return createDriverPool(options, host);
}

/** @param {PoolOptions} options @returns {options is DriverPoolOptions} */
export function isDriverPool(options) {
  return (options.kind ?? 'driver') === 'driver';
}

/** @param {string} name @param {number} value @param {number} min @param {number} max */
function requireInteger(name, value, min, max) {
  if (Number.isInteger(value) && value >= min && value <= max) return;
  const range = max === Infinity ? `of at least ${min}` : `from ${min} to ${max}`;
  throw new Error(`${name} must be a whole number ${range}, not ${value}`);
}

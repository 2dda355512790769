import { createDividedPool } from './divided-pool.js';
import { DriverPool } from './driver-pool.js';
import { NEVER } from './event-heap.js';
import { PipeliningPool } from './pipelining-pool.js';

/** @import { DividedPoolOptions } from './divided-pool.js' */
/** @import { DriverPoolOptions } from './driver-pool.js' */
/** @import { PipeliningPoolOptions } from './pipelining-pool.js' */
/** @import { Query } from './query.js' */

/** @typedef {DriverPoolOptions | PipeliningPoolOptions | DividedPoolOptions} PoolOptions */

/** A pool without a limit, so that no request waits for a connection. @type {PoolOptions} */
export const UNLIMITED = { maxPoolSize: 2 ** 28, maxConnecting: 2 ** 28, warm: false };

/**
 * What a pool needs from the simulation: to start a query now, or to call connected() later.
 *
 * @typedef {object} PoolHost
 * @property {() => number} nowMs
 * @property {(query: Query, connection: number) => void} serve
 * @property {(delayMs: number, connection: number) => void} connectAfter
 * @property {(query: Query, reason: Refusal) => void} refuse answers with an error at once
 * @property {(connection: number, reason: CloseReason, atMs: number) => void} [closed] told before anybody can see it;
 *   atMs: when it was closed
 *
 * @typedef {'limit' | 'poolCleared' | 'poolClosed' | 'connectionError'} Refusal limit: there are enough of its kind
 * @typedef {'idle' | 'stale' | 'error' | 'poolClosed'} CloseReason as the driver names them
 */

/**
 * What the simulation needs from a pool. Connections are numbered from 0.
 *
 * @typedef {object} Pool
 * @property {() => void} start once, at time 0
 * @property {(query: Query) => void} checkOut serves it at once or later
 * @property {(connection: number) => void} checkIn
 * @property {(connection: number) => void} [abandon] the query was aborted; without it, it runs on
 * @property {(query: Query) => void} [abortCheckOut] it gave up while it waited; its ticket has changed already
 * @property {(connection: number) => void} connected
 * @property {() => void} [clear] refuses those that wait, and all others until it is ready
 * @property {() => void} [failOpenings]
 * @property {() => void} [ready]
 * @property {() => number} nextCheckMs when check() has to be called next, if the simulation lasts so long
 * @property {() => void} check
 * @property {() => number} total connections, pending ones included
 */

/**
 * @param {PoolOptions} options
 * @param {PoolHost} host
 * @returns {Pool}
 * @throws {Error} naming the option that is wrong and what is allowed
 */
export function createPool(options, host) {
  const { maxPoolSize, connectMs = 0 } = options;
  requireInteger('maxPoolSize', maxPoolSize, 1, Infinity);
  for (const ms of [connectMs].flat()) requireTime('connectMs', ms);
  if (options.kind === 'pipelining') return new PipeliningPool(options, host);

  const isDivided = options.kind === 'split' || options.kind === 'limited';
  if (!isDivided && !isDriverPool(options)) {
    const { kind } = /** @type {any} */ (options);
    throw new Error(`Unknown kind of pool "${kind}": allowed are driver, pipelining, split and limited`);
  }
  const { minPoolSize = 0, maxConnecting = 2, waitQueueTimeoutMS = 0, timeoutMS = 0, requestTimeoutMs = 0 } = options;
  requireTime('maxIdleTimeMS', options.maxIdleTimeMS ?? 0, ' (never closed)');
  if (isDivided) requireInteger('slowSize', options.slowSize, 1, options.kind === 'split' ? maxPoolSize - 1 : Infinity);
  if (options.kind === 'split' && options.slowLimit !== undefined)
    requireInteger('slowLimit', options.slowLimit, 1, Infinity);
  requireInteger(
    'minPoolSize',
    minPoolSize,
    0,
    options.kind === 'split' ? maxPoolSize - options.slowSize : maxPoolSize,
  );
  requireInteger('maxConnecting', maxConnecting, 1, Infinity);
  requireTime('waitQueueTimeoutMS', waitQueueTimeoutMS, ' (no timeout)');
  requireTime('timeoutMS', timeoutMS, ' (no timeout)');
  requireTime('requestTimeoutMs', requestTimeoutMs, ' (no deadline)');
  return isDivided ? createDividedPool(options, host) : new DriverPool(options, host);
}

/** @param {PoolOptions} options @returns {options is DriverPoolOptions} */
export function isDriverPool(options) {
  return (options.kind ?? 'driver') === 'driver';
}

/**
 * Lists after how many ms the driver gives up a wait for a connection, or an operation with its wait, and the app a
 * request.
 *
 * @param {PoolOptions} options
 */
export function timeoutsOf(options) {
  const { waitQueueTimeoutMS = 0, timeoutMS = 0, requestTimeoutMs = 0 } = options.kind === 'pipelining' ? {} : options;
  return {
    waitMs: timeoutMS || waitQueueTimeoutMS || NEVER,
    operationMs: timeoutMS || NEVER,
    requestMs: requestTimeoutMs || NEVER,
  };
}

/** @param {string} name @param {number} ms @param {string} [zero] what 0 means */
function requireTime(name, ms, zero = '') {
  if (!(ms >= 0)) throw new Error(`${name} must be at least 0${zero}, not ${ms}`);
}

/** @param {string} name @param {number} value @param {number} min @param {number} max */
function requireInteger(name, value, min, max) {
  if (Number.isInteger(value) && value >= min && value <= max) return;
  const range = max === Infinity ? `of at least ${min}` : `from ${min} to ${max}`;
  throw new Error(`${name} must be a whole number ${range}, not ${value}`);
}

/**
 * Why a request waits. `none` is a checkout that got its connection at once. The last three before `tooLittleData` are
 * not found in single waits only: their time can lie outside the pool.
 */
export const CAUSES = /** @type {const} */ ([
  'none',
  'fullPool',
  'transactions',
  'coldStart',
  'slowHandshake',
  'maxConnecting',
  'idleConnections',
  'lostConnections',
  'poolCleared',
  'parkedConnections',
  'severalAtOnce',
  'fullServer',
  'lateEventLoop',
  'concurrencyLimit',
  'failedOperations',
  'clientPerRequest',
  'manyClients',
  'notThePool',
  'tooLittleData',
]);

/** @typedef {typeof CAUSES[number]} Cause */

/** Causes that end when the pool has grown, or those of many clients. @type {readonly Cause[]} */
export const GROWTH_CAUSES = ['coldStart', 'slowHandshake', 'maxConnecting', 'clientPerRequest', 'manyClients'];

/** Causes that are one: connections being opened. @type {readonly Cause[]} */
export const OPENING_CAUSES = [...GROWTH_CAUSES, 'idleConnections', 'lostConnections'];

/** Causes that end sooner if queries take less time. @type {readonly Cause[]} */
export const CAUSED_BY_QUERIES = ['fullPool', 'fullServer', 'severalAtOnce', 'concurrencyLimit'];

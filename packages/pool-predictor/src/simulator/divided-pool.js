import { DriverPool } from './driver-pool.js';

/** @import { DriverPoolOptions } from './driver-pool.js' */
/** @import { Pool, PoolHost } from './create-pool.js' */
/** @import { Query } from './query.js' */

/**
 * Slow routes are kept from using all connections:
 * - split: slow routes have a separate pool with `slowSize` of the connections;
 * - limited: all routes share the pool, but at most `slowSize` requests of slow routes use it or wait for it at once.
 *   The app refuses the next one at once. A split pool can have such a limit too, `slowLimit`.
 *
 * @typedef {Omit<DriverPoolOptions, 'kind'> & { slowRoutes: string[] }} Division maxPoolSize: all connections together
 * @typedef {Division & { kind: 'split', slowSize: number, slowLimit?: number }} SplitPoolOptions slowSize: less than
 *   maxPoolSize
 * @typedef {Division & { kind: 'limited', slowSize: number }} LimitedPoolOptions
 * @typedef {SplitPoolOptions | LimitedPoolOptions} DividedPoolOptions
 */

/** @param {DividedPoolOptions} options @param {PoolHost} host @returns {Pool} */
export function createDividedPool(options, host) {
  const { slowRoutes } = options;
  const [limit, create] =
    options.kind === 'limited'
      ? [options.slowSize, (/** @type {PoolHost} */ inner) => new DriverPool({ ...options, kind: 'driver' }, inner)]
      : [options.slowLimit, (/** @type {PoolHost} */ inner) => createSplitPool(options, inner)];
  return limit === undefined ? create(host) : limitSlowRoutes(slowRoutes, limit, host, create);
}

/**
 * Creates two pools of today's driver, side by side.
 * @param {SplitPoolOptions} options
 * @param {PoolHost} host
 * @returns {Pool}
 */
function createSplitPool({ slowRoutes, slowSize, minPoolSize = 0, ...options }, host) {
  // Connections of the pool for slow routes have odd numbers, the others even ones.
  const [common, slow] = [options.maxPoolSize - slowSize, slowSize].map(
    (maxPoolSize, odd) =>
      new DriverPool(
        { ...options, kind: 'driver', maxPoolSize, minPoolSize: odd ? 0 : minPoolSize },
        {
          ...host,
          serve: (query, connection) => host.serve(query, connection * 2 + odd),
          connectAfter: (delayMs, connection) => host.connectAfter(delayMs, connection * 2 + odd),
        },
      ),
  );
  const poolOf = (/** @type {number} */ connection) => (connection % 2 === 1 ? slow : common);
  /** @param {'start' | 'clear' | 'failOpenings' | 'ready'} verb */
  const both = (verb) => () => {
    common[verb]();
    slow[verb]();
  };
  return {
    start: both('start'),
    clear: both('clear'),
    failOpenings: both('failOpenings'),
    ready: both('ready'),
    checkOut: (query) => (slowRoutes.includes(query.route.name) ? slow : common).checkOut(query),
    checkIn: (connection) => poolOf(connection).checkIn(connection >> 1),
    abandon: (connection) => poolOf(connection).abandon(connection >> 1),
    connected: (connection) => poolOf(connection).connected(connection >> 1),
    // Only the common pool has a minPoolSize.
    nextCheckMs: () => common.nextCheckMs(),
    check: () => common.check(),
    total: () => common.total() + slow.total(),
  };
}

/**
 * Puts a concurrency limit for slow routes before a pool.
 *
 * @param {string[]} slowRoutes
 * @param {number} max
 * @param {PoolHost} host
 * @param {(host: PoolHost) => Pool} createPool
 * @returns {Pool}
 */
function limitSlowRoutes(slowRoutes, max, host, createPool) {
  /** @type {boolean[]} By connection: whether it serves a slow route. */
  const servesSlow = [];
  let running = 0;
  const isSlow = (/** @type {Query} */ query) => slowRoutes.includes(query.route.name);
  const pool = createPool({
    ...host,
    serve(query, connection) {
      servesSlow[connection] = isSlow(query);
      host.serve(query, connection);
    },
    refuse(query, reason) {
      leave(isSlow(query));
      host.refuse(query, reason);
    },
  });
  const leave = (/** @type {boolean} */ wasSlow) => {
    if (wasSlow) running--;
  };
  return {
    start: () => pool.start(),
    clear: () => pool.clear?.(),
    failOpenings: () => pool.failOpenings?.(),
    ready: () => pool.ready?.(),
    checkOut(query) {
      if (isSlow(query)) {
        if (running >= max && !query.isRetry) {
          host.refuse(query, 'limit');
          return;
        }
        running++;
      }
      pool.checkOut(query);
    },
    checkIn(connection) {
      leave(servesSlow[connection]);
      pool.checkIn(connection);
    },
    abandon(connection) {
      leave(servesSlow[connection]);
      pool.abandon?.(connection);
    },
    abortCheckOut(query) {
      leave(isSlow(query));
      pool.abortCheckOut?.(query);
    },
    connected: (connection) => pool.connected(connection),
    nextCheckMs: () => pool.nextCheckMs(),
    check: () => pool.check(),
    total: () => pool.total(),
  };
}

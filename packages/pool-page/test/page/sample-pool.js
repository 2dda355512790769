/** @import { EndedRequest } from 'mongodb-pool-monitor' */
/** @import { BusyConnection, LiveReading, RouteSecond, Second, QueuedWaiter } from 'mongodb-pool-page' */
/** @import { LivePool } from 'mongodb-pool-page/page/state.js' */

export const QUERIES = { '/slow': { aloneMs: 5000, isWork: false }, '/fast': { aloneMs: 1, isWork: false } };

/** The app, and one of its clients. @param {Partial<LivePool>} [overrides] @returns {LivePool} */
export function createPool(overrides) {
  return {
    atMs: 1_000_000,
    database: { reachable: true, reason: null },
    name: null,
    servers: ['127.0.0.1:27017'],
    max: 1,
    min: 0,
    maxConnecting: 2,
    total: 1,
    idle: 0,
    active: 1,
    connecting: 0,
    waiting: 0,
    retiring: 0,
    lanes: [],
    queue: [],
    left: [],
    queries: QUERIES,
    finished: [],
    server: null,
    ...overrides,
  };
}

/** What the app sends. @param {Partial<LivePool>} [main] @param {...Partial<LivePool>} others its other clients */
export function createReading(main, ...others) {
  const { atMs, database, queries, finished, server, ...client } = createPool(main);
  return /** @type {LiveReading} */ ({
    atMs,
    database,
    queries,
    finished,
    server,
    clients: [client, ...others.map(createPool)],
  });
}

/** @param {Partial<BusyConnection>} [overrides] @returns {BusyConnection} */
export function createConnection(overrides) {
  return { id: 1, requestId: 'bus', route: '/slow', busyMs: 1000, ...overrides };
}

/** @param {Partial<QueuedWaiter>} [overrides] @returns {QueuedWaiter} */
export function createWaiter(overrides) {
  return {
    requestId: 'ferrari',
    route: '/fast',
    waitMs: 4000,
    holds: 0,
    behind: [{ requestId: 'bus', route: '/slow' }],
    ...overrides,
  };
}

/** @param {Partial<EndedRequest>} [overrides] @returns {EndedRequest} */
export function createEnded(overrides) {
  return {
    requestId: 'ferrari',
    request: 7,
    socket: 1,
    method: 'GET',
    route: '/fast',
    status: 200,
    totalMs: 4804,
    waitMs: 4800,
    useMs: 3,
    behind: [{ requestId: 'bus', route: '/slow' }],
    ...overrides,
  };
}

/** @typedef {RouteSecond & Required<Pick<RouteSecond, 'p50Ms' | 'p95Ms' | 'maxMs' | 'waitP95Ms'>>} ServedSecond */

/**
 * The requests of one route that ended within a second, each after `useP50Ms`.
 * @param {number} count
 * @param {number | undefined} useP50Ms undefined for requests without a connection
 * @param {Partial<ServedSecond>} [overrides]
 * @returns {ServedSecond}
 */
export function createRouteSecond(count, useP50Ms, overrides) {
  const [p50Ms, use] = useP50Ms === undefined ? [1, {}] : [useP50Ms, { useP50Ms, useP95Ms: useP50Ms }];
  return { count, failures: 0, p50Ms, p95Ms: p50Ms, maxMs: p50Ms, waitP95Ms: 0, ...use, ...overrides };
}

/** @param {Partial<Second>} [overrides] @returns {Second} */
export function createSecond(overrides) {
  return {
    id: 1,
    atMs: 1_000_000,
    max: 1,
    active: 1,
    idle: 0,
    waiting: 0,
    ratePerSec: 0,
    routes: {},
    server: null,
    loopBusy: 0.1,
    loopCpu: 0.1,
    loopDelayMs: { mean: 0, max: 1 },
    queries: {},
    heldMs: {},
    ...overrides,
  };
}

/** @import { BusyConnection, EndedRequest, LiveReading, Second, Waiter } from 'mongodb-pool-monitor/live' */
/** @import { LoadTest } from 'mongodb-pool-monitor/page/load-test-shapes.js' */
/** @import { LivePool } from 'mongodb-pool-monitor/page/state.js' */

export const QUERIES = { '/slow': { aloneMs: 5000, isWork: false }, '/fast': { aloneMs: 1, isWork: false } };

/** The app, and one of its clients. @param {Partial<LivePool>} [overrides] @returns {LivePool} */
export function createPool(overrides) {
  return {
    atMs: 1_000_000, database: { reachable: true, reason: null }, name: null, servers: ['127.0.0.1:27017'], max: 1, min: 0,
    maxConnecting: 2, total: 1, idle: 0, active: 1, connecting: 0, waiting: 0, retiring: 0, lanes: [], queue: [], left: [],
    queries: QUERIES, finished: [], server: null, ...overrides,
  };
}

/** What the app sends. @param {Partial<LivePool>} [main] @param {...Partial<LivePool>} others its other clients */
export function createReading(main, ...others) {
  const { atMs, database, queries, finished, server, ...client } = createPool(main);
  return /** @type {LiveReading} */ ({ atMs, database, queries, finished, server, clients: [client, ...others.map(createPool)] });
}

/** @param {Partial<BusyConnection>} [overrides] @returns {BusyConnection} */
export function createConnection(overrides) {
  return { id: 1, requestId: 'bus', route: '/slow', busyMs: 1000, ...overrides };
}

/** @param {Partial<Waiter>} [overrides] @returns {Waiter} */
export function createWaiter(overrides) {
  return {
    requestId: 'ferrari', route: '/fast', waitMs: 4000, holds: 0, behind: [{ requestId: 'bus', route: '/slow' }],
    ...overrides,
  };
}

/** @param {Partial<EndedRequest>} [overrides] @returns {EndedRequest} */
export function createEnded(overrides) {
  return {
    requestId: 'ferrari', method: 'GET', route: '/fast', status: 200, totalMs: 4804, waitMs: 4800, useMs: 3,
    behind: [{ requestId: 'bus', route: '/slow' }], ...overrides,
  };
}

/** @param {Partial<Second>} [overrides] @returns {Second} */
export function createSecond(overrides) {
  return {
    atMs: 1_000_000, max: 1, active: 1, idle: 0, waiting: 0, ratePerSec: 0, routes: {}, server: null, loopBusy: 0.1, queries: {},
    heldMs: {}, ...overrides,
  };
}

/** @param {Partial<LoadTest>} [overrides] @returns {LoadTest} */
export function createLoadTest(overrides) {
  return {
    id: 1, scenario: 'mixed.yaml', poolSize: 1, slowMs: 5000, startedAt: '2026-11-20T10:00:00.000Z',
    changes: [], state: 'running', progress: 0.5, leftMs: 10_000, ...overrides,
  };
}

/** @import { BusyConnection, EndedRequest, LivePool, LoadTest, Second, Waiter } from '../../src/universal/feed-shapes.js' */

/** @param {Partial<LivePool>} [overrides] @returns {LivePool} */
export function createPool(overrides) {
  return {
    atMs: 1_000_000, database: { reachable: true, reason: null }, max: 1, min: 0, maxConnecting: 2,
    total: 1, idle: 0, active: 1, connecting: 0, waiting: 0, retiring: 0, slowMs: 5000, slowQuery: 'sleep',
    lanes: [], queue: [], finished: [], server: null, ...overrides,
  };
}

/** @param {Partial<BusyConnection>} [overrides] @returns {BusyConnection} */
export function createConnection(overrides) {
  return { id: 1, requestId: 'bus', route: '/slow', busyMs: 1000, ...overrides };
}

/** @param {Partial<Waiter>} [overrides] @returns {Waiter} */
export function createWaiter(overrides) {
  return {
    requestId: 'ferrari', route: '/fast', waitMs: 4000, behind: [{ requestId: 'bus', route: '/slow' }],
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
    atMs: 1_000_000, max: 1, active: 1, idle: 0, waiting: 0, ratePerSec: 0, routes: {}, server: null, loopBusy: 0.1, aloneMs: null,
    heldMs: null, ...overrides,
  };
}

/** @param {Partial<LoadTest>} [overrides] @returns {LoadTest} */
export function createLoadTest(overrides) {
  return {
    id: 1, scenario: 'mixed.yaml', poolSize: 1, slowMs: 5000, startedAt: '2026-11-20T10:00:00.000Z',
    changes: [], state: 'running', progress: 0.5, leftMs: 10_000, ...overrides,
  };
}

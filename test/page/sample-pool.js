/** @import { Finished, Lane, LoadTest, Pool, Second, Waiter } from '../../src/page/feed-types.js' */

/**
 * @param {Partial<Pool>} [overrides]
 * @returns {Pool}
 */
export function createPool(overrides) {
  return {
    atMs: 1_000_000, database: { reachable: true, reason: null }, max: 1, min: 0, maxConnecting: 2,
    total: 1, idle: 0, active: 1, connecting: 0, waiting: 0, slowMs: 5000, lanes: [], queue: [], finished: [], ...overrides,
  };
}

/**
 * @param {Partial<Lane>} [overrides]
 * @returns {Lane}
 */
export function createLane(overrides) {
  return { id: 1, requestId: 'bus', route: '/slow', busyMs: 1000, ...overrides };
}

/**
 * @param {Partial<Waiter>} [overrides]
 * @returns {Waiter}
 */
export function createWaiter(overrides) {
  return {
    requestId: 'ferrari', route: '/fast', waitMs: 4000, behind: [{ requestId: 'bus', route: '/slow' }],
    ...overrides,
  };
}

/**
 * @param {Partial<Finished>} [overrides]
 * @returns {Finished}
 */
export function createFinished(overrides) {
  return {
    requestId: 'ferrari', route: '/fast', status: 200, totalMs: 4804, waitMs: 4800,
    behind: [{ requestId: 'bus', route: '/slow' }], ...overrides,
  };
}

/**
 * @param {Partial<Second>} [overrides]
 * @returns {Second}
 */
export function createSecond(overrides) {
  return { atMs: 1_000_000, max: 1, active: 1, idle: 0, waiting: 0, ratePerSec: 0, routes: {}, ...overrides };
}

/**
 * @param {Partial<LoadTest>} [overrides]
 * @returns {LoadTest}
 */
export function createLoadTest(overrides) {
  return {
    id: 1, scenario: 'mixed.yaml', poolSize: 1, slowMs: 5000, startedAt: '2026-11-20T10:00:00.000Z',
    changes: [], state: 'running', progress: 0.5, leftMs: 10_000, ...overrides,
  };
}

import { poolOfApp, simulate } from 'mongodb-pool-predictor';

/** @import { AppPool } from 'mongodb-pool-predictor' */

export const SLOW_MS = 300;

/**
 * Each with the app's settings, and as computed by hand: the statuses and when the answers come.
 * @type {{ name: string, env: Record<string, string>, pool: AppPool, customerAtMs: number, statuses: number[],
 *   tookMs: number[] }[]}
 */
export const BURSTS = [
  {
    name: 'a second client',
    env: { MONGO_POOLSIZE: '1', SLOW_POOLSIZE: '2' },
    pool: { poolSize: 1, slowPoolSize: 2 },
    customerAtMs: 100,
    statuses: [200, 200, 200, 200],
    tookMs: [300, 300, 600, 0],
  },
  {
    name: 'a concurrency limit',
    env: { MONGO_POOLSIZE: '3', SLOW_CONCURRENCY: '2' },
    pool: { poolSize: 3, slowConcurrency: 2 },
    customerAtMs: 100,
    statuses: [200, 200, 503, 200],
    tookMs: [300, 300, 0, 0],
  },
  {
    name: 'a second client with a limit',
    env: { MONGO_POOLSIZE: '1', SLOW_POOLSIZE: '1', SLOW_CONCURRENCY: '2' },
    pool: { poolSize: 1, slowPoolSize: 1, slowConcurrency: 2 },
    customerAtMs: 100,
    statuses: [200, 200, 503, 200],
    tookMs: [300, 600, 0, 0],
  },
  {
    name: 'a wait-queue timeout',
    env: { MONGO_POOLSIZE: '1', MONGO_WAIT_QUEUE_TIMEOUT_MS: '450' },
    pool: { poolSize: 1, waitQueueTimeoutMs: 450 },
    customerAtMs: 100,
    statuses: [200, 200, 503, 503],
    tookMs: [300, 600, 450, 450],
  },
  {
    name: 'a request deadline',
    env: { MONGO_POOLSIZE: '1', REQUEST_TIMEOUT_MS: '450' },
    pool: { poolSize: 1, requestTimeoutMs: 450 },
    customerAtMs: 280,
    statuses: [200, 503, 503, 200],
    tookMs: [300, 450, 450, 170],
  },
];

/** Three administrators, then a customer. @param {number} customerAtMs */
export const burst = (customerAtMs) => [
  ...[0, 0, 0].map((atMs) => ({ route: '/slow', atMs })),
  { route: '/fast', atMs: customerAtMs },
];

/**
 * @param {AppPool} pool
 * @param {number} customerAtMs
 * @returns {{ status: number, tookMs: number }[]} of each request
 */
export function simulateBurst(pool, customerAtMs) {
  const { records = [] } = simulate({
    arrivals: burst(customerAtMs),
    pool: poolOfApp(pool),
    keepRequests: true,
    services: { '/slow': { kind: 'fixed', ms: SLOW_MS }, '/fast': { kind: 'fixed', ms: 1 } },
  });
  return records
    .toSorted((a, b) => a.user - b.user)
    .map(({ outcome, arrivedAtMs, finishedAtMs }) => ({
      status: outcome === 'ok' ? 200 : 503,
      tookMs: finishedAtMs - arrivedAtMs,
    }));
}

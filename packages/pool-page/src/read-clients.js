import { holderOf, longestHolders, readGauges, waiterOf } from 'mongodb-pool-monitor';
import { median } from '../universal/stats.js';

/** @import { MongoClient } from 'mongodb' */
/** @import { Gauges, PoolMonitor } from 'mongodb-pool-monitor' */
/** @import { ClientReading } from '../universal/feed-shapes.js' */
/** @import { ClientSettings, WatchedPool } from './live-source.js' */

const MAX_LANES = 1000;
const MAX_WAITERS = 50;

/** @param {Pick<MongoClient, 'options'>} client @returns {ClientSettings} */
export function readClientSettings({ options: { maxPoolSize, minPoolSize, maxConnecting, waitQueueTimeoutMS } }) {
  return { poolSize: maxPoolSize, minPoolSize, maxConnecting, waitQueueTimeoutMs: waitQueueTimeoutMS };
}

/**
 * A client's pool right now: that of the current client, and of replaced ones that finish their work.
 * @param {WatchedPool} watched
 * @returns {ClientReading}
 */
export function readClient(watched) {
  const nowMs = performance.now();
  const pools = watched.monitors.flatMap(poolsOf);
  const held = pools.flatMap((pool) => [...pool.connections.values()].filter(({ state }) => state === 'active'));
  const waiters = pools
    .flatMap((pool) => {
      const behind = longestHolders(pool);
      return pool.waiters().map((checkout) => ({ checkout, behind }));
    })
    .sort((a, b) => a.checkout.checkOutStartedAtMs - b.checkout.checkOutStartedAtMs);
  return {
    name: watched.name,
    servers: [...new Set(pools.map(({ address }) => address))],
    ...readClientGauges(watched),
    maxConnecting: watched.settings.maxConnecting,
    lanes: held
      .slice(0, MAX_LANES)
      .map(({ id, sinceMs, checkout }) => ({ id, ...holderOf(checkout), busyMs: Math.round(nowMs - sinceMs) })),
    queue: waiters.slice(0, MAX_WAITERS).map(({ checkout, behind }) => ({
      ...waiterOf(checkout),
      waitMs: Math.round(nowMs - checkout.checkOutStartedAtMs),
      behind,
    })),
  };
}

/** @param {WatchedPool} watched @returns {Gauges} */
function readClientGauges({ monitors }) {
  return readGauges(monitors.slice(-1).flatMap(poolsOf), monitors.slice(0, -1).flatMap(poolsOf));
}

/** Adds up the gauges of all clients. @param {WatchedPool[]} watched */
export function sumGauges(watched) {
  const each = watched.map(readClientGauges);
  /** @param {'max' | 'idle' | 'active' | 'waiting'} gauge */
  const sum = (gauge) => each.reduce((total, gauges) => total + gauges[gauge], 0);
  const max = each.some((gauges) => gauges.max === 0) ? 0 : sum('max');
  return { max, idle: sum('idle'), active: sum('active'), waiting: sum('waiting') };
}

/**
 * Reads how long the queries that run, but not streams, have held their connections: medians by route.
 * @param {WatchedPool[]} watched
 */
export function readHeldMs(watched) {
  /** @type {Map<string, number[]>} */
  const held = new Map();
  for (const { route, kind, busyMs } of watched.flatMap((each) => readClient(each).lanes)) {
    if (route === null || kind !== undefined) continue;
    const ofRoute = held.get(route);
    if (ofRoute) ofRoute.push(busyMs);
    else held.set(route, [busyMs]);
  }
  return Object.fromEntries([...held].map(([route, each]) => [route, median(each)]));
}

/** @param {PoolMonitor} monitor */
function poolsOf({ servers }) {
  return [...servers.values()];
}

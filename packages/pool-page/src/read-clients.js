import { holderOf, longestHolders, readGauges, waiterOf } from 'mongodb-pool-monitor';
import { median } from '../universal/stats.js';

/** @import { MongoClient } from 'mongodb' */
/** @import { Gauges, PoolMonitor } from 'mongodb-pool-monitor' */
/** @import { ClientReading, OfOneServer } from '../universal/feed-shapes.js' */
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
 * @param {string} [address] leaves out its pools for other servers
 * @returns {ClientReading}
 */
export function readClient(watched, address) {
  const nowMs = performance.now();
  const pools = watched.monitors.flatMap((monitor) => poolsOf(monitor, address));
  const held = pools.flatMap((pool) => [...pool.connections.values()].filter(({ state }) => state === 'active'));
  const waiters = pools
    .flatMap((pool) => {
      const behind = longestHolders(pool);
      return pool.waiters().map((checkout) => ({ checkout, behind }));
    })
    .sort((a, b) => a.checkout.checkOutStartedAtMs - b.checkout.checkOutStartedAtMs);
  return {
    name: watched.name,
    servers: [...new Set(pools.map((pool) => pool.address))],
    ...readClientGauges(watched, address),
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

/**
 * A client's tunnels right now: one for each server that it uses. While it uses only one, that of the next primary is
 * the same one.
 *
 * @param {WatchedPool} watched
 * @returns {(ClientReading & Pick<OfOneServer, 'address' | 'role'>)[]} the primary's first. Where there are several,
 *   each has its server's address, and what that is
 */
export function readTunnels(watched) {
  const pools = watched.monitors.flatMap((monitor) => poolsOf(monitor));
  const used = pools.filter(({ isServing, lifetime }) => isServing && lifetime.checkedOut > 0);
  if (new Set(used.map(({ address }) => address)).size < 2) return [readClient(watched)];
  const shown = pools.filter((pool) => used.includes(pool) || pool.waiting > 0 || pool.connections.states.active > 0);
  const roles = new Map(shown.map(({ address, role }) => [address, role]));
  const rank = (/** @type {string} */ address) => `${roles.get(address) === 'primary' ? 0 : 1}${address}`;
  return [...roles.keys()]
    .toSorted((a, b) => rank(a).localeCompare(rank(b)))
    .map((address) => ({ ...readClient(watched, address), address, role: roles.get(address) }));
}

/** @param {WatchedPool} watched @param {string} [address] as for readClient @returns {Gauges} */
function readClientGauges({ monitors }, address) {
  const [current, ...replaced] = monitors.toReversed().map((monitor) => poolsOf(monitor, address));
  return readGauges(current, replaced.flat());
}

/** Adds up the gauges of all clients. @param {WatchedPool[]} watched */
export function sumGauges(watched) {
  const each = watched.map((client) => readClientGauges(client));
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

/** @param {PoolMonitor} monitor @param {string} [address] the only one */
function poolsOf({ servers }, address) {
  return [...servers.values()].filter((pool) => address === undefined || pool.address === address);
}

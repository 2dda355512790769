import { performance } from 'node:perf_hooks';
import { holderOf, longestHolders, readGauges } from 'mongodb-pool-monitor';
import { createServerGauge } from './server-gauge.js';
import { summariseRequests } from './summarise-requests.js';

const POOL_EVERY_MS = 200;
const SECOND_MS = 1000;
const KEPT_SECONDS = 120;
const MAX_LANES = 1000;
const MAX_WAITERS = 50;
const MAX_ENDED = 20;

/** @import { ClientReading, EndedRequest, PoolReading, Second } from '../universal/feed-shapes.js' */
/** @import { SharedClient } from '../mongo/shared-client.js' */

/**
 * Feeds the live page: the pool five times a second and the server's load once a second while anyone watches, and a
 * summary of each second of the last two minutes.
 *
 * @param {object} options
 * @param {import('../mongo/database.js').Database} options.database
 * @param {{ slowMs: number }} options.load
 * @param {ReturnType<typeof import('../http/requests.js').createRequests>} options.requests
 * @param {ReturnType<typeof import('./streams.js').createStreams>} options.streams
 */
export function createFeed({ database, load, requests, streams }) {
  /** @type {Second[]} */
  const seconds = [];
  /** @type {EndedRequest[]} */
  let endedThisSecond = [];
  /** @type {EndedRequest[]} */
  let endedSinceEvent = [];
  /** Of this second. The pool can fill up and empty again before the second ends. */
  let peak = { active: 0, waiting: 0 };
  let loop = performance.eventLoopUtilization();
  const serverGauge = createServerGauge(database.readServerLoad);
  requests.onEnd((request) => {
    endedThisSecond.push(request);
    if (streams.count > 0) endedSinceEvent.push(request);
  });

  /** @returns {Second} */
  function summarise() {
    notePeak();
    const { max, idle } = sumGauges(database);
    const before = loop;
    loop = performance.eventLoopUtilization();
    return {
      atMs: Date.now(), max, idle, ...peak, ...summariseRequests(endedThisSecond, SECOND_MS),
      server: serverGauge.read(), loopBusy: performance.eventLoopUtilization(loop, before).utilization,
      aloneMs: database.slowQuery === 'work' ? load.slowMs : null, heldMs: findHeldMs(database),
    };
  }

  function notePeak() {
    const { active, waiting } = sumGauges(database);
    peak = { active: Math.max(active, peak.active), waiting: Math.max(waiting, peak.waiting) };
  }

  function sendPool() {
    notePeak();
    if (streams.count > 0) {
      serverGauge.refresh();
      streams.send('pool', {
        ...readPool(database, load), finished: pickEnded(endedSinceEvent), server: serverGauge.read(),
      });
    }
    endedSinceEvent = [];
  }

  function endSecond() {
    const second = summarise();
    endedThisSecond = [];
    peak = { active: 0, waiting: 0 };
    seconds.push(second);
    if (seconds.length > KEPT_SECONDS) seconds.shift();
    streams.send('second', second);
  }

  const timers = [setInterval(sendPool, POOL_EVERY_MS), setInterval(endSecond, SECOND_MS)];
  return {
    /** @returns {readonly Second[]} oldest first */
    history: () => seconds,
    close() {
      for (const timer of timers) clearInterval(timer);
    },
  };
}

/** @param {EndedRequest[]} requests @returns {EndedRequest[]} if there are too many, those that waited longest */
function pickEnded(requests) {
  if (requests.length <= MAX_ENDED) return requests;
  return requests.toSorted((a, b) => b.waitMs - a.waitMs).slice(0, MAX_ENDED);
}

/**
 * The pool right now. `slowPool` is the pool of /slow, if it has its own.
 *
 * @param {import('../mongo/database.js').Database} database
 * @param {{ slowMs: number }} load
 * @returns {PoolReading}
 */
export function readPool({ main, slow, slowQuery, status }, { slowMs }) {
  return {
    atMs: Date.now(),
    database: status(),
    ...readClient(main),
    slowMs,
    slowQuery,
    ...(slow !== main && { slowPool: readClient(slow) }),
  };
}

/**
 * The current client, and replaced ones that finish their work.
 * @param {SharedClient} shared
 * @returns {ClientReading}
 */
function readClient(shared) {
  const nowMs = performance.now();
  const gauges = readShared(shared);
  const pools = shared.handles.flatMap(listPools);
  const held = pools.flatMap((pool) => [...pool.connections.values()].filter(({ state }) => state === 'active'));
  const waiters = pools
    .flatMap((pool) => {
      const behind = longestHolders(pool);
      return pool.waiters().map((checkout) => ({ checkout, behind }));
    })
    .sort((a, b) => a.checkout.checkOutStartedAtMs - b.checkout.checkOutStartedAtMs);
  return {
    ...gauges,
    lanes: held.slice(0, MAX_LANES).map(({ id, sinceMs, checkout }) => (
      { id, ...holderOf(checkout), busyMs: Math.round(nowMs - sinceMs) })),
    queue: waiters.slice(0, MAX_WAITERS).map(({ checkout, behind }) => ({
      ...holderOf(checkout), waitMs: Math.round(nowMs - checkout.checkOutStartedAtMs), behind,
    })),
  };
}

/** @param {SharedClient} shared */
function readShared({ current, handles }) {
  const gauges = readGauges(listPools(current), handles.filter((handle) => handle !== current).flatMap(listPools));
  return { ...gauges, maxConnecting: current.client.options.maxConnecting };
}

/** @param {import('../mongo/database.js').Database} database @returns {number | null} median; null if none runs */
function findHeldMs({ slow }) {
  const heldMs = readClient(slow).lanes.flatMap(({ route, busyMs }) => (route === '/slow' ? [busyMs] : []));
  return heldMs.sort((a, b) => a - b)[heldMs.length >> 1] ?? null;
}

/** @param {import('../mongo/database.js').Database} database */
function sumGauges({ clients }) {
  const each = clients.map(readShared);
  /** @param {'max' | 'idle' | 'active' | 'waiting'} gauge */
  const sum = (gauge) => each.reduce((total, gauges) => total + gauges[gauge], 0);
  return {
    max: each.some(({ max }) => max === 0) ? 0 : sum('max'),
    idle: sum('idle'), active: sum('active'), waiting: sum('waiting'),
  };
}

/** @param {SharedClient['current']} handle */
function listPools({ monitor }) {
  return [...monitor.servers.values()];
}

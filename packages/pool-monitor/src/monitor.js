import { performance } from 'node:perf_hooks';
import { Durations } from './durations.js';
import { readGauges } from './gauges.js';
import { ServerPool } from './server-pool.js';

/**
 * @typedef {import('./durations.js').DurationSummary} DurationSummary
 * @typedef {import('./server-pool.js').PoolListener} PoolListener
 * @typedef {import('mongodb').MongoClient} MongoClient
 * @typedef {import('mongodb').MongoClientEvents} MongoClientEvents
 */

/**
 * Counters and summaries of the lifetime.
 * @typedef {object} Lifetime
 * @property {number} peakActive
 * @property {number} peakWaiting
 * @property {number} checkedOut
 * @property {number} operationsFailed uses of a connection in which an operation failed. The driver tells of those that
 *   broke their connection (a lost server, an abort), and with `monitorCommands` of all
 * @property {Record<string, number>} checkOutFailed by reason: timeout, connectionError, poolClosed
 * @property {number} created
 * @property {Record<string, number>} closed by reason: idle, stale, error, poolClosed, and abandoned for a
 *   connection that the driver threw away in silence; created minus all closed is total
 * @property {number} cleared
 * @property {DurationSummary} wait from the question to the connection, connecting included
 * @property {DurationSummary} use from the connection to its return, also where the operation failed
 * @property {DurationSummary} connect opening a connection, handshake included
 *
 * @typedef {import('./gauges.js').Gauges & Lifetime} PoolSnapshot
 */

/**
 * @typedef {object} PoolMonitor
 * @property {string | null} name tells its pools from those of another client to the same servers
 * @property {() => { servers: Record<string, PoolSnapshot>, totals: PoolSnapshot }} snapshot plain JSON, by
 *   host:port and over all servers, where the peaks are sums of the servers' peaks
 * @property {(listener: PoolListener) => () => void} subscribe calls the listener within each event, so it must be
 *   quick and must not throw; returns the function that ends it
 * @property {ReadonlyMap<string, ServerPool>} servers the live mirrors, to read
 * @property {() => void} close detaches from the client; the last snapshot stays readable
 *
 * @typedef {(`connection${string}` & keyof MongoClientEvents) | 'commandFailed' | 'serverDescriptionChanged'} WatchedEvent
 */

// An event reaches a listener within some microseconds of the driver's reading of the clock, or after a pause of
// the process, which shows in the event's time, in whole milliseconds alone: up to one more can lie between.
const DELIVERY_MS = 1;

/** With one of these a checkout ends. */
const ENDS = new Set(['returned', 'failed', 'gone']);

/**
 * Watches the connection pools of a MongoClient through the driver's events alone.
 *
 * Attach it before the client connects. Attached later it is right from then on for all it has seen: a connection
 * opened earlier counts once it is checked out or returned, and callers already waiting are never counted.
 * The gauges neither drift nor fall below zero. They can lag behind the driver in three cases: an aborted checkout
 * counts as waiting about as long as it would have waited; a connection orphaned by a clear of the pool counts as
 * connecting for at most two connect timeouts; and a caller that will be served within the current microtasks,
 * as there is room for it, does not count as waiting.
 *
 * @param {MongoClient} client
 * @param {object} [options]
 * @param {string | null} [options.name]
 * @param {{ write: (checkout: import('./server-pool.js').Checkout) => void }} [options.record] gets each checkout as it
 *   ends, see createTraceWriter
 * @param {() => number} [options.now] the clock to use instead of performance.now(), for tests
 * @returns {PoolMonitor}
 */
export function monitorPool(client, { name = null, record, now = () => performance.now() } = {}) {
  /** @type {Map<string, ServerPool>} */
  const servers = new Map();
  /** @type {Set<PoolListener>} */
  const listeners = new Set();
  if (record) {
    listeners.add(({ type, checkout }) => {
      // Whether its operation failed is known at the end of this turn.
      if (checkout && ENDS.has(type)) queueMicrotask(() => record.write(checkout));
    });
  }
  const { maxPoolSize, minPoolSize, maxConnecting, connectTimeoutMS } = client.options;
  const limits = { max: maxPoolSize, min: minPoolSize, maxConnecting, connectTimeoutMs: connectTimeoutMS };

  /** @param {{ address: string }} event */
  const poolOf = ({ address }) => {
    let pool = servers.get(address);
    if (!pool) {
      pool = new ServerPool(address, limits, now, listeners);
      servers.set(address, pool);
    }
    return pool;
  };
  /**
   * When an event happened, or when the wait began whose end it tells. The driver subtracts whole milliseconds,
   * so ours are whole ones too.
   * @param {{ time: Date, durationMS?: number }} event
   */
  const spanOf = ({ time, durationMS = 0 }) => {
    const atMs = now();
    // A pause of the process, or a slow listener, may have come between the event and us.
    const lateMs = Math.max(0, Date.now() - time.getTime());
    return { fromMs: Math.floor(atMs - DELIVERY_MS) - lateMs - durationMS, toMs: Math.floor(atMs) - durationMS };
  };

  /** @type {Pick<MongoClientEvents, WatchedEvent>} */
  const handlers = {
    // The address had a pool before if the client lost that server, or was closed and connected again.
    connectionPoolCreated: (event) => {
      const pool = poolOf(event);
      pool.end();
      pool.isClosed = false;
    },
    connectionPoolReady: (event) => poolOf(event).resume(spanOf(event)),
    connectionPoolCleared: (event) => poolOf(event).clear(!('serviceId' in event && event.serviceId)),
    connectionPoolClosed: (event) => {
      const pool = poolOf(event);
      pool.end();
      pool.isClosed = true;
    },
    connectionCreated: (event) => poolOf(event).opens(Number(event.connectionId)),
    connectionReady: (event) => poolOf(event).opened(Number(event.connectionId), event.durationMS),
    connectionClosed: (event) => poolOf(event).closes(Number(event.connectionId), event.reason),
    connectionCheckOutStarted: (event) => poolOf(event).asked(spanOf(event)),
    connectionCheckOutFailed: (event) => poolOf(event).failed(event.reason, spanOf(event)),
    connectionCheckedOut: (event) => poolOf(event).got(Number(event.connectionId), spanOf(event)),
    connectionCheckedIn: (event) => poolOf(event).returned(Number(event.connectionId)),
    // The driver tells this one of clients with monitorCommands alone.
    commandFailed: (event) => servers.get(event.address)?.failOperationOn(Number(event.connectionId)),
    serverDescriptionChanged: ({ address, previousDescription, newDescription }) => (
      servers.get(address)?.describe(previousDescription, newDescription)),
  };
  const names = /** @type {(keyof MongoClientEvents)[]} */ (Object.keys(handlers));
  const attached = /** @type {MongoClientEvents} */ (handlers);
  for (const event of names) client.on(event, attached[event]);

  return {
    name,
    servers,
    snapshot: () => {
      const pools = [...servers.values()];
      const each = pools.map((pool) => summarise([pool]));
      return {
        servers: Object.fromEntries(pools.map((pool, index) => [pool.address, each[index]])),
        totals: each.length === 1 ? each[0] : summarise(pools),
      };
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
    close: () => {
      for (const event of names) client.off(event, attached[event]);
    },
  };
}

/**
 * @param {ServerPool[]} pools
 * @returns {PoolSnapshot}
 */
function summarise(pools) {
  /** @param {(pool: ServerPool) => number} of */
  const sum = (of) => pools.reduce((total, pool) => total + of(pool), 0);
  return {
    ...readGauges(pools),
    peakActive: sum((pool) => pool.peak.active),
    peakWaiting: sum((pool) => pool.peak.waiting),
    checkedOut: sum((pool) => pool.checkedOut),
    operationsFailed: sum((pool) => pool.operationsFailed),
    checkOutFailed: sumByKey(pools.map((pool) => pool.checkOutFailed)),
    created: sum((pool) => pool.connections.created),
    closed: sumByKey(pools.map((pool) => pool.connections.closed)),
    cleared: sum((pool) => pool.cleared),
    wait: merge(pools.map((pool) => pool.wait)),
    use: merge(pools.map((pool) => pool.use)),
    connect: merge(pools.map((pool) => pool.connect)),
  };
}

/** @param {Record<string, number>[]} counts */
function sumByKey(counts) {
  /** @type {Record<string, number>} */
  const sums = {};
  for (const [key, value] of counts.flatMap((each) => Object.entries(each))) sums[key] = (sums[key] ?? 0) + value;
  return sums;
}

/** @param {Durations[]} durations */
function merge(durations) {
  if (durations.length === 1) return durations[0].summary();
  const all = new Durations();
  for (const each of durations) all.add(each);
  return all.summary();
}

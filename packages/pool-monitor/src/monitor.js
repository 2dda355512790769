import { performance } from 'node:perf_hooks';
import { EventBatch } from './event-batch.js';
import { readGauges } from './gauges.js';
import { summariseLifetime } from './lifetime.js';
import { ServerPool } from './server-pool.js';

/** @import { MongoClient, MongoClientEvents } from 'mongodb' */
/** @import { Checkout } from './checkout.js' */
/** @import { Entry } from './event-batch.js' */
/** @import { Follower, PoolListener, Watchers } from './pool-events.js' */
/** @import { RecordedCheckout } from './trace-writer.js' */

/** @typedef {import('./gauges.js').Gauges & import('./lifetime.js').LifetimeSummary} PoolSnapshot */

/**
 * @typedef {object} PoolMonitor
 * @property {string | null} name distinguishes its pools from those of another client to the same servers
 * @property {() => { servers: Record<string, PoolSnapshot>, totals: PoolSnapshot }} snapshot plain JSON, by host:port
 *   and over all servers; the total peaks are sums of the servers' peaks
 * @property {(listener: PoolListener) => () => void} subscribe calls the listener inside each event, or inside a batch of
 *   them, so the listener must be quick and must not throw; returns a function that unsubscribes
 * @property {(follower: Follower) => () => void} follow for Checkouts, which only one at a time can be; returns a function
 *   that ends it
 * @property {ReadonlyMap<string, ServerPool>} servers live, read only
 * @property {() => void} close detaches from the client; the last snapshot stays readable
 *
 * @typedef {object} PoolsOfClient
 * @property {(event: { address: string }) => ServerPool} of makes it if it is not there yet
 * @property {boolean} isCallersFlow whether the driver runs a checkout in its caller's async flow to the end: old ones do not
 *
 * @typedef {(`connection${string}` & keyof MongoClientEvents) | 'commandFailed' | 'serverDescriptionChanged'} WatchedEvent
 */

// An event reaches a listener within microseconds after the driver read its clock. A longer pause of the process shows
// in the event's time, but only in integer milliseconds: up to one more can lie between.
const DELIVERY_MS = 1;

/** One of these ends a checkout. */
const ENDS = new Set(['checkedIn', 'checkOutFailed', 'checkOutAborted']);

/**
 * Watches the connection pools of a MongoClient, using only the driver's events.
 *
 * Attach it before the client connects. One attached later is right from then on for all it has seen.
 *
 * The gauges neither drift nor fall below zero. They can lag behind the driver in three cases: an aborted checkout
 * counts as waiting about as long as it would have waited; a connection abandoned at a clear counts as connecting for
 * at most two connect timeouts; and a caller that the driver serves within the current microtasks does not count as
 * waiting.
 *
 * @param {MongoClient} client
 * @param {object} [options]
 * @param {string | null} [options.name]
 * @param {{ write: (checkout: RecordedCheckout) => void }} [options.record] gets each checkout when it ends, see
 *   createTraceWriter; with its request, if Checkouts watches this monitor
 * @param {EventBatch} [options.batch] what handles the events; by default, each is handled at once
 * @param {() => number} [options.now] replaces performance.now() in tests
 * @returns {PoolMonitor}
 */
export function monitorPool(client, { name = null, record, batch = new EventBatch(), now = () => performance.now() } = {}) {
  /** @type {Map<string, ServerPool>} */
  const servers = new Map();
  /** @type {Watchers} */
  const watchers = { listeners: new Set(), follower: null };
  if (record) {
    watchers.listeners.add(({ type, checkout }) => {
      // We learn at the end of this turn whether its operation failed.
      if (checkout && ENDS.has(type)) queueMicrotask(() => record.write(describe(checkout)));
    });
  }
  const { maxPoolSize, minPoolSize, maxConnecting, connectTimeoutMS } = client.options;
  const limits = { max: maxPoolSize, min: minPoolSize, maxConnecting, connectTimeoutMs: connectTimeoutMS };

  /** Most events come from one server, and each brings a new string. @type {ServerPool | undefined} */
  let recent;
  /** @param {{ address: string }} event */
  const of = ({ address }) => {
    if (recent?.address === address) return recent;
    recent = servers.get(address) ?? new ServerPool(address, name, limits, now, watchers);
    servers.set(address, recent);
    return recent;
  };
  /** @type {PoolsOfClient} */
  const pools = { of, isCallersFlow: false };

  /** @param {(entry: Entry) => void} handle @param {any} event */
  const noteEvent = (handle, event) => {
    const entry = batch.next(handle, now());
    entry.wallMs = Date.now();
    entry.event = event;
    entry.pools = pools;
    return entry;
  };
  /**
   * For the events that are rare, or that the driver emits in one turn with others.
   * @template {any[]} Args
   * @param {(...args: Args) => void} handle
   * @returns {(...args: Args) => void}
   */
  const atOnce = (handle) => (...args) => {
    batch.flush();
    handle(...args);
  };

  /** @type {Pick<MongoClientEvents, WatchedEvent>} */
  const handlers = {
    connectionPoolCreated: atOnce((event) => of(event).onPoolCreated()),
    connectionPoolReady: atOnce((event) => of(event).onPoolReady(spanOf(event, now()))),
    connectionPoolCleared: atOnce((event) => of(event).onPoolCleared(!('serviceId' in event && event.serviceId))),
    connectionPoolClosed: atOnce((event) => of(event).onPoolClosed()),
    connectionCreated: atOnce((event) => of(event).onConnectionCreated(Number(event.connectionId))),
    connectionReady: atOnce((event) => of(event).onConnectionReady(Number(event.connectionId), event.durationMS ?? 0)),
    connectionClosed: atOnce((event) => of(event).onConnectionClosed(Number(event.connectionId), event.reason)),
    connectionCheckOutStarted: (event) => {
      const entry = noteEvent(onCheckOutStarted, event);
      batch.added(watchers.follower?.noteStart(entry) ?? true);
    },
    connectionCheckOutFailed: (event) => {
      const entry = noteEvent(onCheckOutFailed, event);
      watchers.follower?.noteEnd(entry);
      batch.added(false);
    },
    connectionCheckedOut: (event) => {
      noteEvent(onCheckedOut, event);
      batch.added(true);
    },
    connectionCheckedIn: (event) => {
      const entry = noteEvent(onCheckedIn, event);
      watchers.follower?.noteEnd(entry);
      batch.added(true);
    },
    // The driver only emits this one with monitorCommands.
    commandFailed: atOnce((event) => servers.get(event.address)?.onCommandFailed(Number(event.connectionId))),
    serverDescriptionChanged: atOnce(({ address, previousDescription, newDescription }) => (
      servers.get(address)?.onServerDescriptionChanged(previousDescription, newDescription))),
  };
  const names = /** @type {(keyof MongoClientEvents)[]} */ (Object.keys(handlers));
  const attached = /** @type {MongoClientEvents} */ (handlers);
  for (const event of names) client.on(event, attached[event]);

  return {
    name,
    get servers() {
      batch.flush();
      return servers;
    },
    snapshot: () => {
      batch.flush();
      const pools = [...servers.values()];
      const each = pools.map((pool) => summarise([pool]));
      return {
        servers: Object.fromEntries(pools.map((pool, index) => [pool.address, each[index]])),
        totals: each.length === 1 ? each[0] : summarise(pools),
      };
    },
    subscribe: (listener) => {
      batch.flush();
      watchers.listeners.add(listener);
      return () => {
        batch.flush();
        watchers.listeners.delete(listener);
      };
    },
    follow: (follower) => {
      batch.flush();
      if (watchers.follower) throw new Error('Another Checkouts watches this monitor already');
      watchers.follower = follower;
      return () => {
        batch.flush();
        watchers.follower = null;
      };
    },
    close: () => {
      batch.flush();
      for (const event of names) client.off(event, attached[event]);
    },
  };
}

/** @param {Entry} entry */
function poolOf({ pools, event }) {
  return /** @type {PoolsOfClient} */ (pools).of(event);
}

/** @param {Entry} entry */
function onCheckOutStarted(entry) {
  const { event, atMs, wallMs } = entry;
  poolOf(entry).onCheckOutStarted(spanOf(event, atMs, wallMs), atMs, entry);
}

/** @param {Entry} entry */
function onCheckOutFailed(entry) {
  poolOf(entry).onCheckOutFailed(entry.event.reason, waitOf(entry), entry.atMs, entry);
}

/** @param {Entry} entry */
function onCheckedOut(entry) {
  const { event, atMs } = entry;
  const pools = /** @type {PoolsOfClient} */ (entry.pools);
  // Such drivers (6.9 and later) have done away with callbacks, too.
  pools.isCallersFlow = event.durationMS !== undefined;
  pools.of(event).onCheckedOut(Number(event.connectionId), waitOf(entry), atMs);
}

/** @param {Entry} entry */
function onCheckedIn(entry) {
  poolOf(entry).onCheckedIn(Number(entry.event.connectionId), entry.atMs, entry);
}

/**
 * When an event happened, or when the wait that it ends began. The driver subtracts integer milliseconds, so we do.
 * @param {{ time: Date, durationMS?: number }} event
 * @param {number} atMs
 * @param {number} [wallMs]
 */
function spanOf({ time, durationMS = 0 }, atMs, wallMs = Date.now()) {
  // A pause of the process, or a slow listener, may have come between the event and us.
  const lateMs = Math.max(0, wallMs - time.getTime());
  return { fromMs: Math.floor(atMs - DELIVERY_MS) - lateMs - durationMS, toMs: Math.floor(atMs) - durationMS };
}

/** When the wait began that an event ends. Before version 6.9, the driver does not say. @param {Entry} entry */
function waitOf({ event, atMs, wallMs }) {
  return event.durationMS === undefined ? { fromMs: -Infinity, toMs: Math.floor(atMs) } : spanOf(event, atMs, wallMs);
}

/** @param {Checkout} checkout @returns {RecordedCheckout} */
function describe({ checkOutStartedAtMs, checkedOutAtMs, checkedInAtMs, name: { route, request }, hasFailed }) {
  return { checkOutStartedAtMs, checkedOutAtMs, checkedInAtMs, route, request, hasFailed };
}

/** @param {ServerPool[]} pools @returns {PoolSnapshot} */
function summarise(pools) {
  return { ...readGauges(pools), ...summariseLifetime(pools) };
}

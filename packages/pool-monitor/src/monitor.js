import { performance } from 'node:perf_hooks';
import { Entry, EventBatch } from './event-batch.js';
import { readGauges } from './gauges.js';
import { summariseLifetime } from './lifetime.js';
import { ServerPool } from './server-pool.js';

/** @import { MongoClient, MongoClientEvents } from 'mongodb' */
/** @import { Checkout } from './checkout.js' */
/** @import { Handle } from './event-batch.js' */
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
  /** @param {string} address */
  const of = (address) => {
    if (recent?.address === address) return recent;
    recent = servers.get(address) ?? new ServerPool(address, name, limits, now, watchers);
    servers.set(address, recent);
    return recent;
  };
  /** @param {Handle} handle @param {string} address */
  const note = (handle, address) => {
    const entry = batch.next(handle, now());
    entry.pool = of(address);
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
    connectionPoolCreated: atOnce((event) => of(event.address).onPoolCreated()),
    connectionPoolReady: atOnce((event) => of(event.address).onPoolReady(setSpan(new Entry(now()), event.time, 0))),
    connectionPoolCleared: atOnce((event) => of(event.address).onPoolCleared(!('serviceId' in event && event.serviceId))),
    connectionPoolClosed: atOnce((event) => of(event.address).onPoolClosed()),
    connectionCreated: atOnce((event) => of(event.address).onConnectionCreated(Number(event.connectionId))),
    connectionReady: atOnce((event) => of(event.address).onConnectionReady(Number(event.connectionId), event.durationMS ?? 0)),
    connectionClosed: atOnce((event) => of(event.address).onConnectionClosed(Number(event.connectionId), event.reason)),
    connectionCheckOutStarted: (event) => {
      const start = setSpan(note(onCheckOutStarted, event.address), event.time, 0);
      batch.added(watchers.follower?.noteStart(start) ?? true);
    },
    connectionCheckOutFailed: (event) => {
      const end = note((entry) => entry.pool?.onCheckOutFailed(event.reason, entry), event.address);
      setSpan(end, event.time, event.durationMS);
      watchers.follower?.noteEnd(end);
      batch.added(false);
    },
    connectionCheckedOut: (event) => {
      const noted = setSpan(note(onCheckedOut, event.address), event.time, event.durationMS);
      noted.connectionId = Number(event.connectionId);
      // Such drivers (6.9 and later) have done away with callbacks, too.
      of(event.address).isCallersFlow = event.durationMS !== undefined;
      batch.added(true);
    },
    connectionCheckedIn: (event) => {
      const end = note(onCheckedIn, event.address);
      end.connectionId = Number(event.connectionId);
      watchers.follower?.noteEnd(end);
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

/** @type {Handle} */
const onCheckOutStarted = (entry) => entry.pool?.onCheckOutStarted(entry);
/** @type {Handle} */
const onCheckedOut = (entry) => entry.pool?.onCheckedOut(entry);
/** @type {Handle} */
const onCheckedIn = (entry) => entry.pool?.onCheckedIn(entry);

/**
 * Notes when an event happened, or when the wait that it ends began. The driver subtracts integer milliseconds, so we do.
 * @param {Entry} noted
 * @param {Date} time of the event
 * @param {number | undefined} durationMs of the wait: before version 6.9, the driver does not say
 */
function setSpan(noted, time, durationMs) {
  const toMs = Math.floor(noted.atMs);
  // A pause of the process, or a slow listener, may have come between the event and us.
  const lateMs = Math.max(0, Date.now() - time.getTime());
  noted.fromMs = durationMs === undefined ? -Infinity : toMs - DELIVERY_MS - lateMs - durationMs;
  noted.toMs = toMs - (durationMs ?? 0);
  return noted;
}

/** @param {Checkout} checkout @returns {RecordedCheckout} */
function describe({ checkOutStartedAtMs, checkedOutAtMs, checkedInAtMs, requestName: { route, request }, hasFailed }) {
  return { checkOutStartedAtMs, checkedOutAtMs, checkedInAtMs, route, request, hasFailed };
}

/** @param {ServerPool[]} pools @returns {PoolSnapshot} */
function summarise(pools) {
  return { ...readGauges(pools), ...summariseLifetime(pools) };
}

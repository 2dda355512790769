import { performance } from 'node:perf_hooks';
import { describeCheckout } from './describe-checkout.js';
import { describeClient, readDriverVersion } from './describe-client.js';
import { BatchedEvent, EventBatch } from './event-batch.js';
import { readGauges } from './gauges.js';
import { summariseLifetime } from './lifetime.js';
import { ServerPool } from './server-pool.js';
import { SessionTransactions } from './session-transactions.js';

/** @import { MongoClient, MongoClientEvents } from 'mongodb' */
/** @import { ClientFacts } from './describe-client.js' */
/** @import { EventHandler } from './event-batch.js' */
/** @import { CallerTracker, PoolEvent, PoolListener, RareEventType, Subscribers } from './pool-events.js' */
/** @import { RecordedCheckout } from './trace-lines.js' */
/** @import { TraceWriter } from './trace-writer.js' */

/** @typedef {import('./gauges.js').Gauges & import('./lifetime.js').LifetimeSummary} PoolSnapshot */

/**
 * @typedef {object} MonitorOptions
 * @property {string | null} [name]
 * @property {Pick<TraceWriter, 'definePool' | 'write' | 'writeEvent'>} [record] gets each checkout when it ends, with
 *   its request if Checkouts watches this monitor; see createTraceWriter
 * @property {Record<string, unknown>} [replaced] the client's own values of options that were replaced, by name
 * @property {() => string[]} [listIgnored] names the options that the code has set and the driver ignores
 * @property {EventBatch} [batch] what handles the events; by default, each is handled at once
 * @property {() => number} [now] replaces performance.now() in tests
 */

/**
 * An event reaches a listener within microseconds after the driver read its clock. If the process pauses for longer,
 * the event's time shows it, but only in whole milliseconds, so up to one more can lie between.
 */
const DELIVERY_MS = 1;

/** What ends a checkout, with its outcome. @type {Record<string, RecordedCheckout['outcome']>} */
const ENDS = { checkedIn: 'checkedIn', checkOutFailed: 'checkOutFailed', checkOutAborted: 'checkOutAborted' };

/**
 * Watches the connection pools of a MongoClient, using only the driver's events.
 *
 * Attach it before the client connects. A monitor that is attached later is right about everything it has seen since.
 *
 * The gauges neither drift nor fall below zero. The monitor's README says when they can lag behind the driver. A caller
 * that the driver serves within the current microtasks does not count as waiting.
 *
 * @param {MongoClient} client
 * @param {MonitorOptions} [options]
 */
export function monitorPool(client, options) {
  return new PoolMonitor(client, options);
}

export class PoolMonitor {
  #client;
  #name;
  /** @type {(string | null)[]} */
  #formerNames = [];
  #now;
  #batch;
  #limits;
  #record;
  #replaced;
  #listIgnored;
  /** The driver's version, once it is known. @type {string | undefined} */
  #version;
  /** @type {Map<string, ServerPool>} */
  #servers = new Map();
  /** Most events come from one server, and each brings a new string. @type {ServerPool | undefined} */
  #recent;
  /** @type {Subscribers} */
  #subscribers = { listeners: new Set(), tracker: null, capture: null };
  #transactions = new SessionTransactions();
  #handlers = this.#createHandlers();

  /** @param {MongoClient} client @param {MonitorOptions} [options] */
  constructor(
    client,
    {
      name = null,
      record,
      replaced = {},
      listIgnored = () => [],
      batch = new EventBatch(),
      now = () => performance.now(),
    } = {},
  ) {
    this.#name = name;
    this.#client = client;
    this.#now = now;
    this.#batch = batch;
    const { maxPoolSize, minPoolSize, maxConnecting, connectTimeoutMS } = client.options;
    this.#limits = { max: maxPoolSize, min: minPoolSize, maxConnecting, connectTimeoutMs: connectTimeoutMS };
    // Without it, nothing but the version is unknown.
    readDriverVersion(client).then(
      (version) => (this.#version = version),
      () => {},
    );
    this.#record = record;
    this.#replaced = replaced;
    this.#listIgnored = listIgnored;
    if (record) this.#subscribers.listeners.add((event) => this.#recordEvent(event, record));
    for (const [event, handler] of this.#handlers) client.on(event, handler);
  }

  /** Distinguishes its pools from those of another client to the same servers. */
  get name() {
    return this.#name;
  }

  /** Names that it had before, oldest first. @returns {readonly (string | null)[]} */
  get formerNames() {
    return this.#formerNames;
  }

  /** Renames its pools, also in the records of their past. @param {string} name */
  rename(name) {
    if (name === this.#name) return;
    this.#batch.flush();
    this.#formerNames.push(this.#name);
    this.#name = name;
    for (const { identity } of this.#servers.values()) identity.pool = name;
  }

  /** Live, read only. @returns {ReadonlyMap<string, ServerPool>} */
  get servers() {
    this.#batch.flush();
    return this.#servers;
  }

  /**
   * Reads plain JSON, by host:port and over all servers. The total peaks are sums of the servers' peaks.
   *
   * @returns {{ servers: Record<string, PoolSnapshot>, totals: PoolSnapshot }}
   */
  snapshot() {
    const pools = [...this.servers.values()];
    const each = pools.map((pool) => summarise([pool]));
    return {
      servers: Object.fromEntries(pools.map((pool, index) => [pool.address, each[index]])),
      totals: each.length === 1 ? each[0] : summarise(pools),
    };
  }

  /** What is known about its client, for a trace. @returns {ClientFacts} */
  describeClient() {
    return {
      ...(this.#version && { driver: this.#version }),
      ...describeClient(this.#client, this.#replaced, this.#listIgnored()),
    };
  }

  /**
   * Calls a listener inside each event, or inside a batch of them, so the listener must be quick and must not throw.
   *
   * @param {PoolListener} listener
   * @param {() => unknown} [capture] called at each checkOutStarted, in the caller's own async context; what it returns
   *   is the checkout's `caller`. Only one listener at a time can have it
   * @returns {() => void} unsubscribes
   * @throws {Error} if another listener captures
   */
  subscribe(listener, capture) {
    if (capture && this.#subscribers.capture) throw new Error('Another listener captures the callers already');
    this.#batch.flush();
    this.#subscribers.listeners.add(listener);
    if (capture) this.#subscribers.capture = capture;
    return () => {
      this.#batch.flush();
      this.#subscribers.listeners.delete(listener);
      if (capture) this.#subscribers.capture = null;
    };
  }

  /**
   * Lets Checkouts track the callers. Only one can at a time.
   *
   * @param {CallerTracker} tracker
   * @returns {() => void} ends it
   */
  follow(tracker) {
    this.#batch.flush();
    if (this.#subscribers.tracker) throw new Error('Another Checkouts watches this monitor already');
    this.#subscribers.tracker = tracker;
    return () => {
      this.#batch.flush();
      this.#subscribers.tracker = null;
    };
  }

  /** Detaches from the client. The last snapshot stays readable. */
  close() {
    this.#batch.flush();
    for (const [event, handler] of this.#handlers) this.#client.off(event, handler);
  }

  /** @returns {[event: any, handler: (event: any) => void][]} */
  #createHandlers() {
    /** @typedef {'commandStarted' | 'commandFailed' | 'serverDescriptionChanged'} OtherEvent */
    /** @type {Pick<MongoClientEvents, (`connection${string}` & keyof MongoClientEvents) | OtherEvent>} */
    const handlers = {
      connectionPoolCreated: this.#atOnce((event) => this.#poolOf(event.address).onPoolCreated()),
      connectionPoolReady: this.#atOnce((event) => {
        const ready = setStartInterval(new BatchedEvent(this.#now()), event.time, 0);
        this.#poolOf(event.address).onPoolReady(ready);
      }),
      connectionPoolCleared: this.#atOnce((event) =>
        this.#poolOf(event.address).onPoolCleared(!('serviceId' in event && event.serviceId)),
      ),
      connectionPoolClosed: this.#atOnce((event) => this.#poolOf(event.address).onPoolClosed()),
      connectionCreated: this.#atOnce((event) =>
        this.#poolOf(event.address).onConnectionCreated(Number(event.connectionId)),
      ),
      connectionReady: this.#atOnce((event) =>
        this.#poolOf(event.address).onConnectionReady(Number(event.connectionId), event.durationMS ?? 0),
      ),
      connectionClosed: this.#atOnce((event) =>
        this.#poolOf(event.address).onConnectionClosed(Number(event.connectionId), event.reason),
      ),
      connectionCheckOutStarted: (event) => {
        const start = setStartInterval(this.#next(onCheckOutStarted, event.address), event.time, 0);
        const { capture, tracker } = this.#subscribers;
        if (capture) start.caller = capture();
        this.#batch.added(tracker?.noteStart(start) ?? true);
      },
      connectionCheckOutFailed: (event) => {
        const end = this.#next((batched) => batched.pool?.onCheckOutFailed(event.reason, batched), event.address);
        setStartInterval(end, event.time, event.durationMS);
        this.#subscribers.tracker?.noteEnd(end);
        this.#batch.added(false);
      },
      connectionCheckedOut: (event) => {
        const served = setStartInterval(this.#next(onCheckedOut, event.address), event.time, event.durationMS);
        served.connectionId = Number(event.connectionId);
        // Drivers that report the duration (6.9 and later) no longer use callbacks, either.
        const pool = /** @type {ServerPool} */ (served.pool);
        pool.isCallersFlow = event.durationMS !== undefined;
        const connection = pool.connections.get(served.connectionId);
        if (connection) connection.checkedOutAtMs = served.atMs;
        this.#batch.added(true);
      },
      connectionCheckedIn: (event) => {
        const end = this.#next(onCheckedIn, event.address);
        end.connectionId = Number(event.connectionId);
        this.#subscribers.tracker?.noteEnd(end, end.pool?.connections.get(end.connectionId));
        this.#batch.added(true);
      },
      // The driver only emits these two with monitorCommands.
      commandStarted: ({ command, address, connectionId }) => {
        // A retryable write has a txnNumber, too, but not this.
        if (command.autocommit !== false) return;
        this.#batch.flush();
        this.#servers.get(address)?.onTransaction(Number(connectionId), this.#transactions.numberOf(command));
      },
      commandFailed: this.#atOnce((event) =>
        this.#servers.get(event.address)?.onCommandFailed(Number(event.connectionId), event.failure),
      ),
      serverDescriptionChanged: this.#atOnce(({ address, previousDescription, newDescription }) =>
        this.#servers.get(address)?.onServerDescriptionChanged(previousDescription, newDescription),
      ),
    };
    return Object.entries(handlers);
  }

  /**
   * Wraps the handler of an event that is rare, or that the driver emits in one turn with others.
   *
   * @template {any[]} Args
   * @param {(...args: Args) => void} handle
   * @returns {(...args: Args) => void}
   */
  #atOnce(handle) {
    return (...args) => {
      this.#batch.flush();
      handle(...args);
    };
  }

  /** @param {EventHandler} handle @param {string} address */
  #next(handle, address) {
    const batched = this.#batch.next(handle, this.#now());
    batched.pool = this.#poolOf(address);
    return batched;
  }

  /** @param {string} address */
  #poolOf(address) {
    if (this.#recent?.address === address) return this.#recent;
    const pool = this.#servers.get(address) ?? this.#openPool(address);
    this.#recent = pool;
    return pool;
  }

  /** @param {string} address */
  #openPool(address) {
    const pool = new ServerPool(address, this.#name, this.#limits, this.#now, this.#subscribers);
    this.#servers.set(address, pool);
    this.#record?.definePool({ ...pool.identity, ...this.describeClient() });
    return pool;
  }

  /** @param {PoolEvent} event @param {NonNullable<MonitorOptions['record']>} record */
  #recordEvent({ type, atMs, server, checkout, connection, reason, durationMs }, record) {
    if (!checkout) {
      const about = { pool: this.#name, server, connectionId: connection?.id, reason, durationMs };
      if (type !== 'operationFailed') record.writeEvent({ event: /** @type {RareEventType} */ (type), atMs, ...about });
      return;
    }
    const outcome = ENDS[type];
    if (!outcome) return;
    const described = describeCheckout(checkout, atMs, { outcome, reason }, 0);
    // Whether its operation failed is known at the end of this turn.
    queueMicrotask(() =>
      record.write(
        checkout.hasFailed && outcome === 'checkedIn' ? { ...described, outcome: 'operationFailed' } : described,
      ),
    );
  }
}

/** @type {EventHandler} */
const onCheckOutStarted = (start) => start.pool?.onCheckOutStarted(start);
/** @type {EventHandler} */
const onCheckedOut = (served) => served.pool?.onCheckedOut(served);
/** @type {EventHandler} */
const onCheckedIn = (end) => end.pool?.onCheckedIn(end);

/**
 * Sets when an event happened, or when the wait that it ends began. The driver subtracts whole milliseconds, so this
 * does too.
 *
 * @param {BatchedEvent} batched
 * @param {Date} time of the event
 * @param {number | undefined} durationMs of the wait; undefined before driver 6.9
 */
function setStartInterval(batched, time, durationMs) {
  const toMs = Math.floor(batched.atMs);
  // A pause of the process, or a slow listener, may have come between the event and us.
  const lateMs = Math.max(0, Date.now() - time.getTime());
  batched.fromMs = durationMs === undefined ? -Infinity : toMs - DELIVERY_MS - lateMs - durationMs;
  batched.toMs = toMs - (durationMs ?? 0);
  return batched;
}

/** @param {ServerPool[]} pools @returns {PoolSnapshot} */
function summarise(pools) {
  return { ...readGauges(pools), ...summariseLifetime(pools) };
}

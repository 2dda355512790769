import { monitorPool } from '../core/monitor.js';
import { ClientSites } from './client-sites.js';
import { ClientNames } from './pick-client-name.js';

/** @import { MongoClient } from 'mongodb' */
/** @import { PoolMonitor } from '../core/monitor.js' */
/** @import { ServerPool } from '../core/server-pool.js' */
/** @import { EventBatch } from '../core/event-batch.js' */
/** @import { Guard } from '../core/event-batch.js' */

/**
 * A client that is watched.
 * @typedef {object} WatchedClient
 * @property {MongoClient} client
 * @property {PoolMonitor} monitor
 * @property {number} sinceMs when it was found, by performance.now()
 * @property {number | null} replacedMaxPoolSize the app's own maxPoolSize, where another one replaced it
 * @property {boolean} isChosen whether it has the name of the only client whose size is replaced
 */

/** More at once are a leak, and each of them costs memory. */
const MAX_CLIENTS = 100;

/** The clients of the process that are open. */
export class WatchedClients {
  #guard;
  #batch;
  #maxPoolSize;
  #onlyClient;
  #listIgnored;
  #onClient;
  #onChange;
  /** @type {Map<MongoClient, WatchedClient & { leave: () => void }>} */
  #clients = new Map();
  #missed = 0;
  #names = new ClientNames();

  /**
   * @param {object} options
   * @param {Guard} options.guard
   * @param {EventBatch} options.batch
   * @param {number} [options.maxPoolSize] replaces that of each client that has not connected yet
   * @param {string} [options.onlyClient] name of the only client whose size is replaced
   * @param {(client: MongoClient) => string[]} [options.listIgnored] names the options that its driver ignores
   * @param {(watched: WatchedClient) => () => void} options.onClient returns what to call when the client is no longer
   *   watched
   * @param {() => void} options.onChange called when a pool was created, or a client was closed
   */
  constructor({ guard, batch, maxPoolSize, onlyClient, listIgnored = () => [], onClient, onChange }) {
    this.#guard = guard;
    this.#batch = batch;
    this.#maxPoolSize = maxPoolSize;
    this.#onlyClient = onlyClient;
    this.#listIgnored = listIgnored;
    this.#onClient = onClient;
    this.#onChange = onChange;
    /** Where the clients come from, also those that are no longer watched. */
    this.sites = new ClientSites(guard);
  }

  /** How many clients were left because there were too many to watch. */
  get missed() {
    return this.#missed;
  }

  /** @returns {WatchedClient[]} oldest first */
  list() {
    return [...this.#clients.values()];
  }

  /**
   * Watches a client, unless it is watched already. If there are too many, it takes the place of an idle one.
   * @param {MongoClient} client
   */
  add(client) {
    const isNew = this.sites.add(client);
    if (this.#clients.has(client) || !(this.#hasRoom() || (isNew && this.#makeRoom()))) return;
    const events = withGuard(client, this.#guard);
    let name = '';
    /** @type {PoolMonitor | undefined} */
    let monitor = undefined;
    const named = this.#names.give(client, this.sites.placeOf(client), (next) => {
      name = next;
      monitor?.rename(next);
    });
    const isChosen = this.#onlyClient === undefined || named.isCalled(this.#onlyClient);
    // Which of several is meant is not known.
    const isReplaced =
      this.#maxPoolSize !== undefined && isChosen && !(this.#onlyClient && this.list().some((each) => each.isChosen));
    const replacedMaxPoolSize = isReplaced ? replaceMaxPoolSize(client, Number(this.#maxPoolSize)) : null;
    const replaced = replacedMaxPoolSize === null ? undefined : { maxPoolSize: replacedMaxPoolSize };
    const listIgnored = () => this.#listIgnored(client);
    monitor = monitorPool(/** @type {any} */ (events), { batch: this.#batch, name, replaced, listIgnored });
    replayServers(client, events.emit);
    const onPool = this.#guard(this.#onChange);
    const onClosed = this.#guard(() => {
      this.#remove(client);
      this.#onChange();
    });
    client.on('connectionPoolCreated', onPool).on('topologyClosed', onClosed);
    let forget = () => {};
    const watched = {
      client,
      monitor,
      replacedMaxPoolSize,
      isChosen,
      sinceMs: performance.now(),
      leave() {
        monitor.close();
        named.leave();
        forget();
        client.off('connectionPoolCreated', onPool).off('topologyClosed', onClosed);
      },
    };
    this.#clients.set(client, watched);
    forget = this.#onClient(watched);
  }

  close() {
    for (const client of [...this.#clients.keys()]) {
      this.#remove(client);
      this.sites.forget(client);
    }
  }

  #hasRoom() {
    return this.#clients.size < MAX_CLIENTS;
  }

  /** Leaves the client that was used least recently. */
  #makeRoom() {
    this.#missed += 1;
    let oldest;
    let oldestMs = Infinity;
    for (const [client, { monitor, sinceMs }] of this.#clients) {
      const pools = [...monitor.servers.values()];
      if (pools.some(isInUse)) continue;
      const usedMs = Math.max(sinceMs, ...pools.map(({ queue }) => queue.lastStartedMs));
      if (oldest && usedMs >= oldestMs) continue;
      [oldest, oldestMs] = [client, usedMs];
    }
    if (oldest) this.#remove(oldest);
    return oldest !== undefined;
  }

  /** @param {MongoClient} client */
  #remove(client) {
    this.#clients.get(client)?.leave();
    this.#clients.delete(client);
  }
}

/** @param {ServerPool} pool */
function isInUse({ queue: { queued, assigned }, connections }) {
  return queued.length > 0 || assigned.size > 0 || connections.states.active > 0;
}

/**
 * Replaces the maxPoolSize of a client that has not connected yet. The driver copies its options when it connects.
 *
 * @param {any} client
 * @param {number} size
 * @returns {number | null} the size before; null if it is too late
 */
function replaceMaxPoolSize(client, size) {
  if (client.topology) return null;
  const { options } = client.s;
  const before = options.maxPoolSize;
  options.maxPoolSize = size;
  options.minPoolSize = Math.min(options.minPoolSize, size);
  return before;
}

/**
 * Wraps the handlers of a monitor. They run inside the driver, where an error would be the app's.
 *
 * @param {MongoClient} client
 * @param {Guard} guard
 */
function withGuard(client, guard) {
  /** @type {Map<string, any>} by event */
  const handlers = new Map();
  return {
    options: client.options,
    s: /** @type {any} */ (client).s,
    on(/** @type {any} */ event, /** @type {any} */ handler) {
      handlers.set(event, guard(handler));
      client.on(event, handlers.get(event));
    },
    off(/** @type {any} */ event) {
      client.off(event, handlers.get(event));
    },
    /** To the monitor alone. */
    emit: (/** @type {string} */ event, /** @type {object} */ facts) => handlers.get(event)(facts),
  };
}

/**
 * Emits the events that introduce the servers of a client that is already connected.
 *
 * @param {any} client
 * @param {(event: string, facts: object) => void} emit
 */
function replayServers(client, emit) {
  for (const [address, { description }] of client.topology?.s?.servers ?? []) {
    emit('connectionPoolCreated', { address });
    emit('connectionPoolReady', { address, time: new Date() });
    emit('serverDescriptionChanged', {
      address,
      previousDescription: { type: 'Unknown' },
      newDescription: description,
    });
  }
}

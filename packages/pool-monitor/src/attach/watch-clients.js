import { monitorPool } from '../monitor.js';

/** @import { MongoClient } from 'mongodb' */
/** @import { PoolMonitor } from '../monitor.js' */
/** @import { EventBatch } from '../event-batch.js' */
/** @import { Guard } from './guard.js' */

/**
 * A client that is watched.
 * @typedef {object} WatchedClient
 * @property {MongoClient} client
 * @property {PoolMonitor} monitor
 * @property {number | null} replacedMaxPoolSize the app's own maxPoolSize, where another one replaced it
 */

/** More at once are a leak, and each costs memory. */
const MAX_CLIENTS = 100;

/**
 * The clients of the process that are open.
 *
 * @param {object} options
 * @param {Guard} options.guard
 * @param {EventBatch} options.batch
 * @param {number} [options.maxPoolSize] replaces that of each client that has not connected yet
 * @param {(watched: WatchedClient) => () => void} options.onClient returns what to call when the client is no longer watched
 * @param {() => void} options.onChange a pool was created, or a client was closed
 */
export function createWatchedClients({ guard, batch, maxPoolSize, onClient, onChange }) {
  /** @type {Map<MongoClient, WatchedClient & { leave: () => void }>} */
  const clients = new Map();
  let missed = 0;

  /** @param {MongoClient} client */
  function add(client) {
    if (clients.has(client)) return;
    if (!client.options) throw new Error('this MongoDB driver is older than version 4, so it is not watched');
    if (clients.size >= MAX_CLIENTS) {
      missed += 1;
      return;
    }
    const replacedMaxPoolSize = maxPoolSize === undefined ? null : replaceMaxPoolSize(client, maxPoolSize);
    const events = withGuard(client, guard);
    const monitor = monitorPool(/** @type {any} */ (events), { batch, name: pickName(client, [...clients.values()]) });
    replayServers(client, events.emit);
    const onPool = guard(onChange);
    const onClosed = guard(() => {
      remove(client);
      onChange();
    });
    client.on('connectionPoolCreated', onPool).on('topologyClosed', onClosed);
    let forget = () => {};
    const watched = {
      client, monitor, replacedMaxPoolSize,
      leave() {
        monitor.close();
        forget();
        client.off('connectionPoolCreated', onPool).off('topologyClosed', onClosed);
      },
    };
    clients.set(client, watched);
    forget = onClient(watched);
  }

  /** @param {MongoClient} client */
  function remove(client) {
    clients.get(client)?.leave();
    clients.delete(client);
  }

  return {
    add,
    /** @returns {WatchedClient[]} oldest first */
    list: () => [...clients.values()],
    /** How many clients were too many to watch. */
    countMissed: () => missed,
    close() {
      for (const client of [...clients.keys()]) remove(client);
    },
  };
}

/**
 * The driver copies its options when it connects.
 *
 * @param {any} client
 * @param {number} size
 * @returns {number | null} the size before; null where it is too late
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
 * The monitor's handlers run inside the driver: an error there would be the app's.
 *
 * @param {MongoClient} client
 * @param {Guard} guard
 */
function withGuard(client, guard) {
  /** @type {Map<string, any>} by event */
  const handlers = new Map();
  return {
    options: client.options,
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
 * Tells the monitor of the servers of a client that is already connected.
 *
 * @param {any} client
 * @param {(event: string, facts: object) => void} emit
 */
function replayServers(client, emit) {
  for (const [address, { description }] of client.topology?.s?.servers ?? []) {
    emit('connectionPoolCreated', { address });
    emit('connectionPoolReady', { address, time: new Date() });
    emit('serverDescriptionChanged', { address, previousDescription: { type: 'Unknown' }, newDescription: description });
  }
}

/** @param {MongoClient} client @param {WatchedClient[]} others @returns {string | null} null for the first */
function pickName(client, others) {
  if (others.length === 0) return null;
  const names = new Set(others.map(({ monitor }) => monitor.name));
  const { appName } = client.options;
  if (appName && !names.has(appName)) return appName;
  let number = 2;
  while (names.has(`client ${number}`)) number += 1;
  return `client ${number}`;
}

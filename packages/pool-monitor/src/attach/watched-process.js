import { AsyncResource } from 'node:async_hooks';
import { createRequire } from 'node:module';
import path from 'node:path';
import { threadId } from 'node:worker_threads';
import { Checkouts } from '../checkouts.js';
import { EventBatch } from '../event-batch.js';
import { sendProblem } from '../live/answers.js';
import { createLiveView } from '../live/live-view.js';
import { readClientSettings } from '../live/read-clients.js';
import { createRequests } from '../requests.js';
import { findClients } from './find-clients.js';
import { followRequests } from './follow-requests.js';
import { createGuard } from './guard.js';
import { watchListening } from './listen-ports.js';
import { createOwnServer } from './own-server.js';
import { reportTo } from './report-to.js';
import { createWatchedClients } from './watch-clients.js';
import { watchOperations } from './watch-operations.js';

/** @import { IncomingMessage, ServerResponse } from 'node:http' */
/** @import { LiveView } from '../live/live-view.js' */
/** @import { AttachSettings } from './attach-settings.js' */
/** @import { WatchedClient } from './watch-clients.js' */

const { version } = createRequire(import.meta.url)('../../package.json');
const OUTSIDE = 'background';
/** How long the owner may take to come. */
const OWNER_MS = 10_000;
/** Longer than the usual time between two heartbeats, by which a client is found. */
const HEARTBEAT_MS = 12_000;
/** In most apps, fewer happen in the delay. */
const EVENTS_AT_ONCE = 1024;
/** So that two copies of this package don't watch the same process. */
const WATCHED = Symbol.for('mongodb-pool-monitor.watched');
const shared = /** @type {{ [WATCHED]?: ReturnType<typeof createWatch> }} */ (globalThis);

/** What already watches this process. */
export function findWatch() {
  return shared[WATCHED];
}

/**
 * Watches every MongoClient of this process, and shows what it sees on a port of its own once the first one connects.
 *
 * @param {AttachSettings} settings
 * @param {{ owner?: string }} [options] owner: whoever opens this path and leaves again ends the watching
 */
export function watchProcess(settings, options) {
  shared[WATCHED] = createWatch(settings, options);
  return shared[WATCHED];
}

/** @param {AttachSettings} settings @param {{ owner?: string }} [options] see watchProcess */
function createWatch(settings, { owner } = {}) {
  const guard = createGuard((error) => say(`something went wrong, the app is not affected: ${error}`), close);
  /** The app's own async context must not stay alive as long as the server does. */
  const context = new AsyncResource('mongodb-pool-monitor');
  const operations = watchOperations(guard);
  const batch = new EventBatch({ size: EVENTS_AT_ONCE, guard });
  const checkouts = new Checkouts({ outside: OUTSIDE, describe: operations.current, batch });
  const requests = createRequests(checkouts, { serverTiming: settings.serverTiming });
  const ports = new Set();
  let isClosed = false;
  /** @type {NodeJS.Timeout | undefined} */
  let ownerTimer;
  let endSearch = () => {};
  /**
   * Before the first client there is nothing to show, as in most processes that NODE_OPTIONS reaches.
   * @type {{ live: LiveView, url: Promise<string | null> } | undefined}
   */
  let shown;

  const clients = createWatchedClients({
    guard, batch, maxPoolSize: settings.maxPoolSize,
    onClient({ client, monitor }) {
      shown ??= context.runInAsyncScope(show);
      operations.watch(client);
      shown.live.watch(monitor);
      report();
      endSearch();
      return checkouts.watch(monitor);
    },
    onChange() {
      for (const { client } of clients.list()) operations.watch(client);
      report();
    },
  });
  const server = createOwnServer((req, res) => answer(req, res));
  const finder = findClients(clients.add, guard);
  const stops = [
    finder.close, operations.close, followRequests(requests, { guard, isOwn: server.is }),
    ...(settings.reportTo ? [watchListening({
      guard, isOwn: server.is,
      onPort(port) {
        ports.add(port);
        report();
      },
    })] : []),
  ];

  /** @param {IncomingMessage} req @param {ServerResponse} res */
  function answer(req, res) {
    if (owner && req.url === owner) waitForOwner(res);
    else if (!shown?.live.handle(req, res)) sendProblem(res, 404, 'Not Found');
  }

  /** The owner keeps this response open for as long as it wants the process watched. @param {ServerResponse} res */
  function waitForOwner(res) {
    clearTimeout(ownerTimer);
    res.writeHead(200, { 'Content-Type': 'text/plain' }).flushHeaders();
    res.once('close', close);
  }

  function show() {
    if (owner) ownerTimer = setTimeout(close, OWNER_MS).unref();
    return { live: createLiveView({
      listPools: () => clients.list().map(describePool),
      checkouts, requests,
      readStatus: () => readStatus(clients.list()),
      about: () => ({ controls: false, process: describeProcess(), clientsNotWatched: clients.countMissed() }),
      onError: guard((error) => {
        throw error;
      }),
    }, { loopbackOnly: true }), url: open() };
  }

  /** @returns {Promise<string | null>} null if no port can be opened */
  async function open() {
    try {
      const url = await server.listen(settings.port).catch((error) => {
        if (settings.port === 0) throw error;
        say(`port ${settings.port} is not free (${error.code}), so another one is used`);
        return server.listen(0);
      });
      say(`watching ${nameProcess()}: ${url}`);
      return url;
    } catch (error) {
      say(`no port can be opened: ${error}`);
      return null;
    }
  }

  function report() {
    const { reportTo: to } = settings;
    if (to && !isClosed) context.runInAsyncScope(async () => reportTo(to, { ...describeProcess(), url: await shown?.url, ports: [...ports], clients: describeClients() }));
  }

  function describeClients() {
    return clients.list().map(({ client, monitor, replacedMaxPoolSize }) => ({
      name: monitor.name, hosts: listHosts(client), maxPoolSize: client.options.maxPoolSize, replacedMaxPoolSize,
    }));
  }

  function close() {
    if (isClosed) return;
    isClosed = true;
    clearTimeout(ownerTimer);
    endSearch();
    delete shared[WATCHED];
    for (const stop of stops.splice(0)) stop();
    clients.close();
    checkouts.close();
    batch.close();
    shown?.live.close();
    server.close();
  }

  return {
    /** Waits for a sign of life of the clients that are already connected. @returns {Promise<string | null>} null if there was none */
    async search() {
      if (finder.search() && !shown) {
        await new Promise((resolve) => {
          const timer = setTimeout(resolve, HEARTBEAT_MS).unref();
          endSearch = () => {
            clearTimeout(timer);
            resolve(undefined);
          };
        });
      }
      return shown?.url ?? null;
    },
    /** @returns {Promise<string | null>} null before the first client */
    url: async () => shown?.url ?? null,
    close,
  };
}

/** @param {WatchedClient} watched */
function describePool({ client, monitor }) {
  return { name: monitor.name, monitors: [monitor], settings: readClientSettings(client) };
}

/** As the driver sees it: it pauses a pool while it can't reach the server. @param {WatchedClient[]} clients */
function readStatus([main]) {
  const pools = main ? [...main.monitor.servers.values()].filter(({ isClosed }) => !isClosed) : [];
  const reachable = pools.length === 0 || pools.some(({ paused }) => !paused);
  return { reachable, reason: reachable ? null : 'the driver cannot reach the server and has paused the pool' };
}

/** @param {any} client */
function listHosts({ options: { hosts, srvHost } }) {
  return srvHost ? [String(srvHost)] : Array.from(hosts ?? [], String);
}

function describeProcess() {
  const { pid, argv: [, script] } = process;
  return { pid, threadId, node: process.version, command: path.basename(script ?? process.title), monitor: version };
}

function nameProcess() {
  return threadId === 0 ? `process ${process.pid}` : `process ${process.pid}, worker ${threadId}`;
}

/** @param {string} text */
function say(text) {
  process.stderr.write(`mongodb-pool-monitor: ${text}\n`);
}

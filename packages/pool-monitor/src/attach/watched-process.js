import { AsyncResource } from 'node:async_hooks';
import { Checkouts } from '../core/checkouts.js';
import { EventBatch } from '../core/event-batch.js';
import { createRequests } from '../core/requests.js';
import { createServerWatch } from '../core/server-watch.js';
import { findClients } from './find-clients.js';
import { followRequests } from './follow-requests.js';
import { createGuard } from './guard.js';
import { IgnoredOptions } from './ignored-options.js';
import { loadTelemetry } from './load-telemetry.js';
import { nameWork } from './named-work.js';
import { Operations } from './operations.js';
import { createOwnClient, isOwnClient } from './own-client.js';
import { createOwnServer } from './own-server.js';
import { describeProcess, nameProcess, reportProcess, watchListening } from './process-report.js';
import { WatchedClients } from './watched-clients.js';

/** @import { IncomingMessage, ServerResponse } from 'node:http' */
/** @import { LiveView } from 'mongodb-pool-page' */
/** @import { AttachSettings } from './attach-settings.js' */
/** @import { PageModule } from './load-page.js' */
/** @import { WatchedClient } from './watched-clients.js' */

const OUTSIDE = 'the app itself';
/** How long the owner may take to come. */
const OWNER_MS = 10_000;
/** Longer than the usual time between two heartbeats, by which a client is found. */
const HEARTBEAT_MS = 12_000;
/** Size of a batch. Most apps have fewer events within its delay. */
const EVENTS_AT_ONCE = 1024;
/** A client's pool is paused until it has connected, so a pool this new does not show that the server is gone. */
const CONNECTING_MS = 2000;
const WAY_OUT =
  'A bundle must leave mongodb out (esbuild: --external:mongodb, webpack: externals), and the driver must be ' +
  'version 4 or later';
/** Keeps two copies of this package from watching the same process. */
const WATCHED = Symbol.for('mongodb-pool-monitor.watched');
const shared = /** @type {{ [WATCHED]?: ProcessWatch }} */ (globalThis);

/** Returns what is already watching this process. */
export function findWatch() {
  return shared[WATCHED];
}

/**
 * Watches every MongoClient of this process, and shows what it sees on a port of its own once the first one connects.
 *
 * @param {AttachSettings} settings
 * @param {{ page: PageModule, owner?: string }} options owner: a path; when a client that has opened it leaves,
 *   watching ends
 */
export function watchProcess(settings, options) {
  shared[WATCHED] = new ProcessWatch(settings, options);
  return shared[WATCHED];
}

/**
 * What starts when, and who owns what:
 *
 *   at once          ProcessWatch
 *                      finder: patches the driver, finds each client before it connects
 *                      requests: follows each HTTP request of the app
 *                      listening ports, only with reportTo
 *                        │
 *   a client found     clients: a PoolMonitor for each client
 *                        ├─ operations: patches Server.command once there are servers
 *                        └─ checkouts: gets the events of all monitors from one batch
 *                        │
 *   the first client   shown: the live view, and the server on a port of its own
 *                        │
 *   close, owner left, or too many errors in the guard: everything above ends, patches are undone
 */
class ProcessWatch {
  /** Everything that the app or the driver calls runs in it. */
  #guard = createGuard(
    (error) => say(`something went wrong, the app is not affected: ${error}`),
    () => this.close(),
  );
  /** Keeps the app's own async context from staying alive as long as the server does. */
  #context = new AsyncResource('mongodb-pool-monitor');
  #batch = new EventBatch({ size: EVENTS_AT_ONCE, guard: this.#guard });
  #operations = new Operations(this.#guard);
  #ignored = new IgnoredOptions(this.#guard);
  #checkouts = new Checkouts({
    outside: OUTSIDE,
    describe: () => this.#operations.current,
    batch: this.#batch,
  });
  #settings;
  #page;
  #owner;
  #requests;
  #clients;
  /** Asks the server of the first client, while somebody records or looks. */
  #serverWatch = createServerWatch(() => createOwnClient(this.#clients.list()));
  #server = createOwnServer((req, res) => this.#answer(req, res));
  #finder;
  /** @type {(() => void)[]} */
  #stops;
  /** @type {Set<number>} */
  #ports = new Set();
  #isClosed = false;
  /** Why a client is not watched. @type {string | null} */
  #notWatched = null;
  /** @type {NodeJS.Timeout | undefined} */
  #ownerTimer;
  #endSearch = () => {};
  /**
   * Before the first client there is nothing to show, as in most processes that NODE_OPTIONS reaches.
   * @type {{ live: LiveView, url: Promise<string | null> } | undefined}
   */
  #shown;
  /** Only with a client, and if the app's OpenTelemetry wants to know. */
  #telemetry = /** @type {ReturnType<typeof loadTelemetry> | undefined} */ (undefined);

  /** @param {AttachSettings} settings @param {{ page: PageModule, owner?: string }} options see watchProcess */
  constructor(settings, { page, owner }) {
    this.#settings = settings;
    this.#page = page;
    this.#owner = owner;
    const guard = this.#guard;
    this.#requests = createRequests(this.#checkouts, { serverTiming: settings.serverTiming });
    this.#clients = new WatchedClients({
      guard,
      batch: this.#batch,
      maxPoolSize: settings.maxPoolSize,
      onlyClient: settings.onlyClient,
      listIgnored: (client) => this.#ignored.listOf(client),
      onClient: (watched) => this.#onClient(watched),
      onChange: () => this.#onChange(),
    });
    const isOwn = this.#server.is;
    this.#finder = findClients(
      {
        onCreated: (client) => {
          this.#clients.sites.noteCreated(client);
          this.#ignored.noteCreated(client);
        },
        onClient: (client) => {
          if (!isOwnClient(client)) this.#clients.add(client);
        },
        onOld: () => this.#explain('its MongoDB driver is older than version 4. Update the package mongodb'),
        onNone: (port) => this.#explain(`sockets to port ${port}, but no client found. ${WAY_OUT}`),
      },
      guard,
    );
    this.#stops = [
      this.#finder.close,
      () => this.#operations.close(),
      () => this.#ignored.close(),
      followRequests(this.#requests, { guard, isOwn, shortRoutes: settings.shortRoutes }),
      nameWork(this.#checkouts),
      ...(settings.reportTo ? [watchListening({ guard, isOwn, onPort: (port) => this.#onPort(port) })] : []),
    ];
  }

  /**
   * Waits for a sign of life of the clients that are already connected.
   *
   * @returns {Promise<string | null>} the URL of the page; null if there was none
   */
  async search() {
    if (this.#finder.search() && !this.#shown) {
      await new Promise((resolve) => {
        const timer = setTimeout(resolve, HEARTBEAT_MS).unref();
        this.#endSearch = () => {
          clearTimeout(timer);
          resolve(undefined);
        };
      });
    }
    return this.url();
  }

  /** @returns {Promise<string | null>} null before the first client */
  async url() {
    return this.#shown?.url ?? null;
  }

  get notWatched() {
    return this.#notWatched;
  }

  close() {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearTimeout(this.#ownerTimer);
    this.#endSearch();
    delete shared[WATCHED];
    for (const stop of this.#stops.splice(0)) stop();
    this.#clients.close();
    this.#checkouts.close();
    this.#batch.close();
    this.#telemetry?.close();
    this.#shown?.live.close();
    this.#server.close();
    this.#leaveServer();
  }

  /** @param {WatchedClient} watched @returns {() => void} see WatchedClients */
  #onClient({ client, monitor }) {
    this.#shown ??= this.#context.runInAsyncScope(() => this.#show());
    this.#operations.watch(client);
    this.#shown.live.watch(monitor);
    const endTelemetry = this.#telemetry?.watch(monitor);
    this.#report();
    this.#endSearch();
    const endCheckouts = this.#checkouts.watch(monitor);
    return () => {
      endTelemetry?.();
      endCheckouts();
    };
  }

  /** Says once why a client is not watched. @param {string} reason */
  #explain(reason) {
    if (this.#notWatched !== null) return;
    this.#notWatched = reason;
    say(`${nameProcess()} is not watched: ${reason}`);
    this.#report();
  }

  #onChange() {
    // Our connection would keep a process running whose own clients are closed.
    if (this.#clients.list().length === 0) this.#leaveServer();
    for (const { client } of this.#clients.list()) this.#operations.watch(client);
    this.#report();
  }

  #leaveServer() {
    this.#serverWatch.close().catch(() => {});
  }

  /** @param {number} port */
  #onPort(port) {
    this.#ports.add(port);
    this.#report();
  }

  /** @param {IncomingMessage} req @param {ServerResponse} res */
  #answer(req, res) {
    if (this.#owner && req.url === this.#owner) this.#waitForOwner(res);
    else if (!this.#shown?.live.handle(req, res)) this.#page.sendProblem(res, 404, 'Not Found');
  }

  /** The owner keeps this response open for as long as it wants the process watched. @param {ServerResponse} res */
  #waitForOwner(res) {
    clearTimeout(this.#ownerTimer);
    res.writeHead(200, { 'Content-Type': 'text/plain' }).flushHeaders();
    res.once('close', () => this.close());
  }

  #show() {
    if (this.#owner) this.#ownerTimer = setTimeout(() => this.close(), OWNER_MS).unref();
    if (this.#settings.otel) this.#telemetry = this.#openTelemetry();
    const { loopbackOnly, token, history } = this.#settings;
    const clients = this.#clients;
    const page = this.#page;
    const live = page.createLiveView(
      {
        listPools: () =>
          clients.list().map(({ client, monitor }) => ({
            name: monitor.name,
            monitors: [monitor],
            settings: page.readClientSettings(client),
          })),
        checkouts: this.#checkouts,
        requests: this.#requests,
        readStatus: () => readStatus(clients.list()),
        readServerLoad: () => this.#context.runInAsyncScope(() => this.#serverWatch.read()),
        about: () => ({ process: describeProcess(), clientsNotWatched: clients.missed }),
        listClientSites: () => clients.sites.list(),
        onError: this.#guard((error) => {
          throw error;
        }),
      },
      { loopbackOnly, token, history },
    );
    return { live, url: this.#openServer() };
  }

  #openTelemetry() {
    try {
      return loadTelemetry(this.#guard);
    } catch (error) {
      // Everything else works without.
      say(/** @type {Error} */ (error).message);
      return undefined;
    }
  }

  /** @returns {Promise<string | null>} null if no port can be opened */
  async #openServer() {
    const { host, port, reportTo } = this.#settings;
    // Whoever gets the reports tells people.
    const tell = reportTo ? () => {} : say;
    try {
      const url = await this.#server.listen(host, port).catch((error) => {
        if (port === 0) throw error;
        tell(`port ${port} is not free (${error.code}), so another one is used`);
        return this.#server.listen(host, 0);
      });
      tell(`watching ${nameProcess()}: ${url}`);
      return url;
    } catch (error) {
      say(`no port can be opened: ${error}`);
      return null;
    }
  }

  #report() {
    const { reportTo } = this.#settings;
    if (!reportTo || this.#isClosed) return;
    this.#context.runInAsyncScope(async () =>
      reportProcess(reportTo, {
        pageUrl: await this.#shown?.url,
        ports: this.#ports,
        clients: this.#clients.list(),
        notWatched: this.#notWatched,
      }),
    );
  }
}

/**
 * Reads the status as the driver sees it, which pauses a pool while it can't reach the server.
 * @param {WatchedClient[]} clients
 */
export function readStatus(clients) {
  const settledMs = performance.now() - CONNECTING_MS;
  const main = clients.find(({ sinceMs }) => sinceMs <= settledMs);
  const pools = main ? [...main.monitor.servers.values()].filter(({ isClosed }) => !isClosed) : [];
  const reachable = pools.length === 0 || pools.some(({ paused }) => !paused);
  return { reachable, reason: reachable ? null : 'the driver cannot reach the server and has paused the pool' };
}

/** @param {string} text */
function say(text) {
  process.stderr.write(`mongodb-pool-monitor: ${text}\n`);
}

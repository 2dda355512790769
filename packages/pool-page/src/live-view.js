import { sampleServiceTimes } from 'mongodb-pool-monitor';
import { secure, sendJson, sendProblem, sendText } from './answers.js';
import { Feed } from './feed.js';
import { HistoryFile } from './history-file.js';
import { createAccess } from './access.js';
import { HAS_PREDICTOR, PageFiles } from './page-files.js';
import { PoolMetrics } from './pool-metrics.js';
import { CONTENT_TYPE } from './prometheus.js';
import { readClient, sumGauges } from './read-clients.js';
import { renderRecentTrace } from './recent-trace.js';
import { createStreams } from './streams.js';

/** @import { IncomingMessage, ServerResponse } from 'node:http' */
/** @import { PoolMonitor } from 'mongodb-pool-monitor' */
/** @import { LiveSource, WatchedPool } from './live-source.js' */
/** @import { Extension } from './page-files.js' */

/** @typedef {(req: IncomingMessage, res: ServerResponse, query: URLSearchParams) => unknown} PathHandler */

/**
 * The live view of an app's pools on plain node:http: the page, what it needs, and metrics for Prometheus.
 *
 * @param {LiveSource} source
 * @param {object} [options]
 * @param {boolean} [options.loopbackOnly] refuses requests whose Host is not loopback, where the app listens on no
 *   other address
 * @param {string} [options.token] refuses requests without it
 * @param {{ file: string, maxBytes: number }} [options.history] a file with the requests that waited longest
 * @param {Extension} [options.extension] what the app adds to the page
 */
export function createLiveView(source, options) {
  return new LiveView(source, options);
}

export class LiveView {
  #source;
  #refuse;
  #files;
  #metrics;
  #streams;
  #historyFile;
  #feed;
  /** Handlers by path. @type {Record<string, PathHandler>} */
  #answers;

  /**
   * @param {LiveSource} source
   * @param {Parameters<typeof createLiveView>[1]} [options] see createLiveView
   */
  constructor(source, { loopbackOnly = false, token, history, extension } = {}) {
    const { listPools, checkouts, requests, readServerLoad, onReader } = source;
    this.#source = source;
    this.#refuse = createAccess({ loopbackOnly, token });
    this.#files = new PageFiles(extension);
    const metrics = new PoolMetrics(() => listPools().flatMap(({ monitors }) => monitors));
    requests.onEnd((request) => metrics.observeRequest(request));
    this.#metrics = metrics;
    const streams = createStreams((send) => {
      send('history', { seconds: this.#feed.history });
      send('notes', this.#feed.notes);
      onReader?.(send);
    });
    this.#streams = streams;
    const file = history && new HistoryFile(source, history);
    this.#historyFile = file;
    this.#feed = new Feed(source, streams, (second) => {
      if (file?.isWanted(second)) file.write(second, this.#describeClients());
    });
    this.#answers = {
      '/pool': (req, res) => sendJson(res, this.#describePool()),
      '/pool/events': streams.open,
      '/pool/checkouts': (req, res, query) => sendRecords(res, query, 'checkouts', checkouts),
      '/pool/open': (req, res) => sendJson(res, { checkouts: checkouts.listOpen() }),
      '/pool/requests': (req, res, query) => sendRecords(res, query, 'requests', requests.log),
      '/pool/connections': (req, res, query) => sendRecords(res, query, 'connections', checkouts.events),
      '/pool/trace': (req, res) => this.#sendTrace(res),
      '/pool/seconds': (req, res, query) => sendRecords(res, query, 'seconds', this.#feed),
      '/metrics': (req, res) => sendText(res, metrics.render(), CONTENT_TYPE),
      ...(readServerLoad && {
        '/pool/server': (/** @type {unknown} */ req, /** @type {ServerResponse} */ res) =>
          this.#sendServerLoad(res, readServerLoad),
      }),
    };
  }

  /**
   * @param {IncomingMessage} req
   * @param {ServerResponse} res
   * @returns {boolean} whether it answers the request
   */
  handle(req, res) {
    if (this.#refuse(req, res)) return true;
    if (req.method !== 'GET' && req.method !== 'HEAD') return false;
    const [pathname, query] = String(req.url).split('?');
    const answer = Object.hasOwn(this.#answers, pathname) ? this.#answers[pathname] : undefined;
    const sendFile = answer ? undefined : this.#files.find(pathname);
    if (!answer && !sendFile) return false;
    secure(res);
    try {
      if (sendFile) return sendFile(req, res);
      answer?.(req, res, new URLSearchParams(query));
    } catch (error) {
      const { onError } = this.#source;
      if (!onError) throw error;
      onError(error);
      if (res.headersSent) res.destroy();
      else sendProblem(res, 500, 'Internal Server Error');
    }
    return true;
  }

  /**
   * Counts what happens to a client in /metrics from now on. Call it before the client connects.
   * @param {PoolMonitor} monitor
   */
  watch(monitor) {
    this.#metrics.watch(monitor);
  }

  /** Sends to all pages. @param {string} event @param {unknown} data */
  send(event, data) {
    this.#streams.send(event, data);
  }

  /** Ends all streams, which would keep a server open. */
  close() {
    this.#feed.close();
    this.#historyFile?.close();
    this.#streams.close();
  }

  /**
   * `GET /pool`: the gauges, who holds connections, and who waits; first of the main pool, then of each client. A
   * prediction needs `services`, `overhead` and `settings`.
   */
  #describePool() {
    const { listPools, checkouts, requests, readStatus, listQueries, listClientSites, about } = this.#source;
    const clients = listPools().map((each) => ({
      ...readClient(each),
      settings: each.settings,
      ...readFacts(each),
      ...readLifetime(each),
      ...readFormerNames(each),
    }));
    const { features, settings, ...more } = about();
    return {
      atMs: Date.now(),
      database: readStatus(),
      queries: listQueries?.() ?? {},
      ...clients[0],
      ...more,
      features: { ...features, predictions: HAS_PREDICTOR },
      services: sampleServiceTimes(checkouts.list()),
      overhead: requests.sampleOverhead(),
      settings: { ...clients[0]?.settings, ...settings },
      clients,
      clientSites: listClientSites?.() ?? [],
    };
  }

  #describeClients() {
    return this.#source.listPools().map((watched) => ({ ...readClient(watched), ...readFacts(watched) }));
  }

  /** `GET /pool/trace`: the last minute, if there was a checkout. @param {ServerResponse} res */
  #sendTrace(res) {
    const seconds = this.#feed.history;
    const clients = this.#describeClients();
    const { max } = sumGauges(this.#source.listPools());
    const text = renderRecentTrace(this.#source, { clients, seconds, max });
    if (text === null) res.writeHead(204).end();
    else sendText(res, text, 'application/jsonl; charset=utf-8');
  }

  /**
   * `GET /pool/server`: the load of the server behind the pool, read now. It takes no connection from the pool. A value
   * is null where the server does not tell.
   * @param {ServerResponse} res
   * @param {NonNullable<LiveSource['readServerLoad']>} read
   */
  async #sendServerLoad(res, read) {
    const { reachable, reason } = this.#source.readStatus();
    try {
      if (reachable) sendJson(res, await read());
      else sendProblem(res, 503, 'MongoDB is unreachable', String(reason));
    } catch (error) {
      sendProblem(res, 503, 'MongoDB is unreachable', error instanceof Error ? error.message : undefined);
    }
  }
}

/**
 * `GET /pool/checkouts?after=ID` and the like: those that ended after that id, and how many are forgotten.
 *
 * @param {ServerResponse} res
 * @param {URLSearchParams} query
 * @param {string} name
 * @param {{ list: (from: { after: number }) => unknown[], lastId: number, countForgotten: (after: number) => number }}
 *   log
 */
function sendRecords(res, query, name, log) {
  const [text = '0', another] = query.getAll('after');
  if (another !== undefined || !/^\d{1,15}$/.test(text)) {
    sendProblem(res, 400, 'Bad Request', `after must be the id in ${name} to start after, a whole number`);
    return;
  }
  const after = Number(text);
  sendJson(res, { [name]: log.list({ after }), lastId: log.lastId, forgotten: log.countForgotten(after) });
}

/** What the current client is like, without its secrets. @param {WatchedPool} watched */
function readFacts({ monitors }) {
  return monitors[monitors.length - 1].describeClient();
}

/** A recording that knows a client by such a name goes on with it. @param {WatchedPool} watched */
function readFormerNames({ monitors }) {
  const { formerNames } = monitors[monitors.length - 1];
  return formerNames.length > 0 ? { formerNames } : {};
}

/**
 * Counts since the current client replaced the one before. /metrics counts since the app's start.
 * @param {WatchedPool} watched
 */
function readLifetime({ monitors }) {
  const { wait, use, connect, checkedOut, operationsFailed, checkOutFailed, created, closed, cleared } =
    monitors[monitors.length - 1].snapshot().totals;
  return { wait, use, connect, checkedOut, operationsFailed, checkOutFailed, created, closed, cleared };
}

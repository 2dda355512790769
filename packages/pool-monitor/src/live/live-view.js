import { sampleServiceTimes } from '../index.js';
import { secure, sendJson, sendProblem, sendText } from './answers.js';
import { createFeed } from './feed.js';
import { namesLoopback } from './loopback.js';
import { findPageFile, HAS_PREDICTOR, sendFile } from './page-files.js';
import { createMetrics } from './pool-metrics.js';
import { CONTENT_TYPE } from './prometheus.js';
import { readClient } from './read-clients.js';
import { createStreams } from './streams.js';

/** @import { IncomingMessage, ServerResponse } from 'node:http' */
/** @import { LiveSource, WatchedPool } from './live-source.js' */

/** @typedef {ReturnType<typeof createLiveView>} LiveView */

/**
 * The live view of an app's pools on plain node:http: the page, what it needs, and metrics for Prometheus.
 *
 * @param {LiveSource} source
 * @param {object} [options]
 * @param {boolean} [options.loopbackOnly] refuses requests whose Host is not loopback, where the app listens on no other
 *   address
 */
export function createLiveView(source, { loopbackOnly = false } = {}) {
  const { listPools, checkouts, requests, readStatus, readServerLoad, listQueries, about, onReader, onError } = source;
  const metrics = createMetrics(() => listPools().flatMap(({ monitors }) => monitors));
  requests.onEnd(metrics.observeRequest);
  const streams = createStreams((send) => {
    send('history', { seconds: feed.history() });
    onReader?.(send);
  });
  const feed = createFeed(source, streams);

  /** @type {Record<string, (req: IncomingMessage, res: ServerResponse, query: URLSearchParams) => unknown>} */
  const answers = {
    '/pool': (req, res) => sendJson(res, describePool()),
    '/pool/events': streams.open,
    '/pool/checkouts': (req, res, query) => sendRecords(res, query, 'checkouts', checkouts),
    '/pool/requests': (req, res, query) => sendRecords(res, query, 'requests', requests.log),
    '/metrics': (req, res) => sendText(res, metrics.render(), CONTENT_TYPE),
    ...(readServerLoad && {
      '/pool/server': (/** @type {unknown} */ req, /** @type {ServerResponse} */ res) => sendServerLoad(res, readServerLoad),
    }),
  };

  /**
   * `GET /pool`: the gauges, who holds connections, and who waits; first of the main pool, then of each client. A
   * prediction needs `services`, `overhead` and `settings`.
   */
  function describePool() {
    const pools = listPools();
    const clients = pools.map((each) => ({ ...readClient(each), settings: each.settings, ...readLifetime(each) }));
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
    };
  }

  /**
   * `GET /pool/server`: the load of the server behind the pool, read now. It takes no connection from the pool. A value is
   * null where the server does not tell.
   * @param {ServerResponse} res
   * @param {NonNullable<LiveSource['readServerLoad']>} read
   */
  async function sendServerLoad(res, read) {
    const { reachable, reason } = readStatus();
    try {
      if (reachable) sendJson(res, await read());
      else sendProblem(res, 503, 'MongoDB is unreachable', String(reason));
    } catch (error) {
      sendProblem(res, 503, 'MongoDB is unreachable', error instanceof Error ? error.message : undefined);
    }
  }

  return {
    /**
     * @param {IncomingMessage} req
     * @param {ServerResponse} res
     * @returns {boolean} whether it answers the request
     */
    handle(req, res) {
      if (loopbackOnly && !namesLoopback(req.headers.host)) {
        secure(res);
        sendProblem(res, 403, 'Forbidden', 'only under the name of this machine: 127.0.0.1 or localhost');
        return true;
      }
      if (req.method !== 'GET' && req.method !== 'HEAD') return false;
      const [pathname, query] = String(req.url).split('?');
      const answer = Object.hasOwn(answers, pathname) ? answers[pathname] : undefined;
      const file = answer ? null : findPageFile(pathname);
      if (!answer && !file) return false;
      secure(res);
      try {
        if (file) return sendFile(req, res, file);
        answer?.(req, res, new URLSearchParams(query));
      } catch (error) {
        if (!onError) throw error;
        onError(error);
        if (res.headersSent) res.destroy();
        else sendProblem(res, 500, 'Internal Server Error');
      }
      return true;
    },
    /** Counts what happens to a client in /metrics from now on. Call it before the client connects. */
    watch: metrics.watch,
    /** Sends to all pages. @type {typeof streams.send} */
    send: streams.send,
    /** Ends all streams, which would keep a server open. */
    close() {
      feed.close();
      streams.close();
    },
  };
}

/**
 * `GET /pool/checkouts?after=ID` and `/pool/requests?after=ID`: those that ended after that id, and how many are forgotten.
 *
 * @param {ServerResponse} res
 * @param {URLSearchParams} query
 * @param {'checkouts' | 'requests'} name
 * @param {LiveSource['checkouts'] | LiveSource['requests']['log']} log
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

/**
 * Counts since the current client replaced the one before. /metrics counts since the app's start.
 * @param {WatchedPool} watched
 */
function readLifetime({ monitors }) {
  const {
    wait, use, connect, checkedOut, operationsFailed, checkOutFailed, created, closed, cleared,
  } = monitors[monitors.length - 1].snapshot().totals;
  return { wait, use, connect, checkedOut, operationsFailed, checkOutFailed, created, closed, cleared };
}

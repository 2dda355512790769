import { Checkouts } from 'mongodb-pool-monitor';
import { createApp } from './app.js';
import { createConcurrencyLimit } from './http/concurrency-limit.js';
import { createToken } from './http/controls-token.js';
import { listen } from './http/listen.js';
import { createRequests } from './http/requests.js';
import { isLoopback } from './http/same-origin.js';
import { createLoadTests } from './live/load-test-runner.js';
import { createFeed } from './live/pool-feed.js';
import { createStreams } from './live/streams.js';
import { createTraffic } from './live/traffic.js';
import { createMetrics } from './metrics.js';
import { openDatabase } from './mongo/database.js';
import { openMongo } from './mongo/open.js';

/**
 * Starts MongoDB, the shared client, the app and the server, in this order. Adds a closer for each to `closers`. Call
 * them in reverse order, also after a failed or aborted start.
 *
 * @param {import('./settings.js').Settings} settings
 * @param {object} options
 * @param {import('pino').Logger} options.log
 * @param {(() => unknown)[]} options.closers
 * @param {AbortSignal} options.signal aborts the start
 * @param {(error: Error) => void} [options.onMongoDeath] the embedded MongoDB ended unexpectedly
 * @returns {Promise<string>} the app's URL
 */
export async function start(settings, { log, closers, signal, onMongoDeath = () => {} }) {
  const opening = openMongo(settings, { report: (line) => log.info(line), signal });
  closers.push(() => opening.then((mongo) => mongo.stop(), () => {}));
  const mongo = await opening;
  mongo.died?.then(onMongoDeath);
  signal.throwIfAborted();
  const checkouts = new Checkouts();
  const metrics = createMetrics(() => (
    database.clients.flatMap(({ handles }) => handles.map(({ monitor }) => monitor))));
  const database = await openDatabase(mongo.url, settings, (monitor) => {
    checkouts.watch(monitor);
    metrics.watch(monitor);
  });
  closers.push(database.close);
  log.info(`MongoDB ${database.version}, ${settings.mongoUrl ? 'from MONGO_URL' : 'embedded (set MONGO_URL to use another one)'}`);
  log.info(describePools(database, settings));

  let url = '';
  const ownUrl = () => url;
  const load = { slowMs: settings.slowMs };
  const requests = createRequests(checkouts);
  requests.onEnd(metrics.observeRequest);
  const streams = createStreams((send) => {
    send('history', { seconds: feed.history() });
    for (const test of loadTests.list()) send('load-test', test);
  });
  const feed = createFeed({ database, load, requests, streams });
  closers.push(feed.close);
  const loadTests = createLoadTests({
    ownUrl,
    readLoad: () => ({ poolSize: database.main.current.client.options.maxPoolSize, ...load }),
    isPlain: !settings.slowPoolSize && !settings.slowConcurrency && settings.slowQuery === 'sleep',
    onChange: (test) => streams.send('load-test', test),
  });
  const controls = chooseControls(settings);
  const server = await listen(createApp({
    database, load, slowLimit: createConcurrencyLimit(settings.slowConcurrency), checkouts, metrics, requests,
    requestTimeoutMs: settings.requestTimeoutMs, requestLimit: createConcurrencyLimit(settings.maxRequests),
    streams, loadTests, traffic: createTraffic(ownUrl, log), controls, log,
  }), settings);
  // Streams and load tests would keep the server open, so they end first.
  closers.push(server.close, streams.close, loadTests.close);
  url = server.url;
  log.info(`listening on ${url}`);
  if (controls.token && !settings.controlsToken) log.info(`to use the page's controls, open ${url}/#token=${controls.token}`);
  return url;
}

/** @param {import('./mongo/database.js').Database} database @param {import('./settings.js').Settings} settings */
function describePools({ main }, { poolSize, slowPoolSize, slowConcurrency, slowQuery }) {
  const { maxPoolSize } = main.current.client.options;
  return [
    poolSize ? `maxPoolSize ${poolSize}` : `maxPoolSize ${maxPoolSize || 'unlimited'} (MONGO_POOLSIZE is unset)`,
    ...(slowPoolSize ? [`${slowPoolSize} for /slow`] : []),
    ...(slowConcurrency ? [`at most ${slowConcurrency} requests of /slow at once`] : []),
    ...(slowQuery === 'work' ? ['/slow costs the server processor time'] : []),
  ].join(', ');
}

/** @param {import('./settings.js').Settings} settings */
function chooseControls({ controls, controlsToken, host }) {
  const loopback = isLoopback(host);
  const enabled = controls === 'on' || (controls === 'auto' && loopback);
  const madeUp = enabled && !loopback ? createToken() : undefined;
  return { enabled, anyHost: !loopback, token: controlsToken ?? madeUp };
}

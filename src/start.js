import { Checkouts, EventBatch, createRequests } from 'mongodb-pool-monitor';
import { createLiveView, isLoopback } from 'mongodb-pool-page';
import { createApp } from './app.js';
import { createConcurrencyLimit } from './http/concurrency-limit.js';
import { listen } from './http/listen.js';
import { createToken } from './base/random-token.js';
import { CONTROLS, createAppSource } from './live/app-source.js';
import { MAX_SLOW_MS, createTraffic } from './routes/control-routes.js';
import { LoadTests } from './load-tests/load-test-runner.js';
import { chooseSocketTimeout } from './mongo/client.js';
import { Database } from './mongo/database.js';
import { openMongo } from './mongo/embedded.js';
import { watchOpenFiles } from './process/open-files.js';

/** @import { Settings } from './settings.js' */

/** Size of a batch. In most loads, fewer events happen before somebody reads them. */
const EVENTS_AT_ONCE = 1024;

/**
 * Starts MongoDB, the shared client, the app and the server, in this order. Adds a closer for each to `closers`. Call
 * them in reverse order, also after a failed or aborted start.
 *
 * @param {Settings} settings
 * @param {object} options
 * @param {import('pino').Logger} options.log
 * @param {(() => unknown)[]} options.closers
 * @param {AbortSignal} options.signal aborts the start
 * @param {(error: Error) => void} [options.onMongoDeath] the embedded MongoDB ended unexpectedly
 * @returns {Promise<string>} the app's URL
 */
export async function start(settings, { log, closers, signal, onMongoDeath = () => {} }) {
  const opening = openMongo(settings, { report: (line) => log.info(line), signal });
  closers.push(async () => (await opening.catch(() => null))?.stop());
  const mongo = await opening;
  mongo.died?.then(onMongoDeath);
  signal.throwIfAborted();

  const batch = new EventBatch({ size: EVENTS_AT_ONCE });
  const controls = chooseControls(settings);
  const socketTimeoutMs = chooseSocketTimeout(settings, controls.enabled ? MAX_SLOW_MS : 0);
  const database = new Database(mongo.url, { ...settings, socketTimeoutMs }, batch);
  closers.push(() => database.close());
  const load = { slowMs: settings.slowMs };
  // The port is known only once the app is listening.
  let ownUrl = '';
  const checkouts = new Checkouts({ batch });
  const loadTests = new LoadTests({
    ownUrl: () => ownUrl,
    readLoad: () => ({ poolSize: database.main.current.client.options.maxPoolSize, ...load }),
    isPlain: !settings.slowPoolSize && !settings.slowConcurrency && settings.slowQuery === 'sleep',
  });
  const state = {
    database,
    load,
    checkouts,
    loadTests,
    requests: createRequests(checkouts, { serverTiming: true }),
    controls,
    slowLimit: createConcurrencyLimit(settings.slowConcurrency),
    requestTimeoutMs: settings.requestTimeoutMs,
    requestLimit: createConcurrencyLimit(settings.maxRequests),
  };
  const live = createLiveView(createAppSource(state), { extension: CONTROLS });
  closers.push(() => live.close());
  loadTests.on('change', (test) => live.send('load-test', test));
  // Before the clients connect, so that /metrics counts their first connections too.
  database.onMonitor((monitor) => {
    checkouts.watch(monitor);
    live.watch(monitor);
  });
  await database.connect();
  const origin = settings.mongoUrl ? 'from MONGO_URL' : `embedded at ${mongo.url} (set MONGO_URL to use another one)`;
  log.info(`MongoDB ${database.main.version}, ${origin}`);
  log.info(describePools(database, settings));

  const sendTraffic = createTraffic(() => ownUrl, log);
  const server = await listen(createApp({ ...state, live, sendTraffic, log }), settings);
  // Streams and load tests would keep the server open, so they end first.
  closers.push(
    server.close,
    () => live.close(),
    () => loadTests.close(),
  );
  closers.push(watchOpenFiles(log));
  ownUrl = server.url;
  log.info(`listening on ${server.url}`);
  const { token } = state.controls;
  if (token && !settings.controlsToken) log.info(`to use the page's controls, open ${server.url}/#token=${token}`);
  return server.url;
}

/** @param {Database} database @param {Settings} settings */
function describePools({ main }, { poolSize, slowPoolSize, slowConcurrency, slowQuery }) {
  const { maxPoolSize } = main.current.client.options;
  return [
    poolSize ? `maxPoolSize ${poolSize}` : `maxPoolSize ${maxPoolSize || 'unlimited'} (MONGO_POOLSIZE is unset)`,
    ...(slowPoolSize ? [`${slowPoolSize} for /slow`] : []),
    ...(slowConcurrency ? [`at most ${slowConcurrency} requests of /slow at once`] : []),
    ...(slowQuery === 'work' ? ['/slow costs the server CPU time'] : []),
  ].join(', ');
}

/** @param {Settings} settings */
function chooseControls({ controls, controlsToken, host }) {
  const loopback = isLoopback(host);
  const enabled = controls === 'on' || (controls === 'auto' && loopback);
  const madeUp = enabled && !loopback ? createToken() : undefined;
  return { enabled, anyHost: !loopback, token: controlsToken ?? madeUp };
}

import { Checkouts, createRequests } from 'mongodb-pool-monitor';
import { createLiveView, isLoopback } from 'mongodb-pool-monitor/live';
import { createApp } from './app.js';
import { createConcurrencyLimit } from './http/concurrency-limit.js';
import { createToken } from './http/controls-token.js';
import { listen } from './http/listen.js';
import { createLabSource } from './live/lab-source.js';
import { createLoadTests } from './live/load-test-runner.js';
import { createTraffic } from './live/traffic.js';
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
  const requests = createRequests(checkouts, { serverTiming: true });
  const load = { slowMs: settings.slowMs };
  let url = '';
  const ownUrl = () => url;
  const loadTests = createLoadTests({
    ownUrl,
    readLoad: () => ({ poolSize: database.main.current.client.options.maxPoolSize, ...load }),
    isPlain: !settings.slowPoolSize && !settings.slowConcurrency && settings.slowQuery === 'sleep',
    onChange: (test) => live.send('load-test', test),
  });
  const controls = chooseControls(settings);
  const lab = {
    database: /** @type {import('./mongo/database.js').Database | undefined} */ (undefined), load, checkouts, requests, loadTests, controls, slowLimit: createConcurrencyLimit(settings.slowConcurrency),
    requestTimeoutMs: settings.requestTimeoutMs, requestLimit: createConcurrencyLimit(settings.maxRequests),
  };
  const live = createLiveView(createLabSource(lab));
  closers.push(live.close);
  const database = await openDatabase(mongo.url, settings, (monitor) => {
    checkouts.watch(monitor);
    live.watch(monitor);
  });
  lab.database = database;
  closers.push(database.close);
  log.info(`MongoDB ${database.version}, ${settings.mongoUrl ? 'from MONGO_URL' : `embedded at ${mongo.url} (set MONGO_URL to use another one)`}`);
  log.info(describePools(database, settings));

  const server = await listen(createApp({ ...lab, database, live, traffic: createTraffic(ownUrl, log), log }), settings);
  // Streams and load tests would keep the server open, so they end first.
  closers.push(server.close, live.close, loadTests.close);
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

import closeWithGrace from 'close-with-grace';
import { createApp } from './app.js';
import { listen } from './listen.js';
import { createLogger } from './logger.js';
import { connectClient, createClient } from './mongo/client.js';
import { customersOf, seedCustomers } from './mongo/data.js';
import { openMongo } from './mongo/open.js';
import { watchReadiness } from './mongo/readiness.js';
import { createSlowQuery } from './mongo/slow-query.js';
import { renderSettingsHelp } from './settings-docs.js';
import { readSettings } from './settings.js';

const HELP = `npm start: the demo app, an Express server with one shared MongoClient

Routes: /slow /fast /pool /livez /readyz
Settings, from the environment or from a file .env (the environment wins):
${renderSettingsHelp()}
`;

/**
 * Start everything in order. What has been started is put on `closers`, to be closed in reverse, also when the
 * start is cut short.
 *
 * @param {import('./settings.js').Settings} settings
 * @param {(() => Promise<unknown>)[]} closers
 */
async function start(settings, closers) {
  const log = createLogger(settings.logLevel);

  const mongo = await openMongo(settings, (line) => log.info(line));
  closers.push(mongo.stop);
  const client = createClient(mongo.url, settings);
  closers.push(() => client.close());
  const isReady = watchReadiness(client);
  const serverVersion = await connectClient(client);
  const runSlowQuery = createSlowQuery(client);
  // The first requests that people measure should not pay for the first connection and the first query of a kind.
  await Promise.all([seedCustomers(client), runSlowQuery(1)]);
  log.info(`MongoDB ${serverVersion}, ${settings.mongoUrl ? 'from MONGO_URL' : 'embedded (set MONGO_URL for another)'}`);
  log.info(describePool(client, settings));

  const app = createApp({
    client, customers: customersOf(client), runSlowQuery, slowMs: settings.slowMs, isReady, serverVersion, log,
  });
  const server = await listen(app, settings);
  closers.push(server.close);
  log.info(`listening on ${server.url}`);
  process.send?.({ url: server.url });
}

/**
 * @param {import('mongodb').MongoClient} client
 * @param {import('./settings.js').Settings} settings
 */
function describePool({ options }, { poolSize }) {
  if (poolSize) return `maxPoolSize ${poolSize}`;
  return `maxPoolSize ${options.maxPoolSize || 'unlimited'}: MONGO_POOLSIZE is unset, so the driver or MONGO_URL decides`;
}

/** @param {unknown} error */
function fail(error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}

/** @param {import('./settings.js').Settings} settings */
async function run(settings) {
  /** @type {(() => Promise<unknown>)[]} */
  const closers = [];
  const closeAll = async () => {
    while (closers.length > 0) await closers.pop()?.();
  };
  const { close, uninstall } = closeWithGrace({ delay: settings.shutdownTimeoutMs }, async ({ err }) => {
    if (err) fail(err);
    await closeAll();
  });
  // A parent process that started the app asks it to stop by letting go of it, and so does one that dies.
  process.once('disconnect', close);
  try {
    await start(settings, closers);
  } catch (error) {
    fail(error);
    uninstall();
    await closeAll();
    process.disconnect?.();
  }
}

if (process.argv.includes('--help')) {
  process.stdout.write(HELP);
} else {
  try {
    await run(readSettings());
  } catch (error) {
    fail(error);
  }
}

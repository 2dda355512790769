import { PoolClient } from 'mongodb-pool-page/client';
import { poll, repeatUntil } from '../../base/poll.js';
import { startApp } from '../../harness/app-process.js';
import { BUSY_MACHINE } from '../../report/machine.js';
import { addLatency } from '../../harness/latency.js';
import { sendRequests } from '../../harness/loads/open-loop.js';
import { warmUp } from '../../harness/warm-up.js';
import { isBusyMachine } from './criterion.js';
import { refuses, summariseAnswers } from './remedies-figures.js';
import { createClient } from '../../../src/mongo/client.js';

/** @import { Context, Measurement } from '../../harness/run-lab.js' */
/** @import { RemediesPlan, RemedyVariant } from './remedies-lab.js' */
/** @import { RemedyFigures } from './remedies-figures.js' */

/** Most connections that the warm-up opens. A larger pool opens the others when it needs them. */
const MAX_OPENED = 20;
/** Pauses between two looks at the app's pool, and at the server's connections. */
const POOL_EVERY_MS = 50;
const SERVER_EVERY_MS = 200;
/**
 * The user's environment must not give a remedy to the apps that have none. Only a burst's pool takes
 * MONGO_MAX_CONNECTING.
 */
const NO_REMEDY = {
  MONGO_MIN_POOLSIZE: '',
  MONGO_MAX_CONNECTING: '',
  MONGO_WAIT_QUEUE_TIMEOUT_MS: '',
  SLOW_POOLSIZE: '',
  SLOW_CONCURRENCY: '',
};

/**
 * @param {RemedyVariant} variant
 * @param {RemediesPlan} plan
 * @param {Context} context
 * @returns {Promise<Measurement<RemedyFigures>>}
 */
export async function measureRemedy(variant, plan, context) {
  // On loopback connections open too fast for anybody to wait.
  const rttMs = variant.settings.load === 'burst' ? plan.settings.rttMs : 0;
  const { url, close } = await addLatency(context.mongoUrl, context.settings, rttMs);
  return measureAt(url, variant, plan, context).finally(close);
}

/**
 * @param {string} mongoUrl for the app
 * @param {RemedyVariant} variant
 * @param {RemediesPlan} plan
 * @param {Context} context
 * @returns {Promise<Measurement<RemedyFigures>>}
 */
async function measureAt(mongoUrl, { name, settings: { remedy, load, env } }, plan, context) {
  const { slowMs, patienceMs } = plan.settings;
  const appName = `remedies-${process.pid}-${name.replaceAll(/\W+/g, '-')}`;
  const app = await startApp(
    {
      MONGO_URL: mongoUrl,
      MONGO_APP_NAME: appName,
      SLOW_MS: String(slowMs),
      // When the load has ended, nobody waits for the queries that are left.
      SHUTDOWN_TIMEOUT_MS: '1',
      ...NO_REMEDY,
      ...Object.fromEntries(Object.entries(env).map(([key, value]) => [key, String(value)])),
    },
    { signal: context.signal },
  );
  const { signal } = app;
  try {
    // A burst must meet a pool that is not warm.
    const { unloaded } = await warmUp(app.url, load === 'burst' ? 1 : Math.min(env.MONGO_POOLSIZE, MAX_OPENED));
    await waitUntilOpen(app.url, env.MONGO_MIN_POOLSIZE ?? 0, signal);
    const { outcome, connections, problem } = await countConnections({ ...context, appName }, () =>
      sendRequests(plan.requests[load], { url: app.url, patienceMs, signal }),
    );
    const { connect } = await new PoolClient(app.url).snapshot();
    const figures = summariseAnswers(outcome, refuses(remedy));
    const isBusy = load === 'customers' && isBusyMachine({ ...figures, unloaded });
    return {
      measured: { ...figures, connections, unloaded: { ...unloaded, connectMs: connect.p50Ms } },
      warnings: [
        ...(problem ? [`the server does not say how many connections it has: ${problem}`] : []),
        ...(isBusy ? [`${BUSY_MACHINE}: customers wait although no administrator is there`] : []),
      ],
    };
  } finally {
    await app.stop();
  }
}

/**
 * The driver fills a pool one connection at a time.
 * @param {string} url of the app
 * @param {number} connections
 * @param {AbortSignal} signal
 */
async function waitUntilOpen(url, connections, signal) {
  const client = new PoolClient(url);
  const isOpen = async () => (await client.snapshot(signal)).idle >= connections || undefined;
  await poll(isOpen, { everyMs: POOL_EVERY_MS, signal });
}

/**
 * Polls a server for the number of connections it has from an app while `work` runs: those of the app's pools, and
 * those over which the driver monitors the server.
 * @template T
 * @param {object} options
 * @param {string} options.mongoUrl
 * @param {import('../../../src/settings.js').Settings} options.settings
 * @param {string} options.appName prefix of the names of the app's clients
 * @param {() => Promise<T>} work
 * @returns {Promise<{ outcome: T, connections: number | null, problem?: string }>} the highest number; null, and why,
 *   where the server does not say
 * @throws what `work` throws
 */
export async function countConnections({ mongoUrl, settings, appName }, work) {
  const client = createClient(mongoUrl, { ...settings, poolSize: 1, minPoolSize: 0, appName: `watches ${appName}` });
  const ofApp = [
    { $currentOp: { allUsers: true, idleConnections: true } },
    { $match: { appName: { $regex: `^${appName}` } } },
    { $count: 'connections' },
  ];
  const stopping = new AbortController();
  let peak = 0;
  const count = async () => {
    const [{ connections } = { connections: 0 }] = await client.db('admin').aggregate(ofApp).toArray();
    peak = Math.max(peak, connections);
  };
  const watching = repeatUntil(count, { everyMs: SERVER_EVERY_MS, stop: stopping.signal }).then(
    () => ({ connections: peak }),
    (error) => ({ connections: null, problem: error.message }),
  );
  const outcome = await work().finally(async () => {
    stopping.abort();
    await watching;
    await client.close();
  });
  return { outcome, ...(await watching) };
}

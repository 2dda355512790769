import { setTimeout as sleep } from 'node:timers/promises';
import { startApp } from '../../harness/app-process.js';
import { openDistance } from '../../harness/distance.js';
import { sendOpenLoad } from '../../harness/open-load.js';
import { countConnections } from '../../harness/server-connections.js';
import { warmUp } from '../../harness/warm-up.js';
import { isBusyMachine } from './criterion.js';
import { summariseAnswers } from './remedies-figures.js';
import { refuses } from './variants.js';

/** @import { Context, Measurement } from '../../harness/run-lab.js' */
/** @import { RemediesPlan } from './remedies-lab.js' */
/** @import { RemedyFigures } from './remedies-figures.js' */
/** @import { RemedyVariant } from './variants.js' */

/** Most connections that the warm-up opens. A larger pool opens the others when it needs them. */
const MAX_OPENED = 20;
const POLL_MS = 50;
/** The user's environment must not give a remedy to the apps that have none. */
const NO_REMEDY = {
  MONGO_MIN_POOLSIZE: '', MONGO_MAX_CONNECTING: '', MONGO_WAIT_QUEUE_TIMEOUT_MS: '', SLOW_POOLSIZE: '', SLOW_CONCURRENCY: '',
};

/**
 * @param {RemedyVariant} variant
 * @param {RemediesPlan} plan
 * @param {Context} context
 * @returns {Promise<Measurement<RemedyFigures>>}
 */
export async function measureRemedy(variant, plan, context) {
  if (variant.settings.load !== 'burst') return measureAt(context.mongoUrl, variant, plan, context);
  // On loopback connections open too fast for anybody to wait.
  const { url, close } = await openDistance(context.mongoUrl, context.settings, plan.settings.rttMs);
  try {
    return await measureAt(url, variant, plan, context);
  } finally {
    await close();
  }
}

/**
 * @param {string} mongoUrl for the app
 * @param {RemedyVariant} variant
 * @param {RemediesPlan} plan
 * @param {Context} context
 * @returns {Promise<Measurement<RemedyFigures>>}
 */
async function measureAt(mongoUrl, { name, settings: { remedy, load, env } }, plan, context) {
  const { settings: { slowMs, patienceMs }, requests } = plan;
  const appName = `remedies-${process.pid}-${name.replaceAll(/\W+/g, '-')}`;
  const app = await startApp({
    MONGO_URL: mongoUrl, MONGO_APP_NAME: appName, SLOW_MS: String(slowMs),
    // When the load has ended, nobody waits for the queries that are left.
    SHUTDOWN_TIMEOUT_MS: '1',
    ...NO_REMEDY,
    ...Object.fromEntries(Object.entries(env).map(([key, value]) => [key, String(value)])),
  }, { signal: context.signal });
  const { signal } = app;
  try {
    // A burst must meet a pool that is not warm.
    const { unloaded } = await warmUp(app.url, load === 'burst' ? 1 : Math.min(env.MONGO_POOLSIZE, MAX_OPENED));
    await waitUntilOpen(app.url, env.MONGO_MIN_POOLSIZE ?? 0, signal);
    const { outcome, connections, problem } = await countConnections({ ...context, appName }, () => (
      sendOpenLoad(requests[load], { url: app.url, patienceMs, signal })));
    const { connect } = await readPool(app.url);
    const figures = summariseAnswers(outcome, refuses(remedy));
    const isBusy = load === 'customers' && isBusyMachine({ ...figures, unloaded });
    return {
      measured: { ...figures, connections, unloaded: { ...unloaded, connectMs: connect.p50Ms } },
      warnings: [
        ...(problem ? [`the server does not say how many connections it has: ${problem}`] : []),
        ...(isBusy ? ['this machine seems to be busy with something else: customers wait although no administrator is there'] : []),
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
  while ((await readPool(url)).idle < connections) await sleep(POLL_MS, undefined, { signal });
}

/** @param {string} url of the app */
async function readPool(url) {
  /** @type {{ idle: number, connect: { p50Ms: number } }} */
  const pool = JSON.parse(await (await fetch(`${url}/pool`)).text());
  return pool;
}

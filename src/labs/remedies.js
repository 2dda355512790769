import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startApp } from '../bench/app-process.js';
import { openDistance } from '../bench/distance.js';
import { createChoicesParser, parseWhole } from '../bench/lab-options.js';
import { drawRequests, sendOpenLoad } from '../bench/open-load.js';
import { countConnections } from '../bench/server-connections.js';
import { warmUp } from '../bench/warm-up.js';
import { parsePoolSizes } from '../predict/pool-sizes.js';
import { readScenario } from '../predict/read-scenario.js';
import { simulate } from '../predict/simulate.js';
import { summariseAnswers } from './remedies-figures.js';
import { listVariants, poolOf, refuses, REMEDIES } from './remedies-variants.js';
import { remediesView } from './remedies-view.js';

/** @import { Context, Lab, Plan, PlannedVariant } from '../bench/run-lab.js' */
/** @import { DueRequest } from '../bench/open-load.js' */
/** @import { RemedySettings, RemedyVariant } from './remedies-variants.js' */

const SCENARIO = fileURLToPath(new URL('../../loadtests/remedies.yaml', import.meta.url));

/** Longest response of the article's own load at that pool size, see the mixed lab. */
const PUBLISHED_MAX_MS = new Map([[1, 21142.7], [3, 9017], [10, 5019]]);

/** So many customers are a burst. @type {DueRequest[]} */
const BURST = Array.from({ length: 100 }, () => ({ route: '/fast', atMs: 0 }));

/** The warm-up opens no more connections than these: a larger pool opens the others when it needs them. */
const MOST_OPENED = 20;
/** The app's start, its warm-up and its end, in ms: an estimate for the progress bar. */
const OVERHEAD_MS = 2000;
const POLL_MS = 50;
/** What the simulator's outcomes are over HTTP. */
const STATUS = { ok: 200, waitQueueTimeout: 503, clientTimeout: 0 };

/**
 * @typedef {object} RemediesOptions
 * @property {number} treated
 * @property {number[]} poolSizes
 * @property {string[]} remedies
 * @property {number} slowMs
 * @property {number} rtt
 * @property {string} [environment]
 *
 * @typedef {Plan & { settings: { slowMs: number, rttMs: number, patienceMs: number },
 *   requests: Record<RemedySettings['load'], DueRequest[]> }} RemediesPlan
 */

/**
 * What helps customers who stand behind administrators: the very same requests to one app per remedy.
 * @type {Lab}
 */
export const remedies = {
  name: 'remedies',
  ...remediesView,
  summary: 'what to do about slow queries that starve fast ones: one load, one remedy at a time',
  options: {
    treated: {
      value: 'n', about: 'size of the pool that is too small and gets each remedy', parse: parseTreated, default: 5,
    },
    poolSizes: { value: 'list', about: 'sizes to try instead', parse: parsePoolSizes, default: [1, 20, 100] },
    remedies: {
      value: 'list', about: `which to try: ${REMEDIES.join(', ')}`, parse: createChoicesParser(REMEDIES),
      default: REMEDIES,
    },
    slowMs: { value: 'ms', about: 'how long a query of /slow takes', parse: parseWhole, default: 1000 },
    rtt: { value: 'ms', about: 'of the burst alone: how far away the server is', parse: parseWhole, default: 20 },
    environment: { value: 'name', about: 'one of those of loadtests/remedies.yaml' },
  },
  plan,
  measure,
  predict,
};

/**
 * @param {string} text
 * @returns {number}
 */
function parseTreated(text) {
  const size = parseWhole(text);
  if (size === 1) throw new Error('It must be at least 2, or there is nothing to divide.');
  return size;
}

/**
 * @param {RemediesOptions} options
 * @returns {Promise<RemediesPlan>}
 */
async function plan({ treated, poolSizes, remedies: chosen, slowMs, rtt, environment }) {
  const workload = await readScenario(SCENARIO, { environment });
  const all = drawRequests(workload);
  return {
    settings: {
      scenario: 'loadtests/remedies.yaml', environment, treated, slowMs, rttMs: rtt, patienceMs: Number(workload.timeoutMs),
    },
    requests: { all, customers: all.filter(({ route }) => route === '/fast'), burst: BURST },
    variants: listVariants(poolSizes, treated, slowMs)
      .filter(({ settings: { remedy } }) => remedy === 'none' || chosen.includes(remedy))
      .map((variant) => ({
        ...variant,
        published: publishedOf(variant),
        estimateMs: OVERHEAD_MS + (variant.settings.load === 'burst' ? 0 : all[all.length - 1].atMs) + slowMs,
      })),
  };
}

/** @param {RemedyVariant} variant */
function publishedOf({ settings: { remedy, load, env } }) {
  const maxMs = PUBLISHED_MAX_MS.get(env.MONGO_POOLSIZE);
  return maxMs && load === 'all' && ['none', 'size'].includes(remedy) ? { maxMs } : null;
}

/**
 * @param {PlannedVariant} variant
 * @param {Plan} planned
 * @param {Context} context
 */
async function measure({ name, settings }, planned, context) {
  const plan = /** @type {RemediesPlan} */ (planned);
  const variant = { name, settings: /** @type {RemedySettings} */ (settings) };
  if (variant.settings.load !== 'burst') return measureAt(context.mongoUrl, variant, plan, context);
  // On loopback a connection opens so soon that hardly anybody waits for it.
  const { url, close } = await openDistance(context.mongoUrl, context.settings, plan.settings.rttMs);
  try {
    return await measureAt(url, variant, plan, context);
  } finally {
    await close();
  }
}

/**
 * @param {string} mongoUrl what the app is told
 * @param {RemedyVariant} variant
 * @param {RemediesPlan} plan
 * @param {Context} context
 */
async function measureAt(mongoUrl, { name, settings: { remedy, load, env } }, plan, context) {
  const { settings: { slowMs, patienceMs }, requests } = plan;
  const { signal } = context;
  const appName = `remedies-${process.pid}-${name.replaceAll(/\W+/g, '-')}`;
  const app = await startApp({
    MONGO_URL: mongoUrl, MONGO_APP_NAME: appName, SLOW_MS: String(slowMs),
    // Nobody waits any more for the queries that are left when the load has ended.
    SHUTDOWN_TIMEOUT_MS: '1',
    ...Object.fromEntries(Object.entries(env).map(([key, value]) => [key, String(value)])),
  }, { signal });
  try {
    // A burst meets the pool as it is.
    const { unloaded } = await warmUp(app.url, load === 'burst' ? 1 : Math.min(env.MONGO_POOLSIZE, MOST_OPENED));
    await waitUntilOpen(app.url, env.MONGO_MIN_POOLSIZE ?? 0, signal);
    const { outcome, connections, problem } = await countConnections({ ...context, appName }, () => (
      sendOpenLoad(requests[load], { url: app.url, patienceMs, signal })));
    const { connect } = await readPool(app.url);
    return {
      measured: {
        ...summariseAnswers(outcome, refuses(remedy)), connections, unloaded: { ...unloaded, connectMs: connect.p50Ms },
      },
      ...(problem && { warnings: [`the server does not tell its connections: ${problem}`] }),
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
  return /** @type {any} */ (await (await fetch(`${url}/pool`)).json());
}

/**
 * The same requests, simulated with what a query took when it was alone.
 * @type {NonNullable<Lab['predict']>}
 */
function predict(variant, planned, { unloaded: { serviceMs, overheadMs, connectMs } }) {
  const { settings: { slowMs, patienceMs }, requests } = (
    /** @type {RemediesPlan} */ (/** @type {unknown} */ (planned)));
  const settings = /** @type {RemedySettings} */ (variant.settings);
  const { records = [] } = simulate({
    workload: { phases: [], scenarios: [], timeoutMs: patienceMs },
    arrivals: requests[settings.load],
    pool: poolOf(settings, connectMs),
    services: { '/fast': { kind: 'fixed', ms: serviceMs }, '/slow': { kind: 'fixed', ms: slowMs + serviceMs } },
    overhead: { kind: 'fixed', ms: overheadMs },
    keepRequests: true,
  });
  return summariseAnswers(records.map(({ route, outcome, arrivedAtMs, finishedAtMs }) => (
    { route, atMs: arrivedAtMs, status: STATUS[outcome], tookMs: finishedAtMs - arrivedAtMs })), refuses(settings.remedy));
}

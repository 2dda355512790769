import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { startApp } from '../bench/app-process.js';
import { describeFailures, runArtillery, summariseReport, WORKERS } from '../bench/artillery.js';
import { listArrivals, summariseCheckouts } from '../bench/summarise-checkouts.js';
import { listRoutes } from '../predict/flow.js';
import { createScenarioLoad } from '../predict/load.js';
import { predict } from '../predict/predict.js';
import { quantile } from '../predict/quantile.js';
import { readScenario } from '../predict/read-scenario.js';
import { simulate } from '../predict/simulate.js';
import { mixedView } from './mixed-view.js';

/** The article's load test. */
export const MIXED_SCENARIO = fileURLToPath(new URL('../../loadtests/mixed.yaml', import.meta.url));

/** Longest response in ms by pool size, from the article "How connection pool size can bottleneck application scale". */
const PUBLISHED_MAX_MS = new Map([[1, 21142.7], [3, 9017], [10, 5019]]);
const PUBLISHED_SLOW_MS = 5000;

/** Artillery's own start and end, and the app's, in ms: an estimate for the progress bar. */
const OVERHEAD_MS = 5500;

const WARM_UP_REQUESTS = 20;
const WARM_UP_ROUNDS = 5;
/** The warm-up opens no more connections than these, however large the pool. */
const MOST_OPENED = 50;
/** @import { Lab, PlannedVariant, Plan, Context } from '../bench/run-lab.js' */
/** @import { Load } from '../predict/load.js' */

/**
 * @typedef {object} MixedOptions
 * @property {number[]} poolSizes
 * @property {number} slowMs
 * @property {string} scenario path of an Artillery scenario
 * @property {string} [environment] one of the scenario's
 */

/**
 * Slow queries starve fast ones when the pool is small: the same load on one app per pool size.
 * @type {Lab}
 */
export const mixed = { name: 'mixed', ...mixedView, plan, measure, predict: predictVariant };

/**
 * @param {MixedOptions} options
 * @returns {Promise<Plan & { load: Load }>}
 */
async function plan({ poolSizes, slowMs, scenario, environment }) {
  const workload = await readScenario(scenario, { environment });
  const isArticles = slowMs === PUBLISHED_SLOW_MS && !environment
    && await realpath(scenario) === await realpath(MIXED_SCENARIO);
  return {
    settings: { scenario: path.relative(process.cwd(), scenario), environment, poolSizes, slowMs },
    load: createScenarioLoad(workload, { workers: WORKERS }),
    variants: poolSizes.map((poolSize) => {
      // The arithmetic of the queue: fast queries take no time, connections are ready.
      const answer = simulate({
        workload,
        pool: { maxPoolSize: poolSize },
        services: idealServices(workload, slowMs),
      });
      const maxMs = PUBLISHED_MAX_MS.get(poolSize);
      return {
        name: `pool ${poolSize}`,
        settings: { poolSize },
        exact: isDeterministic(workload) ? { maxMs: answer.maxMs } : null,
        published: isArticles && maxMs ? { maxMs } : null,
        estimateMs: answer.durationMs + OVERHEAD_MS,
      };
    }),
  };
}

/**
 * @param {PlannedVariant} variant
 * @param {Plan} planned
 * @param {Context} context
 */
async function measure({ settings: { poolSize } }, { settings }, { mongoUrl, signal }) {
  const { slowMs, scenario, environment } = /** @type {MixedOptions} */ (settings);
  const app = await startApp(
    { MONGO_URL: mongoUrl, MONGO_POOLSIZE: String(poolSize), SLOW_MS: String(slowMs) }, { signal });
  try {
    const { lastId, unloaded } = await warmUp(app.url, poolSize);
    const { report, unmet } = await runArtillery({ scenario, target: app.url, environment, signal });
    const { checkouts } = await readCheckouts(app.url, lastId);
    const measured = { ...summariseReport(report), pool: summariseCheckouts(checkouts), unloaded };
    return {
      measured,
      arrivalsMs: listArrivals(checkouts),
      ...(measured.failures > 0 && { failed: describeFailures(report) }),
      warnings: unmet.map((threshold) => `the scenario's own threshold is not met: ${threshold}`),
    };
  } finally {
    await app.stop();
  }
}

/**
 * What the load test should have measured, from what a query took before it.
 * @type {NonNullable<Lab['predict']>}
 */
function predictVariant({ settings: { poolSize } }, plan, { unloaded }) {
  const { load, settings: { slowMs } } = /** @type {{ load: Load, settings: any }} */ (/** @type {unknown} */ (plan));
  const { serviceMs, overheadMs } = unloaded;
  const services = Object.fromEntries(load.routes.map((route) => (
    // The sleep comes on top of what any query takes.
    [route, { kind: /** @type {const} */ ('fixed'), ms: route === '/slow' ? slowMs + serviceMs : serviceMs }])));
  const { variants: [{ predicted }] } = predict({ load, poolSizes: [poolSize], services, overheadMs });
  return predicted;
}

/**
 * Let the app and the driver come to speed before anything is measured, and see what a query takes when it is alone.
 *
 * @param {string} url
 * @param {number} poolSize
 * @returns {Promise<{ lastId: number, unloaded: { serviceMs: number, overheadMs: number } }>} serviceMs: how long a
 *   query of /fast keeps its connection; overheadMs: what its response takes beside; medians
 */
async function warmUp(url, poolSize) {
  // Requests at the same time have the pool open its connections, which the ideal takes for granted.
  const atOnce = Math.min(poolSize, MOST_OPENED);
  for (let round = 0; round < WARM_UP_ROUNDS; round++) {
    await Promise.all(Array.from({ length: atOnce }, () => timeFast(url)));
  }
  const { lastId: opened } = await readCheckouts(url);
  const responsesMs = [];
  for (let request = 0; request < WARM_UP_REQUESTS; request++) responsesMs.push(await timeFast(url));
  const { checkouts, lastId } = await readCheckouts(url, opened);
  const usesMs = checkouts.filter(({ route }) => route === '/fast')
    .map(({ gotAtMs, returnedAtMs }) => Number(returnedAtMs) - Number(gotAtMs));
  const serviceMs = quantile(usesMs, 0.5);
  return { lastId, unloaded: { serviceMs, overheadMs: Math.max(0, quantile(responsesMs, 0.5) - serviceMs) } };
}

/**
 * @param {string} url
 * @returns {Promise<number>} how long /fast took, in ms
 */
async function timeFast(url) {
  const sentAtMs = performance.now();
  const response = await fetch(`${url}/fast`);
  if (!response.ok) throw new Error(`warm-up: /fast answered HTTP ${response.status}`);
  await response.arrayBuffer();
  return performance.now() - sentAtMs;
}

/**
 * @param {string} url of the app
 * @param {number} [after] id of a checkout
 * @returns {Promise<{ checkouts: import('../pool/checkouts.js').CheckoutRecord[], lastId: number }>}
 */
async function readCheckouts(url, after = 0) {
  const response = await fetch(`${url}/pool/checkouts?after=${after}`);
  return /** @type {any} */ (response.json());
}

/**
 * Service times of the ideal: a slow query takes exactly its time, any other takes none.
 * @param {import('../predict/workload.js').Workload} workload
 * @param {number} slowMs
 */
function idealServices({ scenarios }, slowMs) {
  const routes = scenarios.flatMap(({ steps }) => listRoutes(steps));
  return Object.fromEntries(routes.map((route) => (
    [route, { kind: /** @type {const} */ ('fixed'), ms: route === '/slow' ? slowMs : 0 }])));
}

/**
 * Whether every run of the workload is the same: counted arrivals, nothing drawn by weight.
 * @param {import('../predict/workload.js').Workload} workload
 */
function isDeterministic({ phases, scenarios }) {
  return scenarios.length === 1 && phases.every((phase) => phase.arrivalRate === undefined);
}

import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { startApp } from '../../harness/app-process.js';
import { describeFailures, runArtillery, summariseReport, WORKERS } from '../../harness/artillery.js';
import { parseDelay } from '../../harness/lab-options.js';
import { listArrivals, summariseCheckouts } from '../../harness/summarise-checkouts.js';
import { readCheckouts, warmUp } from '../../harness/warm-up.js';
import { poolOfApp } from '../../predictions/app-pool.js';
import { createScenarioLoad, parsePoolSizes, predict, simulate } from 'mongodb-pool-predictor';
import { readScenario } from 'mongodb-pool-predictor/node';
import { checkRequests } from './check-requests.js';
import { mixedView } from './mixed-view.js';

/** The article's load test. */
export const MIXED_SCENARIO = fileURLToPath(new URL('../../../loadtests/mixed.yaml', import.meta.url));

/** Longest response in ms by pool size, from the article "How connection pool size can bottleneck application scale". */
const PUBLISHED_MAX_MS = new Map([[1, 21142.7], [3, 9017], [10, 5019]]);
const PUBLISHED_SLOW_MS = 5000;

/** The target of our own load tests: the app of a person who runs them without this lab. */
const OWN_TARGET = 'http://127.0.0.1:{{ $env.PORT }}';

/** Artillery's own start and end, and the app's, in ms: an estimate for the progress bar. */
const OVERHEAD_MS = 5500;

/** @import { Lab, PlannedVariant, Plan, Context } from '../../harness/run-lab.js' */
/** @import { Load } from 'mongodb-pool-predictor' */

/**
 * @typedef {object} MixedOptions
 * @property {number[]} poolSizes
 * @property {number} slowMs
 * @property {number} [poolTimeout] ms
 * @property {string} scenario path of an Artillery scenario
 * @property {string} [environment] one of the scenario's
 */

/**
 * Slow queries starve fast ones when the pool is small: the same load on one app per pool size.
 * @type {Lab}
 */
export const mixed = {
  name: 'mixed',
  ...mixedView,
  summary: 'slow queries starve fast ones when the pool is small: one load, several pool sizes',
  options: {
    poolSizes: {
      value: 'list', about: 'maxPoolSize of each run, e.g. 1,3,10 or 1..5', parse: parsePoolSizes,
      default: [1, 3, 10], published: [...PUBLISHED_MAX_MS.keys()],
    },
    slowMs: {
      value: 'ms', about: 'how long a query of /slow takes', parse: parseDelay, default: PUBLISHED_SLOW_MS,
      published: PUBLISHED_SLOW_MS,
    },
    poolTimeout: {
      value: 'ms', about: 'longest wait for a connection (default: MONGO_WAIT_QUEUE_TIMEOUT_MS)', parse: parseDelay,
    },
    scenario: {
      value: 'file', about: "Artillery scenario to run against the lab's app", default: MIXED_SCENARIO, published: MIXED_SCENARIO,
    },
    environment: { value: 'name', about: "one of the scenario's environments" },
    parallel: { about: 'measure all variants at once', default: false },
  },
  plan,
  measure,
  predict: predictVariant,
};

/**
 * @param {MixedOptions} options
 * @returns {Promise<Plan & { load: Load }>}
 * @throws {Error} for a scenario that can't be read, or that the app can't answer
 */
async function plan({ poolSizes, slowMs, poolTimeout, scenario, environment }) {
  const workload = await readScenario(scenario, { environment });
  checkRequests(scenario, workload.requests);
  const load = createScenarioLoad(workload, { workers: WORKERS });
  const isArticles = slowMs === PUBLISHED_SLOW_MS && !environment
    && await realpath(scenario) === await realpath(MIXED_SCENARIO);
  return {
    settings: { scenario: path.relative(process.cwd(), scenario), environment, poolSizes, slowMs, poolTimeout },
    load,
    warnings: workload.target === undefined || workload.target === OWN_TARGET ? []
      : [`the target of ${path.relative(process.cwd(), scenario)}, ${workload.target}, was not used: this lab starts an app `
        + 'of its own for each pool size'],
    variants: poolSizes.map((poolSize) => {
      // The arithmetic of the queue: fast queries take no time, connections are ready.
      const answer = simulate({
        workload,
        pool: { maxPoolSize: poolSize },
        services: servicesWithSleep(load.routes, 0, slowMs),
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
  const { slowMs, poolTimeout, scenario, environment } = /** @type {MixedOptions} */ (settings);
  const app = await startApp({
    MONGO_URL: mongoUrl, MONGO_POOLSIZE: String(poolSize), SLOW_MS: String(slowMs),
    ...(poolTimeout && { MONGO_WAIT_QUEUE_TIMEOUT_MS: String(poolTimeout) }),
  }, { signal });
  try {
    const { lastId, unloaded } = await warmUp(app.url, poolSize);
    const { report, unmet } = await runArtillery({ scenario, target: app.url, environment, signal: app.signal });
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
 * What the load test should have measured, from what a query took before it. What else the app was told of its pool is
 * taken into account.
 * @type {NonNullable<Lab['predict']>}
 */
function predictVariant({ settings: { poolSize } }, plan, { unloaded }, settings) {
  const { load, settings: { slowMs, poolTimeout = settings.waitQueueTimeoutMs } } = (
    /** @type {{ load: Load, settings: any }} */ (/** @type {unknown} */ (plan)));
  const { serviceMs, overheadMs } = unloaded;
  const services = servicesWithSleep(load.routes, serviceMs, slowMs);
  const { variants: [{ predicted }] } = predict({
    load, poolSizes: [poolSize], services, overhead: { kind: 'fixed', ms: overheadMs },
    poolOf: (size) => poolOfApp({ ...settings, poolSize: size, waitQueueTimeoutMs: poolTimeout }),
  });
  return predicted;
}

/**
 * Every query takes the same time, and that of /slow sleeps on top of it.
 * @param {string[]} routes
 * @param {number} serviceMs
 * @param {number} slowMs
 */
function servicesWithSleep(routes, serviceMs, slowMs) {
  return Object.fromEntries(routes.map((route) => (
    [route, { kind: /** @type {const} */ ('fixed'), ms: route === '/slow' ? slowMs + serviceMs : serviceMs }])));
}

/**
 * Whether every run of the workload is the same: counted arrivals, nothing drawn by weight.
 * @param {import('mongodb-pool-predictor').Workload} workload
 */
function isDeterministic({ phases, scenarios }) {
  return scenarios.length === 1 && phases.every((phase) => phase.arrivalRate === undefined);
}

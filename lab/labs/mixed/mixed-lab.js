import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { PoolClient } from 'mongodb-pool-page/client';
import { startApp } from '../../harness/app-process.js';
import { WORKERS, findArtillery } from '../../../src/load-tests/artillery.js';
import { MIXED_SCENARIO, OVERHEAD_MS } from '../../../src/load-tests/load-test-runner.js';
import { DELAY, POOL_SIZES, createChoiceParser } from '../../harness/lab-options.js';
import { runScenario } from '../../harness/loads/artillery-load.js';
import { listArrivals, summariseCheckouts } from '../../harness/summarise-checkouts.js';
import { warmUp } from '../../harness/warm-up.js';
import { readSettings } from '../../../src/settings.js';
import { createScenarioLoad, poolOfApp, predict } from 'mongodb-pool-predictor';
import { readScenario } from 'mongodb-pool-predictor/node';
import { isQueryless, servicesWithSleep, workOut } from '../../../src/load-tests/exact-times.js';
import { checkRequests } from './check-requests.js';
import { DRIVER_3_APP, installDriver } from './driver-3/install-driver.js';
import { findArrivals, sampleLoad } from './load-samples.js';
import { findPublished, PUBLISHED } from './mixed-published.js';
import { mixedView } from './mixed-view.js';

/** The target of our own load tests, for people who run them without this lab. */
const OWN_TARGET = 'http://127.0.0.1:{{ $env.PORT }}';

/** @import { Context, Lab, Measurement, Plan, PlannedVariant } from '../../harness/run-lab.js' */
/** @import { Load, Workload } from 'mongodb-pool-predictor' */
/** @import { Settings } from '../../../src/settings.js' */
/** @import { MixedFigures, MixedSettings } from './mixed-view.js' */

/**
 * @typedef {object} MixedOptions
 * @property {number[]} poolSizes
 * @property {number} slowMs
 * @property {'sleep' | 'work'} [slowQuery]
 * @property {number} [poolTimeout] ms
 * @property {string} scenario path of an Artillery scenario
 * @property {string} [environment] one of the scenario's
 * @property {boolean} [skipFunctions]
 * @property {'7' | '3'} [driver]
 *
 * @typedef {MixedOptions & Pick<Settings, 'slowPoolSize' | 'slowConcurrency'>} MixedPlanSettings
 * @typedef {Plan<MixedSettings, MixedFigures> & { settings: MixedPlanSettings, load: Load, workload: Workload }}
 *   MixedPlan
 */

/** @type {Lab<MixedOptions, MixedSettings, MixedFigures, MixedPlan, string | false>} */
export const mixed = {
  name: 'mixed',
  ...mixedView,
  summary: 'slow queries starve fast ones when the pool is small: one load, several pool sizes',
  options: {
    poolSizes: {
      ...POOL_SIZES,
      about: 'maxPoolSize of each run, e.g. 1,3,10 or 1..5',
      default: PUBLISHED.poolSizes,
      published: PUBLISHED.poolSizes,
    },
    slowMs: {
      ...DELAY,
      about: 'how long a query of /slow takes',
      default: PUBLISHED.slowMs,
      published: PUBLISHED.slowMs,
    },
    slowQuery: {
      value: 'kind',
      about: 'what a query of /slow does, sleep or work (default: SLOW_QUERY)',
      parse: createChoiceParser(['sleep', 'work']),
      published: 'sleep',
    },
    poolTimeout: { ...DELAY, about: 'longest wait for a connection (default: MONGO_WAIT_QUEUE_TIMEOUT_MS)' },
    scenario: {
      value: 'file',
      about: "Artillery scenario to run against the lab's app",
      default: MIXED_SCENARIO,
      published: MIXED_SCENARIO,
    },
    environment: { value: 'name', about: "one of the scenario's environments" },
    skipFunctions: { about: 'leave out the function steps of the scenario in the prediction', default: false },
    driver: {
      value: 'version',
      about: 'of the Node.js driver; 3: the driver of 2020, which is downloaded once',
      parse: createChoiceParser(['7', '3']),
      default: '7',
    },
    parallel: { about: 'measure all variants at once', default: false },
  },
  requireTools: findArtillery,
  plan,
  prepare: async ({ settings }, context) => ({ shared: settings.driver === '3' && (await installDriver(context)) }),
  measure,
  predict: predictVariant,
};

/**
 * @param {MixedOptions} options
 * @returns {Promise<MixedPlan>}
 * @throws {Error} for a scenario that can't be read, or that the app can't answer
 */
async function plan({
  poolSizes,
  slowMs,
  slowQuery = readSettings().slowQuery,
  poolTimeout = readSettings().waitQueueTimeoutMs,
  scenario,
  environment,
  skipFunctions,
  driver = '7',
}) {
  if (driver === '3' && (slowQuery === 'work' || poolTimeout)) {
    throw new Error('--slow-query work and --pool-timeout need the driver of today: leave out --driver 3');
  }
  const workload = await readScenario(scenario, { environment, skipFunctions });
  checkRequests(scenario, workload.requests);
  const load = createScenarioLoad(workload, { workers: WORKERS });
  const name = path.relative(process.cwd(), scenario);
  if (load.routes.every(isQueryless)) throw new Error(`${name} makes no query: no pool is too small for it`);
  const { slowPoolSize, slowConcurrency } = readSettings();
  const isOnePool = !slowPoolSize && !slowConcurrency;
  const isAsPublished =
    isOnePool &&
    slowMs === PUBLISHED.slowMs &&
    slowQuery === 'sleep' &&
    !environment &&
    (await realpath(scenario)) === (await realpath(MIXED_SCENARIO));
  return {
    settings: {
      scenario: name,
      environment,
      skipFunctions,
      poolSizes,
      slowMs,
      slowQuery,
      poolTimeout,
      driver,
      slowPoolSize,
      slowConcurrency,
    },
    load,
    workload,
    warnings: [
      ...(workload.target === undefined || workload.target === OWN_TARGET
        ? []
        : [
            `the target of ${name}, ${workload.target}, was not used: this lab starts an app ` +
              'of its own for each pool size',
          ]),
      ...workload.warnings.map(({ line, message }) => `${name}, line ${line}, in the prediction: ${message}`),
    ],
    variants: poolSizes.map((poolSize) => {
      const answer = workOut({ workload, routes: load.routes, poolSize, slowMs });
      return {
        name: `pool ${poolSize}`,
        settings: { poolSize, driver },
        exact: isOnePool && slowQuery === 'sleep' && isDeterministic(workload) ? { maxMs: answer.maxMs } : null,
        published: isAsPublished ? findPublished(poolSize) : null,
        estimateMs: answer.durationMs + OVERHEAD_MS,
      };
    }),
  };
}

/**
 * @param {PlannedVariant<MixedSettings>} variant
 * @param {MixedPlan} plan
 * @param {Context & { shared?: string | false }} context shared: the folder of the driver of 2020
 * @returns {Promise<Measurement<MixedFigures>>}
 */
async function measure({ settings: { poolSize }, exact }, { settings, load, workload }, { mongoUrl, signal, shared }) {
  const { slowMs, slowQuery, poolTimeout, scenario, environment } = settings;
  const app = await startApp(
    {
      MONGO_URL: mongoUrl,
      MONGO_POOLSIZE: String(poolSize),
      SLOW_MS: String(slowMs),
      ...(slowQuery && { SLOW_QUERY: slowQuery }),
      ...(poolTimeout && { MONGO_WAIT_QUEUE_TIMEOUT_MS: String(poolTimeout) }),
    },
    { signal, ...(shared && { script: DRIVER_3_APP, args: [shared] }) },
  );
  try {
    const warm = shared ? undefined : await warmUp(app.url, poolSize);
    const run = { scenario, target: app.url, environment, workload };
    const { report, figures, failed, warnings } = await runScenario(run, { signal: app.signal });
    // The old driver's events don't show waits, so the client's figures are all there is.
    if (!warm) return { measured: figures, failed, warnings };
    const { lastId, unloaded, overheadsMs } = warm;
    const { checkouts } = await new PoolClient(app.url).checkoutsSince(lastId);
    const exactLoad = { workload, routes: load.routes, poolSize, slowMs };
    return {
      measured: { ...figures, pool: summariseCheckouts(checkouts), unloaded },
      ...(exact && { exact: { maxMs: workOut(exactLoad, { arrivals: findArrivals(exactLoad, checkouts) }).maxMs } }),
      arrivalsMs: listArrivals(checkouts),
      samples: sampleLoad(checkouts, report, overheadsMs),
      failed,
      warnings,
    };
  } finally {
    await app.stop();
  }
}

/**
 * Simulates the load test with the service time that was measured before it, and with the app's other pool settings. It
 * predicts nothing for queries that work: they slow each other down.
 * @type {NonNullable<typeof mixed['predict']>}
 */
async function predictVariant({ settings: { poolSize } }, { load, settings: options }, { unloaded }, settings) {
  const { slowMs, slowQuery, poolTimeout = settings.waitQueueTimeoutMs } = options;
  if (slowQuery === 'work' || !unloaded) return {};
  const { serviceMs, overheadMs } = unloaded;
  const services = servicesWithSleep(load.routes, serviceMs, slowMs);
  const { variants } = await predict({
    load,
    poolSizes: [poolSize],
    services,
    overhead: { kind: 'fixed', ms: overheadMs },
    poolOf: (size) => poolOfApp({ ...settings, poolSize: size, waitQueueTimeoutMs: poolTimeout }),
  });
  return variants[0].predicted;
}

/**
 * Whether every run of the workload is the same: no arrival and no scenario is drawn at random.
 * @param {Workload} workload
 */
function isDeterministic({ phases, scenarios }) {
  return scenarios.length === 1 && phases.every((phase) => phase.arrivalRate === undefined);
}

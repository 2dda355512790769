import { advise } from 'mongodb-pool-predictor';
import { fetchMonitor, readMonitors } from '../harness/monitor-reader.js';
import { playScenario } from '../harness/play-scenario.js';
import { listArrivals } from '../harness/summarise-checkouts.js';
import { runLoadCommand } from './load-command.js';
import { joinRequests } from './measured-requests.js';
import { planSweep } from './plan-sweep.js';
import { prepareSweep } from './prepare-sweep.js';
import { createMeasuredLoad, pickTypical, predictSize } from './size-prediction.js';
import { startWatchedApp } from './start-watched.js';
import { summariseSweep } from './sweep-figures.js';
import { measureGoals } from './sweep-goals.js';
import { createSweepView } from './sweep-view.js';
import { warmUpApp } from './warm-up-app.js';

/** @import { Advice, Slo } from 'mongodb-pool-predictor' */
/** @import { Lab, Plan } from '../harness/run-lab.js' */
/** @import { Seen } from '../harness/monitor-reader.js' */
/** @import { AttachedApp } from '../harness/attached-app.js' */
/** @import { Recording, Scenario } from './size-prediction.js' */
/** @import { SweepFigures } from './sweep-figures.js' */

/**
 * @typedef {object} SweepOptions
 * @property {string[]} command that starts the app
 * @property {number[]} poolSizes
 * @property {string} [scenario] path of an Artillery scenario; without it there is a `load`
 * @property {string} [environment] one of the scenario's
 * @property {string} [load] command of another load generator
 * @property {string} [target] URL of the app
 * @property {Slo[]} [slo]
 * @property {number} warmUp seconds
 * @property {string[]} [warmUpPaths]
 * @property {number} startTimeout seconds
 * @property {(hosts: string[]) => Promise<void>} agree throws unless these hosts may get load
 *
 * @typedef {{ poolSize: number }} SweepSettings
 * @typedef {Plan<SweepSettings, SweepFigures> & { workload?: Scenario }} SweepPlan
 * @typedef {Lab<{ repeat?: number }, SweepSettings, SweepFigures, SweepPlan>} SweepLab
 */

/**
 * The mixed lab for the user's own app.
 * @param {SweepOptions} options
 * @returns {{ lab: SweepLab, findAdvice: () => Promise<Advice | undefined> }} findAdvice: after the lab was run; undefined without goals,
 *   or without measurements
 */
export function createSweep(options) {
  const { command, slo: slos = [], target, warmUp, startTimeout } = options;
  const startMs = startTimeout * 1000;
  /** @type {Recording[]} */
  const recordings = [];
  /** @type {Scenario | undefined} */
  let workload;

  /** @type {SweepLab} */
  const lab = {
    ...createSweepView([]),
    summary: 'one load on your own app, at several pool sizes',
    options: {},
    mongo: null,
    async plan() {
      const plan = await planSweep(options);
      ({ workload } = plan);
      return plan;
    },
    prepare: (plan, context) => prepareSweep(plan, options, context),
    async measure({ settings: { poolSize } }, plan, { signal }) {
      const app = await startWatchedApp(command, { target, poolSize, startMs, signal });
      try {
        await warmUpApp(app.url, {
          scenario: options.scenario, environment: options.environment, paths: options.warmUpPaths, poolSize, seconds: warmUp, signal: app.signal,
        });
        const reader = await readMonitors(app.processes, app.signal);
        const { figures: ofClient, failed, warnings } = await playLoad(app, plan, options);
        const seen = await reader.stop();
        const settings = await checkPools(app, poolSize);
        const requests = joinRequests(seen);
        const pools = new Set(seen.checkouts.map(({ source, pool }) => `${source} ${pool}`)).size;
        if (pools === 1) recordings.push({ poolSize, requests, checkouts: seen.checkouts, settings });
        const ofApp = summariseSweep(requests, seen.checkouts);
        return {
          failed,
          // A client that timed out, or was refused, knows more; only the app knows its routes.
          measured: { ...ofApp, ...ofClient, routes: ofApp.routes, goals: measureGoals(slos, requests) },
          arrivalsMs: listArrivals(seen.checkouts),
          warnings: [...warnings, ...listDoubts(seen, pools)],
        };
      } finally {
        await app.stop();
      }
    },
    predict: ({ settings: { poolSize } }) => predictSize(poolSize, recordings, workload),
  };

  return {
    lab,
    async findAdvice() {
      const typical = pickTypical(recordings);
      if (slos.length === 0 || !typical) return undefined;
      // The services have the rest of each response.
      return advise({ ...createMeasuredLoad(typical, recordings, workload), slos, overhead: { kind: 'fixed', ms: 0 } });
    },
  };
}

/**
 * @param {AttachedApp & { url: string }} app
 * @param {SweepPlan} plan
 * @param {SweepOptions} options
 * @returns {Promise<{ figures: object, failed?: string, warnings: string[] }>} figures of the client
 */
async function playLoad(app, { workload }, { scenario, environment, load }) {
  if (scenario === undefined) {
    await runLoadCommand(String(load), app.url, app.signal);
    return { figures: {}, warnings: [] };
  }
  return playScenario({ scenario, target: app.url, environment, workload, signal: app.signal });
}

/**
 * @param {AttachedApp} app
 * @param {number} poolSize
 * @returns {Promise<Recording['settings']>}
 * @throws {Error} if a client has another size
 */
async function checkPools(app, poolSize) {
  const processes = app.processes.filter(({ url }) => url !== undefined);
  if (processes.length === 0) throw new Error('no MongoClient of the app connected: there is no pool to measure');
  const other = processes.flatMap(({ clients }) => clients).find(({ maxPoolSize }) => maxPoolSize !== poolSize);
  if (other) throw new Error(`a client of the app has ${other.maxPoolSize || 'unlimited'} connections instead of ${poolSize}`);
  return (await fetchMonitor(processes[0], '/pool', app.signal)).settings;
}

/** What makes the figures or the prediction less than they seem. @param {Seen} seen @param {number} pools @returns {string[]} */
function listDoubts({ checkouts, requests, forgotten }, pools) {
  const outside = checkouts.filter(({ requestId }) => requestId === null).length;
  return [
    ...(requests.length === 0 ? ['the app saw no request: was the load sent to it?'] : []),
    ...(checkouts.length === 0 ? ['no request took a connection from the pool'] : []),
    ...(forgotten > 0 ? [`${forgotten} requests or checkouts are missing: there were more than the monitor keeps`] : []),
    ...(pools > 1 ? [`the app has ${pools} pools of this size, in all its processes: nothing is predicted`] : []),
    ...(outside > checkouts.length / 20 ? [`${outside} of ${checkouts.length} checkouts were work outside requests, which the `
      + 'prediction leaves out'] : []),
  ];
}

import { access } from 'node:fs/promises';
import path from 'node:path';
import { advise, createScenarioLoad } from 'mongodb-pool-predictor';
import { readScenario } from 'mongodb-pool-predictor/node';
import { WORKERS } from '../harness/artillery.js';
import { fetchMonitor, readMonitors } from '../harness/monitor-reader.js';
import { playScenario } from '../harness/play-scenario.js';
import { listArrivals } from '../harness/summarise-checkouts.js';
import { toPrintable } from '../printable.js';
import { runLoadCommand } from './load-command.js';
import { joinRequests } from './measured-requests.js';
import { createMeasuredLoad, predictSize } from './size-prediction.js';
import { startWatchedApp } from './start-watched.js';
import { summariseSweep } from './sweep-figures.js';
import { measureGoals } from './sweep-goals.js';
import { createSweepView } from './sweep-view.js';
import { tryApp } from './try-app.js';
import { warmUpApp } from './warm-up-app.js';

/** @import { Advice, Slo } from 'mongodb-pool-predictor' */
/** @import { Context, Lab, Plan, Prepared } from '../harness/run-lab.js' */
/** @import { Seen } from '../harness/monitor-reader.js' */
/** @import { AttachedApp } from '../harness/attached-app.js' */
/** @import { Recording, Scenario } from './size-prediction.js' */
/** @import { SweepFigures } from './sweep-figures.js' */

/** Start and end of Artillery and the app, in ms: an estimate for the progress bar. */
const OVERHEAD_MS = 10_000;
/** How long a load command takes is not known. */
const COMMAND_MS = 30_000;

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
    async predict({ settings: { poolSize } }) {
      return await predictSize(poolSize, recordings, workload) ?? {};
    },
  };

  return {
    lab,
    async findAdvice() {
      if (slos.length === 0 || recordings.length === 0) return undefined;
      // The services have the rest of each response.
      return advise({ ...createMeasuredLoad(recordings, workload), slos, overhead: { kind: 'fixed', ms: 0 } });
    },
  };
}

/** @param {SweepOptions} options @returns {Promise<SweepPlan>} */
async function planSweep({ command, scenario, environment, load, target, poolSizes, slo = [], warmUp }) {
  const read = await readForPrediction(scenario, environment);
  const durationMs = read.workload ? createScenarioLoad(read.workload, { workers: WORKERS }).durationMs : COMMAND_MS;
  return {
    ...read,
    settings: {
      command: command.map((word) => toPrintable(word)).join(' '), target, poolSizes, warmUp, goals: slo.map(({ text }) => text),
      ...(scenario === undefined ? { load: toPrintable(String(load)) } : { scenario: nameFile(scenario), environment }),
    },
    variants: poolSizes.map((poolSize) => (
      { name: `pool ${poolSize}`, settings: { poolSize }, estimateMs: durationMs + OVERHEAD_MS + warmUp * 1000 })),
  };
}

/**
 * Artillery can run more than can be simulated.
 * @param {string} [scenario] @param {string} [environment]
 * @returns {Promise<{ workload?: Scenario, warnings: string[] }>}
 */
async function readForPrediction(scenario, environment) {
  if (scenario === undefined) return { warnings: [] };
  await access(scenario).catch((cause) => {
    throw new Error(`${scenario} can't be read: ${cause.message}`, { cause });
  });
  const name = nameFile(scenario);
  try {
    const workload = await readScenario(scenario, { environment, skipFunctions: true });
    return { workload, warnings: workload.warnings.map(({ line, message }) => `${name}, line ${line}, in the prediction: ${message}`) };
  } catch (error) {
    return { warnings: [`the prediction replays the requests as they arrived: ${/** @type {Error} */ (error).message}`] };
  }
}

/**
 * @param {SweepPlan} plan
 * @param {SweepOptions} options
 * @param {Context} context
 * @returns {Promise<Prepared>}
 */
async function prepareSweep({ workload }, { command, target, startTimeout, warmUpPaths, agree, poolSizes, scenario }, { signal, report }) {
  const lines = (workload?.requests ?? []).filter(({ method, url, isOwn }) => isOwn && method === 'get' && !url.includes('{{'));
  const placeOf = (/** @type {string} */ url) => url.replace(/^https?:\/\/[^/]*/i, '') || '/';
  const paths = [...warmUpPaths ?? [], ...lines.map(({ url }) => placeOf(url))];
  /** @param {Record<string, number>} statuses */
  const listMissing = (statuses) => Object.keys(statuses).filter((path) => statuses[path] === 404).map((path) => {
    const line = lines.find(({ url }) => placeOf(url) === path)?.line;
    return `GET ${path} ${line ? `(${nameFile(String(scenario))}, line ${line}) ` : ''}answers 404`;
  });
  const { hosts, poolSizes: ownSizes, node, statuses } = await tryApp(command, {
    target, startMs: startTimeout * 1000, paths, agree, signal,
    check(found) {
      const missing = listMissing(found);
      if (paths.length > 0 && missing.length === Object.keys(found).length) throw new Error(`Nothing was measured: ${missing.join('; ')}.`);
    },
  });
  report(`The app uses the MongoDB at ${hosts.join(', ')}. Whatever its code or connection string says, its maxPoolSize is replaced: `
    + `${poolSizes.join(', ')} instead of ${ownSizes.map((size) => size || 'no limit').join(' and ')}.`);
  for (const text of listMissing(statuses)) report(`! ${text}.`);
  if (scenario === undefined && !warmUpPaths) {
    report('! Nothing warms the app up, so its connections open while it is measured. Name paths for that with --warm-up-paths.');
  }
  return {
    settings: { mongodb: hosts.join(', '), ownPoolSizes: ownSizes },
    environment: { node: node.replace('v', ''), driver: "the app's", mongodb: "the app's" },
    undo: async () => {},
  };
}

/** @param {string} file */
function nameFile(file) {
  return path.relative(process.cwd(), file);
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

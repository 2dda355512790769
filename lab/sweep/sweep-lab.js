import { groupHidden } from 'mongodb-pool-predictor';
import { explainVerdict } from 'mongodb-pool-page/universal/explain-diagnosis.js';
import { askMonitor, readMonitors } from '../harness/monitor-reader.js';
import { diagnoseRecent } from '../harness/recent-diagnosis.js';
import { explainHidden } from '../predictions/explain-check.js';
import { runScenario } from '../harness/loads/artillery-load.js';
import { runLoadCommand } from '../harness/loads/command.js';
import { listArrivals } from '../harness/summarise-checkouts.js';
import { listChosen } from './chosen-clients.js';
import { planSweep } from './plan-sweep.js';
import { prepareSweep, warmUpApp } from './prepare-sweep.js';
import { adviseFrom, predictSize, recordMeasurement } from './size-prediction.js';
import { describeUse, readServer } from './server-use.js';
import { AppPort, startWatchedApp } from './start-watched.js';
import { describeFailed, measureGoals, summariseSweep } from './sweep-figures.js';
import { createSweepView } from './sweep-view.js';

/** @import { Diagnosis, HiddenFigures, Slo } from 'mongodb-pool-predictor' */
/** @import { ClientReport } from '../harness/loads/load-types.js' */
/** @import { Context, Lab, Measurement, Plan } from '../harness/run-lab.js' */
/** @import { Seen } from '../harness/monitor-reader.js' */
/** @import { AttachedApp } from '../harness/attached-app.js' */
/** @import { AttachedClient } from '../harness/attach-reports.js' */
/** @import { SweepScenario } from './plan-sweep.js' */
/** @import { SweepRecording } from './size-prediction.js' */
/** @import { SweepFigures } from './sweep-figures.js' */

/**
 * @typedef {object} SweepOptions
 * @property {string[]} command that starts the app
 * @property {number[]} poolSizes
 * @property {string[]} [scenario] paths of an Artillery scenario, merged into the first; without it there is a `load`
 * @property {string} [environment] one of the scenario's
 * @property {string} [config] path of the scenario's config
 * @property {Record<string, unknown>} [variables] of the scenario
 * @property {string} [load] command of another load generator
 * @property {'embedded'} [mongo] a MongoDB of ours for the app; without it the app uses its own
 * @property {string} [target] URL of the app
 * @property {string} [client] name of the only client whose pool gets these sizes
 * @property {Slo[]} [slo]
 * @property {number} warmUp seconds
 * @property {string[]} [warmUpPaths]
 * @property {number} startTimeout seconds
 * @property {(hosts: string[]) => Promise<void>} confirmHosts throws unless these hosts may get load
 *
 * @typedef {{ poolSize: number }} SweepSettings
 * @typedef {Plan<SweepSettings, SweepFigures> & { workload?: SweepScenario }} SweepPlan
 * @typedef {Lab<{ repeat?: number }, SweepSettings, SweepFigures, SweepPlan>} SweepLab
 */

const DIAGNOSIS_MS = 10_000;

/** The mixed lab for the user's own app. */
export class Sweep {
  #options;
  #port = new AppPort();
  /** What was measured so far. @type {SweepRecording[]} */
  #recordings = [];
  /** @type {SweepScenario | undefined} */
  #workload;
  /** Why predicted figures have no value. @type {HiddenFigures[]} */
  #hidden = [];
  /** What the doctor says of the last measurement at each size. @type {Map<number, string>} */
  #diagnoses = new Map();

  /** @param {SweepOptions} options */
  constructor(options) {
    this.#options = options;
  }

  /** @returns {SweepLab} */
  get lab() {
    return {
      ...createSweepView([]),
      summary: 'one load on your own app, at several pool sizes',
      options: {},
      mongo: this.#options.mongo === 'embedded' ? {} : null,
      plan: async () => {
        const plan = await planSweep(this.#options);
        this.#workload = plan.workload;
        return plan;
      },
      prepare: (plan, context) => prepareSweep(plan, this.#options, { ...context, port: this.#port }),
      measure: ({ settings: { poolSize } }, plan, context) => this.#measure(poolSize, context),
      predict: async ({ settings: { poolSize } }) => {
        const { hidden = [], ...figures } = await predictSize(poolSize, this.#recordings, this.#load);
        this.#hidden.push(...hidden);
        return figures;
      },
    };
  }

  /**
   * Why predicted figures are hidden; after the lab was run.
   * @returns {{ hidden: HiddenFigures[], words: string[] }}
   */
  get gaps() {
    const hidden = groupHidden(this.#hidden);
    return { hidden, words: hidden.map(explainHidden) };
  }

  get #load() {
    return { isScenario: this.#options.scenario !== undefined };
  }

  /** @returns {string[]} why requests waited, a sentence for each size at which that is known; after the lab was run */
  get diagnoses() {
    const bySize = [...this.#diagnoses].toSorted(([a], [b]) => a - b);
    return bySize.map(([poolSize, text]) => `Pool size ${poolSize}: ${text}`);
  }

  /**
   * @returns {Promise<Awaited<ReturnType<typeof adviseFrom>> | undefined>} after the lab was run; undefined without
   *   goals, or without measurements
   * @throws {Error} saying why there is none
   */
  async findAdvice() {
    const { slo: slos = [] } = this.#options;
    if (slos.length === 0 || this.#recordings.length === 0) return undefined;
    return adviseFrom(this.#recordings, slos, this.#load);
  }

  /** @param {number} poolSize @param {Context} context @returns {Promise<Measurement<SweepFigures>>} */
  async #measure(poolSize, { mongoUrl, signal, report }) {
    const { client, slo: slos = [] } = this.#options;
    const app = await startWatchedApp(this.#options, { poolSize, client, mongoUrl, port: this.#port, signal, report });
    try {
      await warmUpApp(app, poolSize, this.#options);
      const reader = await readMonitors(app.processes, app.signal);
      const before = await readServer(app);
      const { figures: ofClient, failures, warnings } = await this.#runLoad(app).catch(addStatuses(reader));
      const after = await readServer(app);
      const chosen = listChosen(app.processes, client);
      const all = await reader.stop();
      const seen = client === undefined ? all : keepClients(all, chosen);
      const snapshot = await checkPools(app, poolSize, chosen);
      const diagnosis = await diagnoseApp(app);
      if (diagnosis) this.#diagnoses.set(poolSize, explainVerdict(diagnosis));
      const pools = new Set(seen.checkouts.map(({ source, pool }) => `${source} ${pool}`)).size;
      const clients = new Set(seen.checkouts.map(({ pool }) => pool)).size;
      if (pools === 1) {
        const hosts = app.processes.flatMap((process) => process.clients.flatMap((each) => each.hosts));
        const server = describeUse(before, after, hosts);
        this.#recordings.push(await recordMeasurement(poolSize, seen, { ...snapshot, server }));
      }
      const ofApp = summariseSweep(seen);
      const failing = describeFailed(seen.requests, failures);
      return {
        failed: failures && failing,
        // A client that timed out, or was refused, knows more; only the app knows its routes.
        measured: { ...ofApp, ...ofClient, routes: ofApp.routes, ...measureGoals(slos, seen.requests) },
        arrivalsMs: listArrivals(seen.checkouts),
        warnings: [
          ...warnings,
          // The load generator accepts them.
          ...(failures || failing === '' ? [] : [`requests failed: ${failing}`]),
          ...listDoubts(seen, pools, clients),
        ],
      };
    } finally {
      await app.stop();
    }
  }

  /** @param {AttachedApp & { url: string }} app @returns {Promise<ClientReport>} */
  #runLoad({ url, signal }) {
    const { scenario, environment, config, variables, load } = this.#options;
    return scenario === undefined
      ? runLoadCommand({ command: String(load), target: url }, { signal })
      : runScenario({ scenario, target: url, environment, config, variables, workload: this.#workload }, { signal });
  }
}

/**
 * Adds to the error of a load what the app answered.
 * @param {Awaited<ReturnType<typeof readMonitors>>} reader
 * @returns {(error: Error) => Promise<never>}
 */
function addStatuses(reader) {
  return async (cause) => {
    const failing = await reader.stop().then(
      ({ requests }) => describeFailed(requests),
      () => '',
    );
    throw failing === '' ? cause : new Error(`${cause.message}\nRequests failed: ${failing}`, { cause });
  };
}

/**
 * Leaves out what requests do with other clients: that is a part of the rest of their time.
 * @param {Seen} seen
 * @param {AttachedClient[]} clients
 */
function keepClients(seen, clients) {
  const names = new Set(clients.map(({ name }) => name));
  return { ...seen, checkouts: seen.checkouts.filter(({ pool }) => names.has(pool)) };
}

/**
 * @param {AttachedApp} app
 * @returns {Promise<Diagnosis | undefined>} of the process whose requests waited most; undefined if unclear
 */
async function diagnoseApp({ processes, signal }) {
  const all = await Promise.all(
    processes.flatMap(({ url }) => (url === undefined ? [] : diagnoseRecent(url, { timeoutMs: DIAGNOSIS_MS, signal }))),
  );
  return all
    .filter((each) => each !== undefined)
    .filter(({ verdict }) => verdict.cause !== 'tooLittleData')
    .toSorted((a, b) => b.totals.waitedMs - a.totals.waitedMs)[0];
}

/**
 * @param {AttachedApp} app
 * @param {number} poolSize
 * @param {AttachedClient[]} clients that should have it
 * @returns {Promise<{ settings?: object, clients?: any[] }>} what the first process says of its pools
 * @throws {Error} if a client has another size
 */
async function checkPools(app, poolSize, clients) {
  const processes = app.processes.filter(({ url }) => url !== undefined);
  if (processes.length === 0) throw new Error('no MongoClient of the app connected: there is no pool to measure');
  const other = clients.find(({ maxPoolSize }) => maxPoolSize !== poolSize);
  if (other)
    throw new Error(`a client of the app has ${other.maxPoolSize || 'unlimited'} connections instead of ${poolSize}`);
  return askMonitor(processes[0], (client) => client.snapshot(app.signal));
}

/**
 * What makes the figures or the prediction less than they seem.
 * @param {Seen} seen @param {number} pools in all processes @param {number} clients with different names
 * @returns {string[]}
 */
function listDoubts({ checkouts, requests, forgotten }, pools, clients) {
  const outside = checkouts.filter(({ requestId }) => requestId === null).length;
  return [
    ...(requests.length === 0 ? ['the app saw no request: was the load sent to it?'] : []),
    ...(checkouts.length === 0 ? ['no request took a connection from the pool'] : []),
    ...(forgotten > 0
      ? [`${forgotten} requests or checkouts are missing: there were more than the monitor keeps`]
      : []),
    ...(pools > 1 ? [`the app has ${describePools(pools, clients)}: nothing is predicted`] : []),
    ...(outside > checkouts.length / 20
      ? [`${outside} of ${checkouts.length} checkouts were work outside of requests, which is predicted as it was`]
      : []),
  ];
}

/** The workers of a cluster are instances of one app. @param {number} pools @param {number} clients */
function describePools(pools, clients) {
  return clients === 1
    ? `${pools} instances, each with a pool of this size`
    : `${clients} clients, with ${pools} pools of this size in all its processes, of which --client NAME changes one ` +
        "client's";
}

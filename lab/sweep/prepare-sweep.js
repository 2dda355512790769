import { listChosen } from './chosen-clients.js';
import { nameFile } from './plan-sweep.js';
import { ask } from 'mongodb-pool-page/client';
import { runArtillery } from '../../src/load-tests/artillery.js';
import { runClosedLoop } from '../harness/loads/closed-loop.js';
import { askMonitor } from '../harness/monitor-reader.js';
import { requireGoalRoutes } from '../predictions/route-patterns.js';
import { startWatchedApp, waitForClients } from './start-watched.js';

/** @import { AttachedApp } from '../harness/attached-app.js' */
/** @import { Context, Prepared } from '../harness/run-lab.js' */
/** @import { AppPort } from './start-watched.js' */
/** @import { SweepOptions, SweepPlan } from './sweep-lab.js' */

/**
 * Sees whether the app can be measured, and says what will happen to it.
 *
 * @param {SweepPlan} plan
 * @param {SweepOptions} options
 * @param {Context & { port: AppPort }} context
 * @returns {Promise<Prepared>}
 */
export async function prepareSweep({ workload }, options, { mongoUrl, port, signal, report }) {
  const { client, warmUpPaths, poolSizes, scenario, slo = [] } = options;
  const lines = (workload?.requests ?? []).filter(
    ({ method, url, isOwn }) => isOwn && method === 'get' && !url.includes('{{'),
  );
  const placeOf = (/** @type {string} */ url) => url.replace(/^https?:\/\/[^/]*/i, '') || '/';
  const paths = [...(warmUpPaths ?? []), ...lines.map(({ url }) => placeOf(url))];
  /** @param {Record<string, number>} statuses */
  const listMissing = (statuses) =>
    Object.keys(statuses)
      .filter((path) => statuses[path] === 404)
      .map((path) => {
        const found = lines.find(({ url }) => placeOf(url) === path);
        const place = found && scenario && `(${nameFile(found.file ?? scenario[0])}, line ${found.line}) `;
        return `GET ${path} ${place ?? ''}answers 404`;
      });
  const check = (/** @type {Record<string, number>} */ found) => {
    const missing = listMissing(found);
    if (paths.length > 0 && missing.length === Object.keys(found).length)
      throw new Error(`Nothing was measured: ${missing.join('; ')}.`);
  };
  const { hosts, ownSizes, node, statuses, routes } = await tryApp(options, {
    ...{ mongoUrl, port, paths, check, signal, report },
  });
  if (workload) requireGoalRoutes(slo, workload.requests, routes);
  report(
    `The app uses the MongoDB at ${hosts.join(', ')}. Whatever its code or connection string says, ${
      client === undefined ? 'its maxPoolSize' : `the maxPoolSize of its client ${client}`
    } is replaced: ` +
      `${poolSizes.join(', ')} instead of ${ownSizes.map((size) => size || 'no limit').join(' and ')}.`,
  );
  for (const text of listMissing(statuses)) report(`! ${text}.`);
  const cold = '! Nothing warms the app up, so its connections open while it is measured. ';
  if (scenario === undefined && !warmUpPaths) report(`${cold}Name paths for that with --warm-up-paths.`);
  return {
    settings: { mongodb: hosts.join(', '), ownPoolSizes: ownSizes },
    environment: { node: node.replace('v', ''), driver: "the app's", mongodb: "the app's" },
  };
}

/** More callers would be a load test. */
const MAX_CALLERS = 50;
const USERS_PER_SEC = 50;
/** fetch itself gives up after five minutes. */
const ANSWER_MS = 300_000;

/**
 * Opens connections, fills caches and lets Node.js compile: as many users as the pool has connections, without a pause.
 *
 * @param {AttachedApp & { url: string }} app
 * @param {number} poolSize
 * @param {SweepOptions} options users run the scenario, or request the paths in turn; warmUp 0: no warm-up
 */
export async function warmUpApp({ url, signal }, poolSize, { scenario, warmUpPaths, warmUp, ...options }) {
  if (warmUp === 0) return;
  const callers = Math.min(poolSize, MAX_CALLERS);
  if (warmUpPaths) {
    const task = (/** @type {number} */ index) => requestPath(url, warmUpPaths[index % warmUpPaths.length], signal);
    await runClosedLoop({ workers: callers, task, withinMs: warmUp * 1000 }, { signal });
  } else if (scenario !== undefined) {
    const phases = [{ duration: Math.ceil(warmUp), arrivalRate: USERS_PER_SEC, maxVusers: callers }];
    const { environment, config, variables } = options;
    await runArtillery({ scenario, target: url, environment, config, variables, phases, signal });
  }
}

/** @param {string} url @param {string} path @param {AbortSignal} signal @returns {Promise<number>} the status */
function requestPath(url, path, signal) {
  const read = async (/** @type {Response} */ response) => {
    await response.arrayBuffer();
    return response.status;
  };
  return ask(new URL(path, url), read, { signal, redirect: 'manual', timeoutMs: ANSWER_MS });
}

/** Most apps connect before they listen. */
const EARLY_MS = 1000;
const CLIENT_MS = 5000;

/**
 * @typedef {object} TriedApp
 * @property {string[]} hosts of the app's MongoDB
 * @property {number[]} ownSizes of the app's pools
 * @property {string} node the version that it runs on
 * @property {Record<string, number>} statuses by path: with which it answered
 * @property {string[]} routes that answered, by the app's names
 */

/**
 * Starts the app once as it is, to see whether it can be measured.
 *
 * @param {SweepOptions} options
 * @param {object} run
 * @param {string} run.mongoUrl of a MongoDB for the app; empty: it has its own
 * @param {AppPort} run.port
 * @param {string[]} run.paths to request, each once
 * @param {(statuses: Record<string, number>) => void} run.check gets the status of each path; throws unless these do
 * @param {AbortSignal} run.signal
 * @param {(line: string) => void} run.report
 * @returns {Promise<TriedApp>}
 * @throws {Error} saying why it can't
 */
async function tryApp({ client: only, confirmHosts, ...options }, { mongoUrl, port, paths, check, signal, report }) {
  const app = await startWatchedApp(options, { client: only, mongoUrl, port, signal, report });
  /** @type {Record<string, number>} */
  const statuses = {};
  const requestAll = async () => {
    for (const path of paths) statuses[path] ??= await requestPath(app.url, path, app.signal);
    check(statuses);
  };
  try {
    // An app may also connect with its first query.
    await waitForClients(app, EARLY_MS).catch(async () => {
      app.signal.throwIfAborted();
      await requestAll();
    });
    const processes = await waitForClients(app, CLIENT_MS);
    const hosts = [...new Set(processes.flatMap(({ clients }) => clients.flatMap((client) => client.hosts)))];
    await confirmHosts(hosts);
    await requestAll();
    const ownSizes = [...new Set(listChosen(processes, only).map(({ maxPoolSize }) => maxPoolSize))];
    const { node } = (await askMonitor(processes[0], (client) => client.snapshot(app.signal))).process;
    const seen = await Promise.all(
      processes.map((process) => askMonitor(process, (client) => client.requestsSince(0, app.signal))),
    );
    const routes = [...new Set(seen.flatMap(({ requests }) => requests.map(({ route }) => route)))];
    return { hosts, ownSizes, node, statuses, routes };
  } finally {
    await app.stop();
  }
}

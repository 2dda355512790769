import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createRandom } from 'mongodb-pool-predictor';
import { readTrace } from 'mongodb-pool-predictor/node';
import { measureUntil } from 'test-support/waiting.js';
import { recordTrace } from '../../lab/cli/record-trace.js';
import { startAttachedApp } from '../../lab/harness/attached-app.js';
import { runClosedLoop } from '../../lab/harness/loads/closed-loop.js';
import { drawRequests, runOpenLoop } from '../../lab/harness/loads/open-loop.js';

/** @import { AppQuery, ShopLoad } from './loads.js' */

/** @typedef {{ route: string, operation: string }} QueryKind operation: as in a trace, such as `find products` */

const APP = fileURLToPath(new URL('app.js', import.meta.url));
const START_MS = 30_000;
const WARM_UPS = 40;
/** The recording begins this long before the load. */
const LEAD_MS = 300;
/**
 * Where more cores than these were busy with something else than the server, the recording is made again, until there
 * are as many as TRIES. The app and the load need 0.2.
 */
const MAX_OTHER_CORES = 0.5;
const TRIES = 3;

/** Finds the kinds of queries of a load. @param {ShopLoad} load @returns {QueryKind[]} */
export function listKinds({ routes }) {
  return Object.entries(routes).flatMap(([route, queries]) =>
    queries.map((query) => ({ route, operation: operationOf(query) })),
  );
}

/**
 * Records a load once as it is, and once with each kind of query changed. What is in the folder already is not recorded
 * again.
 *
 * @param {string} name of the load, in file names
 * @param {ShopLoad} load
 * @param {{ factor: number, seconds: number, mongoUrl: string, folder: string, signal: AbortSignal, say: (line: string)
 *   => void }} options factor: times as long as a changed query takes
 * @returns {Promise<{ base: string, changed: string[] }>} trace files; changed: in the order of listKinds
 */
export async function recordChanges(name, load, { factor, folder, say, ...options }) {
  /** @param {string} title @param {ShopLoad} changed */
  const record = async (title, changed) => {
    const file = path.join(folder, `${title}.jsonl`);
    if (existsSync(file)) return file;
    say(`${title}, load average ${os.loadavg()[0].toFixed(1)}`);
    const unfinished = path.join(folder, `${title}-unfinished.jsonl`);
    const recordOnce = async () => {
      await rm(unfinished, { force: true });
      await recordLoad(changed, { ...options, out: unfinished });
      return (await readTrace(unfinished)).server;
    };
    await measureUntil(recordOnce, (server) => !(Number(server?.otherBusyCores) > MAX_OTHER_CORES), TRIES);
    await rename(unfinished, file);
    return file;
  };
  const base = await record(`${name}.base`, load);
  const changed = [];
  for (const { route, operation } of listKinds(load)) {
    const change = (/** @type {AppQuery} */ query) => (operationOf(query) === operation ? scale(query, factor) : query);
    const queries = load.routes[route].map(change);
    const title = `${name}.${route.slice(1)}-${operation.replace(' ', '-')}`;
    changed.push(await record(title, { ...load, routes: { ...load.routes, [route]: queries } }));
  }
  return { base, changed };
}

/** @param {AppQuery} query */
function operationOf([command, collection]) {
  return `${command} ${collection}`;
}

/** @param {AppQuery} query @param {number} factor @returns {AppQuery} */
function scale([command, collection, ms, ...rest], factor) {
  return [command, collection, ms * factor, ...rest];
}

/**
 * Starts the app, warms it up, sends it the load, and records it until the last answer.
 *
 * @param {ShopLoad} load
 * @param {{ seconds: number, mongoUrl: string, out: string, signal: AbortSignal }} options out: trace file
 */
async function recordLoad(load, { seconds, mongoUrl, out, signal }) {
  const app = await startAttachedApp([process.execPath, APP], {
    signal,
    env: { MONGO_URL: mongoUrl, APP_POOL: String(load.pool), APP_ROUTES: JSON.stringify(load.routes) },
  });
  try {
    const { port, url } = await app.until(
      (processes) =>
        processes.flatMap(({ ports: [first], url: page }) => (first && page ? { port: first, url: page } : []))[0],
      { ms: START_MS, otherwise: 'the app did not start' },
    );
    await sendAtOnce(port, load);
    const end = new AbortController();
    const recorded = recordTrace(
      { option: 'app', url, headers: {} },
      { out, every: 250, maxMb: 100, signal: end.signal, onStart: () => {}, onEnd: () => {} },
    );
    try {
      const send = () => sendLoad(port, load, { seconds, signal: app.signal });
      await Promise.race([recorded, sleep(LEAD_MS).then(send)]);
    } finally {
      end.abort();
      await recorded;
    }
  } finally {
    await app.stop();
  }
}

/** Makes the pool open its connections. @param {number} port @param {ShopLoad} load */
async function sendAtOnce(port, { pool, routes }) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: pool });
  for (const route of Object.keys(routes))
    await Promise.all(Array.from({ length: WARM_UPS }, () => request(port, route, 0.2, agent)));
  agent.destroy();
}

/** @param {number} port @param {ShopLoad} load @param {{ seconds: number, signal: AbortSignal }} options */
function sendLoad(port, load, options) {
  const { ratePerSec, callers = {} } = load;
  return Promise.all([
    ratePerSec && sendOpen(port, { ...load, ratePerSec }, options),
    ...Object.entries(callers).map(([route, each]) => sendClosed(port, { route, ...each }, options)),
  ]);
}

/**
 * @param {number} port
 * @param {Pick<ShopLoad, 'swing'> & Required<Pick<ShopLoad, 'ratePerSec'>>} load
 * @param {{ seconds: number, signal: AbortSignal }} options
 */
async function sendOpen(port, { ratePerSec, swing }, { seconds, signal }) {
  const rates = Object.entries(ratePerSec);
  const allPerSec = rates.reduce((sum, [, rate]) => sum + rate, 0);
  const turn = swing ?? [[seconds * 1000, 1]];
  const turns = Math.round((seconds * 1000) / turn.reduce((sum, [forMs]) => sum + forMs, 0));
  const due = drawRequests({
    phases: Array.from({ length: turns }, () => turn)
      .flat()
      .map(([durationMs, times]) => ({ durationMs, arrivalRate: allPerSec * times, mode: 'poisson' })),
    scenarios: rates.map(([route, weight]) => ({ weight, steps: [{ kind: 'request', route }] })),
  });
  const { uniform } = createRandom(1, 'stretch');
  const requests = due.map((each) => ({ ...each, stretch: 0.5 + uniform() }));
  const agent = new http.Agent({ keepAlive: true });
  await runOpenLoop({ requests, send: ({ route, stretch }) => request(port, route, stretch, agent) }, { signal });
  agent.destroy();
}

/**
 * @param {number} port
 * @param {{ route: string, callers: number, thinkMs: number }} load
 * @param {{ seconds: number, signal: AbortSignal }} options
 */
async function sendClosed(port, { route, callers, thinkMs }, { seconds, signal }) {
  const users = Array.from({ length: callers }, (_, user) => ({
    random: createRandom(1, `${route} ${user}`),
    // Each has its own connection, as a browser has.
    agent: new http.Agent({ keepAlive: true }),
  }));
  /** @param {number} _index @param {number} user */
  async function task(_index, user) {
    const { random, agent } = users[user];
    await sleep(thinkMs * random.exponential());
    await request(port, route, 0.5 + random.uniform(), agent);
  }
  await runClosedLoop({ workers: callers, withinMs: seconds * 1000, task }, { signal });
  for (const { agent } of users) agent.destroy();
}

/** @param {number} port @param {string} route @param {number} stretch see app.js @param {http.Agent} agent */
async function request(port, route, stretch, agent) {
  const path = `${route}?stretch=${stretch.toFixed(3)}`;
  const [response] = await once(http.get({ port, host: '127.0.0.1', path, agent }), 'response');
  if (response.statusCode !== 200) throw new Error(`${route} answered HTTP ${response.statusCode}`);
  await once(response.resume(), 'end');
}

// What does the attached monitor cost an app? Three apps with one tiny query per request, and one with an answer of 100
// documents, each under as much load as it can take, plain and attached by turns. `least` shows what it costs to follow requests
// and to hear the pool, and to keep nothing. Each turn is a new process, because two processes of one program differ by some
// percent; costs are means over the rounds, beside their standard errors. Each process collects its garbage before it is measured:
// an app that runs for long has, and it is slower from then on. All have the same semi-space: V8 picks one by chance. On Linux, the
// app has a core to itself. Exits with 1 if a cost is over its limit.
//
//   node benchmarks/attach-cost.js [--rounds 8] [--seconds 4] [--node 20,24] [--only fastify-mongodb]
import { execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Command } from 'commander';
import { MongoClient } from 'mongodb';
import { orInvalid, parsePositive } from '../src/cli/option-parsers.js';
import { abortOnSignal } from '../src/cli/signals.js';
import { forkScript } from '../src/harness/forked-process.js';
import { startEmbeddedMongo } from '../src/mongo/embedded.js';
import { readSettings } from '../src/settings.js';
import { copyApps } from '../test/attach/install.js';
import { findNodeVersions } from '../test/attach/node-versions.js';

/** @import { ChildProcess } from 'node:child_process' */
/** @typedef {{ usPerRequest: number, p99Ms: number, cpuUs: number }} Turn cpuUs: processor time of the app for a request */
/** @typedef {{ app: string, route: string, node: string }} Files */

/** @type {Record<string, { file: string, route: string }>} */
const APPS = {
  'express-mongodb': { file: 'express-mongodb.mjs', route: '/users/7' },
  'fastify-mongodb': { file: 'fastify-mongodb.mjs', route: '/users/7' },
  'express-mongoose': { file: 'express-mongoose.mjs', route: '/users/7' },
  'express-100-documents': { file: 'express-mongodb.mjs', route: '/users' },
};
const LEAST = 'least.mjs';
/** What is loaded before the app. @type {Record<string, string | null>} */
const KINDS = { plain: null, least: LEAST, attached: import.meta.resolve('mongodb-pool-monitor/attach') };
const LOAD = fileURLToPath(new URL('attach-cost/steady-load-process.js', import.meta.url));
const CONNECTIONS = 20;
/** After a garbage collection each; the second one lasts until V8 has compiled everything once more. */
const WARM_UP_MS = [1000, 5500];
const CORES = os.availableParallelism();
const APP_CORE = '0';
const OTHER_CORES = `1-${CORES - 1}`;
const SEMI_SPACE = ['--min-semi-space-size=16', '--max-semi-space-size=16'];
/**
 * In percent, of throughput and of p99. Node 20 pays more for following a request through async code.
 * @type {Record<string, number>}
 */
const LIMITS = { 20: 5, 24: 2 };

const { rounds, seconds, node, only } = new Command('attach-cost.js')
  .description('Measures what the attached monitor costs an app in throughput, p99 and processor time.')
  .option('--rounds <n>', 'processes of each app, Node and kind', parsePositive, 8)
  .option('--seconds <n>', 'to measure each process', parsePositive, 4)
  .option('--node <versions>', 'with commas between them', oneOrMoreOf(Object.keys(LIMITS)), Object.keys(LIMITS))
  .option('--only <apps>', 'with commas between them', oneOrMoreOf(Object.keys(APPS)), Object.keys(APPS))
  .parse().opts();
const say = (/** @type {string} */ line) => void process.stderr.write(`${line}\n`);

const { signal, release } = abortOnSignal();
try {
  await compareAll();
} catch (error) {
  say(/** @type {Error} */ (error).message);
  process.exitCode ||= 1;
} finally {
  release();
}

async function compareAll() {
  await pin(process, OTHER_CORES);
  const versions = (await findNodeVersions()).filter(({ version }) => node.includes(version));
  const folder = await mkdtemp(path.join(os.tmpdir(), 'attach-cost-'));
  const mongo = await startEmbeddedMongo({ ...readSettings(), report: say, signal });
  try {
    await copyApps(fileURLToPath(new URL('attach-cost/apps', import.meta.url)), folder);
    await seed(mongo.url);
    const rows = [];
    for (const version of versions) {
      for (const name of only) {
        const files = { app: path.join(folder, APPS[name].file), route: APPS[name].route, node: version.file };
        /** @type {Record<string, Turn[]>} by kind */
        const turns = Object.fromEntries(Object.keys(KINDS).map((kind) => [kind, []]));
        for (let round = 1; round <= rounds; round += 1) {
          say(`Node ${version.version}, ${name}, round ${round} of ${rounds}`);
          for (const kind of Object.keys(KINDS)) turns[kind].push(await playTurn(files, kind, mongo.url));
        }
        rows.push(...Object.keys(KINDS).map((kind) => describe({ version: version.version, name, kind }, turns.plain, turns[kind])));
      }
    }
    // eslint-disable-next-line no-console
    console.table(rows);
  } finally {
    await mongo.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** @param {string} mongoUrl */
async function seed(mongoUrl) {
  const client = await MongoClient.connect(mongoUrl);
  await client.db('shop').collection('users').insertMany(Array.from({ length: 1000 }, (_, n) => (
    { _id: /** @type {any} */ (n), name: `User ${n}`, email: `user-${n}@example.com` })));
  await client.close();
}

/** @param {Files} files @param {string} kind @param {string} mongoUrl @returns {Promise<Turn>} */
async function playTurn(files, kind, mongoUrl) {
  const app = await startApp(files, kind, mongoUrl);
  try {
    const load = await forkScript(LOAD, { name: 'the load', args: [`${app.url}${files.route}`, String(CONNECTIONS)], signal });
    try {
      for (const ms of WARM_UP_MS) {
        await ask(app.child, 'collect');
        await delay(ms, undefined, { signal });
      }
      const [before] = await Promise.all([ask(app.child, 'usage'), ask(load.child, 'figures')]);
      await delay(seconds * 1000, undefined, { signal });
      const [after, { failed, p99Ms }] = await Promise.all([ask(app.child, 'usage'), ask(load.child, 'figures')]);
      if (failed > 0) throw new Error(`${app.url}: ${failed} requests failed`);
      const requests = after.requests - before.requests;
      return { usPerRequest: (after.atMs - before.atMs) * 1000 / requests, p99Ms, cpuUs: (after.cpuUs - before.cpuUs) / requests };
    } finally {
      await load.stop();
    }
  } finally {
    app.child.kill('SIGKILL');
  }
}

/** @param {Files} files @param {string} kind @param {string} mongoUrl @returns {Promise<{ child: ChildProcess, url: string }>} */
async function startApp({ app, node: execPath }, kind, mongoUrl) {
  const preload = KINDS[kind] === LEAST ? path.join(path.dirname(app), LEAST) : KINDS[kind];
  const child = fork(app, {
    execPath, execArgv: ['--expose-gc', ...SEMI_SPACE, ...(preload ? ['--import', preload] : [])],
    env: { ...process.env, MONGO_URL: mongoUrl, NODE_ENV: 'production' }, stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  const said = /** @type {string[]} */ ([]);
  child.stderr?.setEncoding('utf8').on('data', (chunk) => said.push(chunk));
  const ended = once(child, 'exit').then(() => { throw new Error(`${app} ended: ${said.join('')}`); });
  ended.catch(() => {});
  const [{ url }] = await Promise.race([once(child, 'message', { signal }), ended]);
  await pin(child, APP_CORE);
  return { child, url };
}

/** @param {{ pid?: number }} child @param {string} cores */
async function pin({ pid }, cores) {
  if (process.platform !== 'linux' || CORES === 1) return;
  await promisify(execFile)('taskset', ['--all-tasks', '--cpu-list', '--pid', cores, String(pid)], { signal });
}

/** @param {ChildProcess} child @param {string} question */
async function ask(child, question) {
  child.send(question);
  const [answer] = await once(child, 'message', { signal });
  return answer;
}

/**
 * A row of the table.
 * @param {{ version: string, name: string, kind: string }} what
 * @param {Turn[]} plain by round
 * @param {Turn[]} turns the same of the kind
 */
function describe({ version, name, kind }, plain, turns) {
  const limit = LIMITS[version];
  /** How much more the kind costs than plain, in percent. @param {keyof Turn} figure @param {boolean} [isLimited] */
  const costOf = (figure, isLimited = false) => {
    const costs = turns.map((turn, round) => (turn[figure] / plain[round][figure] - 1) * 100);
    const isOver = isLimited && kind === 'attached' && mean(costs) > limit;
    if (isOver) process.exitCode = 1;
    return kind === 'plain' ? '' : `${format(mean(costs))} ± ${standardError(costs).toFixed(1)}${isOver ? ' OVER' : ''}`;
  };
  const meanOf = (/** @type {keyof Turn} */ figure, of = turns) => mean(of.map((turn) => turn[figure]));
  return {
    node: version, app: name, kind,
    'req/s': Math.round(1e6 / meanOf('usPerRequest')),
    // Time for a request, so that more is worse in each column.
    'throughput cost %': costOf('usPerRequest', true),
    'p99 ms': meanOf('p99Ms').toFixed(1), 'p99 cost %': costOf('p99Ms', true),
    'CPU us/req': Math.round(meanOf('cpuUs')), 'more': (meanOf('cpuUs') - meanOf('cpuUs', plain)).toFixed(1), 'CPU cost %': costOf('cpuUs'),
    'limit %': kind === 'attached' ? limit : '',
  };
}

/** @param {number[]} values */
function mean(values) {
  return values.reduce((total, value) => total + value, 0) / values.length;
}

/** Of the mean. @param {number[]} values */
function standardError(values) {
  const middle = mean(values);
  return Math.sqrt(values.reduce((total, value) => total + (value - middle) ** 2, 0) / (values.length - 1) / values.length);
}

/** @param {number} percent */
function format(percent) {
  return `${percent < 0 ? '' : '+'}${percent.toFixed(1)}`;
}

/** @param {string[]} choices @returns {(text: string) => string[]} reads names with commas between them */
function oneOrMoreOf(choices) {
  return orInvalid((text) => {
    const names = text.split(',');
    if (!names.every((name) => choices.includes(name))) throw new Error(`It must be one or more of ${choices.join(', ')}.`);
    return names;
  });
}

// What does the attached monitor cost an app? Three apps with one tiny query per request, and one with an answer of 100
// documents, run plain and attached, under as much load as they can take. They take turns of a second, because the speed of a
// machine drifts, and each round starts new processes, because two processes of one program differ by a percent or two. Costs
// are medians over the turns, beside the lowest and the highest median of a round. A second plain app shows the noise, and
// `least` what following requests costs at least. Each process collects its garbage twice in the warm-up: an app that runs for
// long has, and it is slower from then on. All have the same semi-space: V8 picks one by chance, and that alone is worth 4 %.
// Exits with 1 if a cost is over its limit.
//
//   node benchmarks/attach-cost.js [--rounds 5] [--seconds 8] [--node 20,24] [--only fastify-mongodb]
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { MongoClient } from 'mongodb';
import { orInvalid, parsePositive } from '../src/cli/option-parsers.js';
import { abortOnSignal } from '../src/cli/signals.js';
import { runHttpLoad } from '../src/harness/http-load.js';
import { startEmbeddedMongo } from '../src/mongo/embedded.js';
import { readSettings } from '../src/settings.js';
import { copyApps } from '../test/attach/install.js';
import { findNodeVersions } from '../test/attach/node-versions.js';
import { median, takeTurns } from './bench/take-turns.js';

/** @import { ChildProcess } from 'node:child_process' */
/** @typedef {{ ratePerSec: number, p99Ms: number, cpuUs: number }} Turn cpuUs: processor time of the app for a request */
/** @typedef {{ child: ChildProcess, url: string }} App */
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
const KINDS = { 'plain': null, 'plain again': null, 'least': LEAST, 'attached': import.meta.resolve('mongodb-pool-monitor/attach') };
const CONNECTIONS = 20;
const WARM_UP_MS = 300;
const SEMI_SPACE = ['--min-semi-space-size=16', '--max-semi-space-size=16'];
/**
 * In percent, of throughput and of p99. Node 20 pays more for following a request through async code.
 * @type {Record<string, number>}
 */
const LIMITS = { 20: 5, 24: 2 };

const { rounds, seconds, node, only } = new Command('attach-cost.js')
  .description('Measures what the attached monitor costs an app in throughput, p99 and processor time.')
  .option('--rounds <n>', 'rounds of new processes', parsePositive, 5)
  .option('--seconds <n>', 'turns of a second, for each process of a round', parsePositive, 8)
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
  const versions = (await findNodeVersions()).filter(({ version }) => node.includes(version));
  const folder = await mkdtemp(path.join(os.tmpdir(), 'attach-cost-'));
  const mongo = await startEmbeddedMongo({ ...readSettings(), report: say, signal });
  try {
    await copyApps(fileURLToPath(new URL('attach-cost', import.meta.url)), folder);
    await seed(mongo.url);
    const rows = [];
    for (const version of versions) {
      for (const name of only) {
        const files = { app: path.join(folder, APPS[name].file), route: APPS[name].route, node: version.file };
        /** @type {Turn[][][]} by kind and round */
        const turns = Object.keys(KINDS).map(() => []);
        for (let round = 1; round <= rounds; round += 1) {
          say(`Node ${version.version}, ${name}, round ${round} of ${rounds}`);
          const measured = await measureRound(files, mongo.url);
          measured.forEach((each, kind) => turns[kind].push(each));
        }
        rows.push(...Object.keys(KINDS).map((kind, index) => describe({ version: version.version, name, kind }, turns[0], turns[index])));
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

/** @param {Files} files @param {string} mongoUrl @returns {Promise<Turn[][]>} by kind */
async function measureRound(files, mongoUrl) {
  /** @type {App[]} */
  const apps = [];
  try {
    for (const kind of Object.keys(KINDS)) apps.push(await start(files, kind, mongoUrl));
    return await takeTurns(apps.length, seconds, (index, isWarmUp) => load(apps[index], isWarmUp));
  } finally {
    for (const { child } of apps) child.kill('SIGKILL');
  }
}

/** @param {Files} files @param {string} kind @param {string} mongoUrl @returns {Promise<App>} */
async function start({ app, route, node: execPath }, kind, mongoUrl) {
  const preload = KINDS[kind] === LEAST ? path.join(path.dirname(app), LEAST) : KINDS[kind];
  const execArgv = ['--expose-gc', ...SEMI_SPACE, ...(preload ? ['--import', preload] : [])];
  const child = fork(app, {
    execPath, execArgv, env: { ...process.env, MONGO_URL: mongoUrl, NODE_ENV: 'production' }, stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  const said = /** @type {string[]} */ ([]);
  child.stderr?.setEncoding('utf8').on('data', (chunk) => said.push(chunk));
  const ended = once(child, 'exit').then(() => { throw new Error(`${app} ended: ${said.join('')}`); });
  ended.catch(() => {});
  const [{ url }] = await Promise.race([once(child, 'message', { signal }), ended]);
  return { child, url: `${url}${route}` };
}

/** @param {App} app @param {boolean} isWarmUp @returns {Promise<Turn>} */
async function load({ child, url }, isWarmUp) {
  const before = await readUsage(child);
  if (isWarmUp) setTimeout(() => child.send('collect'), WARM_UP_MS);
  const { measured, failed } = await runHttpLoad({ url, connections: CONNECTIONS, warmUpMs: WARM_UP_MS, durationMs: 1000 }, { signal });
  if (failed || !measured?.ratePerSec) throw new Error(`${url}: ${failed ?? 'no answer'}`);
  const after = await readUsage(child);
  const cpuUs = (after.cpuUs - before.cpuUs) / (after.requests - before.requests);
  return { ratePerSec: measured.ratePerSec, p99Ms: Number(measured.p99Ms), cpuUs };
}

/** @param {ChildProcess} child @returns {Promise<{ requests: number, cpuUs: number }>} */
async function readUsage(child) {
  child.send('usage');
  const [usage] = await once(child, 'message', { signal });
  return usage;
}

/**
 * A row of the table.
 * @param {{ version: string, name: string, kind: string }} what
 * @param {Turn[][]} plain by round
 * @param {Turn[][]} ofKind the same of the kind
 */
function describe({ version, name, kind }, plain, ofKind) {
  const medianOf = (/** @type {(turn: Turn) => number} */ read, turns = ofKind) => median(turns.flat().map(read));
  const limit = LIMITS[version];
  const [cpuUs, plainUs] = [ofKind, plain].map((turns) => medianOf((turn) => turn.cpuUs, turns));
  /** How much more the kind costs than plain, turn by turn, in percent. @param {(turn: Turn) => number} read */
  const costOf = (read) => {
    const costs = ofKind.map((turns, round) => turns.map((turn, index) => (read(turn) / read(plain[round][index]) - 1) * 100));
    const ofRounds = costs.map(median);
    return { median: median(costs.flat()), spread: [Math.min(...ofRounds), Math.max(...ofRounds)] };
  };
  /** @param {ReturnType<typeof costOf>} cost @param {boolean} [isLimited] */
  const show = ({ median, spread }, isLimited) => {
    const isOver = isLimited && kind === 'attached' && median > limit;
    if (isOver) process.exitCode = 1;
    return `${format(median)} (${spread.map(format).join(' to ')})${isOver ? ' OVER' : ''}`;
  };
  return {
    node: version, app: name, kind,
    'req/s': Math.round(medianOf((turn) => turn.ratePerSec)),
    // Time for a request, so that more is worse in each column.
    'throughput cost %': show(costOf((turn) => 1 / turn.ratePerSec), true),
    'p99 ms': medianOf((turn) => turn.p99Ms).toFixed(1),
    'p99 cost %': show(costOf((turn) => turn.p99Ms), true),
    'CPU us/req': Math.round(cpuUs),
    'more': Math.round(cpuUs - plainUs),
    'CPU cost %': show(costOf((turn) => turn.cpuUs)),
    'limit %': kind === 'attached' ? limit : '',
  };
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

// What does the attached monitor cost an app? Three apps with one tiny query per request, and one with an answer of 100
// documents, each under as much load as it can take. `least` shows what it costs to follow requests, to hear the pool
// and to write both down, and nothing else. OpenTelemetry, dd-trace and Sentry, which trace each request and send
// nothing, stand beside it. In each round, an app of each kind runs beside the others and they are loaded by turns, a
// part of a second each: so whatever else the machine does slows all of them. The turns are short, because an app that
// has been idle for a second is slower, and the attached one most of all. New rounds start new processes, because two
// of one program differ by some percent; costs are means over the rounds, beside their standard errors. Each process
// collects its garbage before it is measured: an app that runs for long has, and it is slower from then on. All have
// the same semi-space: V8 picks one by chance. On Linux, the apps have a core to themselves.
// Exits with 1 if the attached monitor takes more CPU time of a request than the allowed part of what OpenTelemetry
// takes.
//
//   node benchmarks/attach-cost.js [--rounds 4] [--seconds 12] [--node 20,24] [--only fastify-mongodb] [--kinds
//   plain,attached]
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, rm, symlink } from 'node:fs/promises';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { Command } from 'commander';
import { MongoClient } from 'mongodb';
import { orInvalid, parsePositive } from '../lab/cli/option-parsers.js';
import { abortOnSignal } from '../lab/cli/signals.js';
import { forkScript } from '../lab/harness/forked-process.js';
import { createChoicesParser } from '../lab/harness/lab-options.js';
import { startEmbeddedMongo } from '../src/mongo/embedded.js';
import { readSettings } from '../src/settings.js';
import { copyApps, findNodeVersions, install } from 'test-support/installations.js';

/** @typedef {{ requests: number, cpuUs: number, tookUs: number }} Usage cpuUs: CPU time of the app */
/** @typedef {{ usPerRequest: number, cpuUs: number, p99Ms: number }} Figures cpuUs: for a request */
/** @typedef {{ app: string, route: string, node: string, env: Record<string, string> }} Files */
/** @typedef {Awaited<ReturnType<typeof forkScript>>} Forked */
/** @typedef {{ app: Forked, load: Forked, turns: Usage[] }} Loaded an app and its load */

/** @type {Record<string, { file: string, route: string }>} */
const APPS = {
  'express-mongodb': { file: 'express-mongodb.mjs', route: '/users/7' },
  'fastify-mongodb': { file: 'fastify-mongodb.mjs', route: '/users/7' },
  'express-mongoose': { file: 'express-mongoose.mjs', route: '/users/7' },
  'express-100-documents': { file: 'express-mongodb.mjs', route: '/users' },
};
/** What is loaded before the app: a file beside it, or a URL. @type {Record<string, string | null>} */
const KINDS = {
  plain: null,
  least: 'least.mjs',
  attached: import.meta.resolve('mongodb-pool-monitor/attach'),
  opentelemetry: 'tracers/opentelemetry.mjs',
  'dd-trace': 'tracers/dd-trace.mjs',
  sentry: 'tracers/sentry.mjs',
};
const REFERENCE = 'opentelemetry';
/** What the tracers would do beside tracing. */
const QUIET = {
  OTEL_METRICS_EXPORTER: 'none',
  OTEL_LOGS_EXPORTER: 'none',
  DD_INSTRUMENTATION_TELEMETRY_ENABLED: 'false',
  DD_REMOTE_CONFIGURATION_ENABLED: 'false',
  DD_TRACE_STARTUP_LOGS: 'false',
};
const LOAD = fileURLToPath(new URL('attach-cost/steady-load-process.js', import.meta.url));
const CONNECTIONS = 20;
/** How long each app is loaded in its turn, and how much sooner, so that it is busy when that begins. */
const TURN_MS = 150;
const LEAD_MS = 30;
/** After a garbage collection each; the second one lasts until V8 has compiled everything once more. */
const WARM_UP_TURNS = [8, 58];
const CORES = os.availableParallelism();
const APP_CORE = '0';
const OTHER_CORES = `1-${CORES - 1}`;
const SEMI_SPACE = ['--min-semi-space-size=16', '--max-semi-space-size=16'];
/**
 * The part of OpenTelemetry's CPU time that the attached monitor may take. Node 20 pays more for following a request
 * through async code.
 * @type {Record<string, number>}
 */
const LIMITS = { 20: 1 / 8, 24: 1 / 20 };

const { rounds, seconds, node, only, kinds } = new Command('attach-cost.js')
  .description('Measures what the attached monitor costs an app in throughput, p99 and CPU time.')
  .option('--rounds <n>', 'processes of each app, Node and kind', parsePositive, 4)
  .option('--seconds <n>', 'to measure each process', parsePositive, 12)
  .option(
    '--node <versions>',
    'with commas between them',
    orInvalid(createChoicesParser(Object.keys(LIMITS))),
    Object.keys(LIMITS),
  )
  .option(
    '--only <apps>',
    'with commas between them',
    orInvalid(createChoicesParser(Object.keys(APPS))),
    Object.keys(APPS),
  )
  .option(
    '--kinds <kinds>',
    'with commas between them; plain is always one',
    orInvalid(createChoicesParser(Object.keys(KINDS))),
    Object.keys(KINDS),
  )
  .parse()
  .opts();
const measured = Object.keys(KINDS).filter((kind) => kind === 'plain' || kinds.includes(kind));
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
  const settings = readSettings();
  process.env.TEST_CACHE ??= settings.cacheDir;
  await pin(process, OTHER_CORES);
  const versions = (await findNodeVersions()).filter(({ version }) => node.includes(version));
  const folder = await mkdtemp(path.join(os.tmpdir(), 'attach-cost-'));
  const mongo = await startEmbeddedMongo({ ...settings, report: say, signal });
  const agent = await startAgent();
  const { port } = /** @type {import('node:net').AddressInfo} */ (agent.address());
  const env = { MONGO_URL: mongo.url, DD_TRACE_AGENT_URL: `http://127.0.0.1:${port}`, ...QUIET };
  try {
    await copyApps(fileURLToPath(new URL('attach-cost/apps', import.meta.url)), folder);
    const tracers = path.join(folder, 'tracers');
    await cp(fileURLToPath(new URL('attach-cost/tracers', import.meta.url)), tracers, { recursive: true });
    await symlink(await install('tracers'), path.join(tracers, 'node_modules'), 'junction');
    await seed(mongo.url);
    const rows = [];
    for (const version of versions) {
      for (const name of only) {
        const files = { app: path.join(folder, APPS[name].file), route: APPS[name].route, node: version.file, env };
        /** @type {Record<string, Figures>[]} by kind */
        const figures = [];
        while (figures.length < rounds) {
          say(`Node ${version.version}, ${name}, round ${figures.length + 1} of ${rounds}`);
          figures.push(await playRound(files));
        }
        rows.push(...measured.map((kind) => describe({ version: version.version, name, kind }, figures)));
      }
    }
    // eslint-disable-next-line no-console
    console.table(rows);
  } finally {
    agent.close();
    await mongo.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** An agent that takes what dd-trace sends, and drops it. @returns {Promise<import('node:http').Server>} */
async function startAgent() {
  const server = http.createServer((request, response) => {
    request.resume().on('end', () => response.setHeader('content-type', 'application/json').end('{}'));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return server;
}

/** @param {string} mongoUrl */
async function seed(mongoUrl) {
  const client = await MongoClient.connect(mongoUrl);
  await client
    .db('shop')
    .collection('users')
    .insertMany(
      Array.from({ length: 1000 }, (_, n) => ({
        _id: /** @type {any} */ (n),
        name: `User ${n}`,
        email: `user-${n}@example.com`,
      })),
    );
  await client.close();
}

/** @param {Files} files @returns {Promise<Record<string, Figures>>} by kind */
async function playRound(files) {
  /** @type {Loaded[]} in the order of the kinds */
  const apps = [];
  try {
    for (const kind of measured) apps.push(await startApp(files, kind));
    for (const turns of WARM_UP_TURNS) {
      for (const { app } of apps) await app.ask('collect');
      await takeTurns(apps, turns);
    }
    for (const each of apps) {
      each.turns = [];
      await each.load.ask('p99');
    }
    await takeTurns(apps, Math.ceil((seconds * 1000) / TURN_MS));
    const figures = await Promise.all(apps.map(readFigures));
    return Object.fromEntries(measured.map((kind, index) => [kind, figures[index]]));
  } finally {
    for (const { app, load } of apps) await Promise.all([load.stop(), app.stop()]);
  }
}

/** @param {Loaded[]} apps @param {number} count of turns of each */
async function takeTurns(apps, count) {
  for (let turn = 0; turn < count; turn += 1) {
    // Always in this order, so that each has been idle for as long: an app that comes back sooner is faster.
    for (const each of apps) each.turns.push(await takeTurn(each));
  }
}

/** @param {Loaded} loaded @returns {Promise<Usage>} */
async function takeTurn({ app, load }) {
  await load.ask('go');
  await delay(LEAD_MS, undefined, { signal });
  const [before] = await Promise.all([app.ask('usage'), load.ask('count')]);
  await delay(TURN_MS, undefined, { signal });
  const [after] = await Promise.all([app.ask('usage'), load.ask('pause')]);
  return {
    requests: after.requests - before.requests,
    cpuUs: after.cpuUs - before.cpuUs,
    tookUs: (after.atMs - before.atMs) * 1000,
  };
}

/** @param {Loaded} loaded @returns {Promise<Figures>} */
async function readFigures({ load, turns }) {
  const p99Ms = await load.ask('p99');
  const sum = (/** @type {keyof Usage} */ figure) => turns.reduce((total, turn) => total + turn[figure], 0);
  return { usPerRequest: sum('tookUs') / sum('requests'), cpuUs: sum('cpuUs') / sum('requests'), p99Ms };
}

/** @param {Files} files @param {string} kind @returns {Promise<Loaded>} */
async function startApp({ app: file, route, node: execPath, env }, kind) {
  const preload = KINDS[kind] && new URL(KINDS[kind], pathToFileURL(file)).href;
  const app = await forkScript(file, {
    name: 'the app',
    execPath,
    execArgv: ['--expose-gc', ...SEMI_SPACE, ...(preload ? ['--import', preload] : [])],
    env: { ...env, NODE_ENV: 'production' },
    signal,
  });
  await pin(app, APP_CORE);
  const load = await forkScript(LOAD, {
    name: 'the load',
    args: [`${app.message.url}${route}`, String(CONNECTIONS)],
    signal,
  });
  return { app, load, turns: [] };
}

/** @param {{ pid: number }} process @param {string} cores */
async function pin({ pid }, cores) {
  if (process.platform !== 'linux' || CORES === 1) return;
  await promisify(execFile)('taskset', ['--all-tasks', '--cpu-list', '--pid', cores, String(pid)], { signal });
}

/**
 * A row of the table.
 * @param {{ version: string, name: string, kind: string }} what
 * @param {Record<string, Figures>[]} rounds by kind
 */
function describe({ version, name, kind }, rounds) {
  /** How much more the kind costs than plain, in percent. @param {keyof Figures} figure */
  const costOf = (figure) =>
    kind === 'plain' ? '' : describeMean(rounds.map((round) => (round[kind][figure] / round.plain[figure] - 1) * 100));
  const meanOf = (/** @type {keyof Figures} */ figure, of = kind) => mean(rounds.map((round) => round[of][figure]));
  const moreCpuUs = (of = kind) => meanOf('cpuUs', of) - meanOf('cpuUs', 'plain');
  const part = measured.includes(REFERENCE) ? moreCpuUs() / moreCpuUs(REFERENCE) : NaN;
  const isOver = kind === 'attached' && part > LIMITS[version];
  if (isOver) process.exitCode = 1;
  return {
    node: version,
    app: name,
    kind,
    'req/s': Math.round(1e6 / meanOf('usPerRequest')),
    // Time for a request, so that more is worse in each column.
    'throughput cost %': costOf('usPerRequest'),
    'p99 ms': meanOf('p99Ms').toFixed(1),
    'p99 cost %': costOf('p99Ms'),
    'CPU us/req': Math.round(meanOf('cpuUs')),
    more: moreCpuUs().toFixed(1),
    [`of ${REFERENCE}`]: kind === 'attached' && part > 0 ? `1/${(1 / part).toFixed(1)}${isOver ? ' OVER' : ''}` : '',
  };
}

/** @param {number[]} values */
function mean(values) {
  return values.reduce((total, value) => total + value, 0) / values.length;
}

/** Standard error of the mean. @param {number[]} values */
function standardError(values) {
  const middle = mean(values);
  return Math.sqrt(
    values.reduce((total, value) => total + (value - middle) ** 2, 0) / (values.length - 1) / values.length,
  );
}

/** The mean, with its standard error unless there is only one value. @param {number[]} percents */
function describeMean(percents) {
  const percent = mean(percents);
  const text = `${percent < 0 ? '' : '+'}${percent.toFixed(1)}`;
  return percents.length > 1 ? `${text} ± ${standardError(percents).toFixed(1)}` : text;
}

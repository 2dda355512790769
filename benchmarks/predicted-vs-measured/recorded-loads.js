// Kinds of load on a plain app that knows nothing of the lab (doctor/app.js), under attach, as `record` records them.
import { access, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { spawn } from 'node:child_process';
import os from 'node:os';
import path from 'node:path';
import { MongoClient } from 'mongodb';
import { createRandom } from 'mongodb-pool-predictor';
import { readTrace } from 'mongodb-pool-predictor/node';
import { measureUntil } from 'test-support/waiting.js';
import { addLatency } from '../../lab/harness/latency.js';
import { startEmbeddedMongo } from '../../src/mongo/embedded.js';
import { recordCase } from '../doctor/run-case.js';

/** @import { MongoClientOptions } from 'mongodb' */
/** @import { AppCase, Case, InjectedLoad, RouteCase } from '../doctor/cases.js' */
/** @import { PartContext } from '../parts/run-parts.js' */

/**
 * @typedef {object} Kind of load
 * @property {Record<string, [step: string, amount: number][]>} routes see doctor/app.js
 * @property {Omit<RouteCase, 'steps'>} [more] of the first of these routes
 * @property {AppCase['jobs']} [jobs]
 * @property {InjectedLoad[]} load
 * @property {MongoClientOptions} [options] of the app's client
 * @property {MongoClientOptions} [reportOptions] of its second client
 * @property {Case['faults']} [faults]
 * @property {number} [members] of the server's replica set, default 1
 * @property {number} [rttMs] how much longer a round trip to the server takes
 * @property {boolean} [stepsDown] the primary of the replica set steps down halfway
 * @property {number} [noiseCores] which other programs keep busy meanwhile, in each recording
 * @property {boolean} [isSilent] the server does not say what it did, as for a user without the role clusterMonitor
 * @property {boolean} [isCpuBound] the pool size changes how long its queries take
 */

/** Name of the client whose pool is predicted. */
export const CLIENT = 'main';

/** @param {string} route @param {number} ratePerSec @param {Partial<InjectedLoad>} [more] @returns {InjectedLoad} */
export const open = (route, ratePerSec, more) => ({ route, ratePerSec, callers: 0, thinkMs: 0, isOpen: true, ...more });
/** @param {string} route @param {number} callers @param {number} thinkMs @returns {InjectedLoad} */
export const closed = (route, callers, thinkMs) => ({ route, ratePerSec: 0, callers, thinkMs, isOpen: false });

/** Is busy for so many ms of 20. */
const NOISE = `
  const busyMs = Number(process.argv[1]);
  setInterval(() => {
    const end = performance.now() + busyMs;
    while (performance.now() < end);
  }, 20);
`;

/** A pool that is too small gets this long to answer the last requests. */
const DRAIN_MS = 20_000;
/** Where more cores than these were busy with something else than the server, the recording is made again, ... */
const MAX_OTHER_CORES = 0.8;
/** ... until there are so many. */
const TRIES = 3;

const SLOW_OPENING = { handshakeMs: 30 };

/** @type {Record<string, Kind>} */
export const KINDS = {
  'one query': { routes: { '/a': [['hold', 20]] }, load: [open('/a', 60)] },
  'sequential queries': {
    routes: {
      '/a': [
        ['hold', 20],
        ['elsewhere', 5],
        ['hold', 10],
      ],
    },
    load: [open('/a', 45)],
  },
  'parallel queries': {
    routes: {
      '/a': [
        ['hold', 5],
        ['atOnce', 3],
      ],
    },
    load: [open('/a', 20)],
  },
  // What mongoose sends: the documents, then two collections of theirs at once.
  populate: {
    routes: {
      '/a': [
        ['hold', 15],
        ['atOnce', 2],
      ],
      '/fast': [['find', 1]],
    },
    load: [open('/a', 22), open('/fast', 30)],
  },
  'find with getMore': {
    routes: { '/a': [['batches', 3]], '/fast': [['find', 1]] },
    load: [open('/a', 25), open('/fast', 40)],
  },
  'slow beside fast': {
    routes: { '/a': [['hold', 10]], '/slow': [['hold', 250]] },
    load: [open('/a', 50), open('/slow', 4)],
  },
  'callers alone': { routes: { '/a': [['hold', 20]] }, load: [closed('/a', 12, 1)] },
  'callers who think': {
    routes: {
      '/a': [
        ['hold', 15],
        ['hold', 5],
      ],
    },
    load: [closed('/a', 10, 40)],
  },
  'callers beside open traffic': {
    routes: { '/a': [['hold', 20]], '/b': [['hold', 10]] },
    load: [closed('/a', 6, 40), open('/b', 30)],
  },
  'callers and arrivals on one route': {
    routes: { '/a': [['hold', 20]] },
    load: [closed('/a', 5, 40), open('/a', 30)],
  },
  'two clients': {
    options: { appName: CLIENT },
    reportOptions: { maxPoolSize: 3, appName: 'reports' },
    routes: {
      '/a': [['hold', 20]],
      '/b': [
        ['hold', 10],
        ['report', 30],
      ],
    },
    load: [open('/a', 35), open('/b', 30)],
  },
  'cold pool': { faults: SLOW_OPENING, routes: { '/a': [['hold', 40]] }, load: [open('/a', 45)] },
  'short idle time': {
    options: { maxIdleTimeMS: 60 },
    faults: SLOW_OPENING,
    routes: { '/a': [['hold', 20]] },
    load: [open('/a', 30)],
  },
  'step-down': { members: 3, stepsDown: true, routes: { '/a': [['sleep', 40]] }, load: [open('/a', 40)] },
  'lost server': {
    faults: { ...SLOW_OPENING, cutEveryMs: 4500, downMs: 600 },
    routes: { '/a': [['sleep', 40]] },
    load: [open('/a', 40)],
  },
  'time-outs': {
    options: { waitQueueTimeoutMS: 120 },
    routes: { '/a': [['hold', 25]] },
    load: [open('/a', 60, { periodMs: 2000 })],
  },
  waves: { routes: { '/a': [['hold', 20]] }, load: [open('/a', 60, { periodMs: 2000 })] },
  'CPU-bound, 0.3 of the server': {
    isCpuBound: true,
    routes: { '/a': [['compute', 8]], '/fast': [['find', 1]] },
    load: [open('/a', 50), open('/fast', 30)],
  },
  'CPU-bound, 0.8 of the server': {
    isCpuBound: true,
    routes: { '/a': [['compute', 10]], '/fast': [['find', 1]] },
    load: [open('/a', 110), open('/fast', 30)],
  },
  'CPU-bound, 1.5 of the server': {
    isCpuBound: true,
    routes: { '/a': [['compute', 10]] },
    load: [open('/a', 280)],
  },
  'CPU-bound, callers': {
    isCpuBound: true,
    routes: { '/a': [['compute', 10]], '/fast': [['find', 1]] },
    load: [closed('/a', 12, 5), open('/fast', 30)],
  },
  'callers on a silent server': {
    isCpuBound: true,
    isSilent: true,
    routes: { '/a': [['compute', 10]], '/fast': [['find', 1]] },
    load: [closed('/a', 12, 5), open('/fast', 30)],
  },
  // What a gateway does.
  'callers and arrivals behind a gateway': {
    routes: { '/a': [['hold', 20]], '/b': [['hold', 10]] },
    load: [
      { ...closed('/a', 8, 40), agent: 'gateway' },
      { ...open('/b', 37), agent: 'gateway' },
    ],
  },
  'callers without keep-alive': {
    routes: { '/a': [['hold', 20]] },
    load: [{ ...closed('/a', 8, 40), agent: 'none' }],
  },
  'callers beside other programs': {
    noiseCores: 1.4,
    routes: { '/a': [['hold', 20]] },
    load: [closed('/a', 32, 100)],
  },
  'a limit in the app': {
    routes: { '/a': [['hold', 40]], '/fast': [['find', 1]] },
    more: { limit: 3 },
    load: [open('/a', 60), open('/fast', 40)],
  },
  // In a small pool they wait for /b, and hold their locks meanwhile.
  'transactions on few documents': {
    routes: { '/a': [['transfer', 10]], '/b': [['hold', 40]] },
    load: [open('/a', 20), open('/b', 30)],
  },
  'clients that give up': {
    routes: { '/a': [['hold', 25]] },
    load: [{ ...open('/a', 60, { periodMs: 2000 }), timeoutMs: 300, retries: 2 }],
  },
  'cache hits': { routes: { '/a': [['hold', 20]] }, more: { cached: 0.5 }, load: [open('/a', 100)] },
  'queries in a loop': {
    routes: { '/a': Array.from({ length: 12 }, () => ['hold', 3]), '/fast': [['find', 1]] },
    load: [open('/a', 25), open('/fast', 30)],
  },
  'one hot document': {
    routes: { '/a': [['increment', 1]], '/b': [['hold', 15]] },
    load: [closed('/a', 24, 20), open('/b', 40)],
  },
  'writes to a majority': {
    members: 3,
    routes: { '/a': [['insert', 1]], '/fast': [['find', 1]] },
    load: [open('/a', 60), open('/fast', 30)],
  },
  'an export beside other traffic': {
    routes: { '/a': [['hold', 20]], '/export': [['exportAll', 15]] },
    load: [open('/a', 50), closed('/export', 3, 200)],
  },
  'a reverse proxy': {
    routes: { '/a': [['hold', 25]] },
    load: [{ ...open('/a', 60), agent: 'proxy', maxSockets: 12 }],
  },
  'a job of many queries': {
    jobs: [{ everyMs: 2000, count: 30, step: ['hold', 20] }],
    routes: { '/a': [['hold', 15]] },
    load: [open('/a', 40)],
  },
  'callers beside a timer': {
    jobs: [{ everyMs: 1000, count: 1, step: ['hold', 300] }],
    routes: { '/a': [['hold', 20]] },
    load: [closed('/a', 12, 40)],
  },
  'a server 8 ms away': {
    rttMs: 8,
    routes: {
      '/a': [
        ['find', 1],
        ['find', 1],
      ],
      '/fast': [['find', 1]],
    },
    load: [open('/a', 60), open('/fast', 60)],
  },
  'users who think': { routes: { '/a': [['hold', 20]] }, load: [closed('/a', 30, 250)] },
};

/**
 * Records kinds of load at pool sizes, with the same arrivals at each, until all are answered, and again if the machine
 * was busy. What is in the folder already is not recorded again.
 *
 * @param {Pick<PartContext, 'settings' | 'signal' | 'say' | 'folder'>} context
 * @param {{ kinds?: Record<string, Kind>, pools: number[], seconds: number, run?: number, again?: boolean }} options
 *   run: which arrivals; again: a second time with the same
 * @returns {Promise<Record<string, Record<number, string>>>} trace files, by kind and size
 */
export async function recordKinds(context, { kinds = KINDS, pools, seconds, run = 1, again = false }) {
  const { folder, say } = context;
  /** Running deployments by the number of their servers. @type {Map<number, Awaited<ReturnType<typeof startMongo>>>} */
  const mongos = new Map();
  /** @type {Record<string, Record<number, string>>} */
  const files = {};
  try {
    for (const [name, kind] of Object.entries(kinds)) {
      files[name] = {};
      for (const pool of pools) {
        const { members = 1 } = kind;
        const title = `${slugOf(name)}-${pool}-${seconds}s${run > 1 ? `-run${run}` : ''}${again ? '-again' : ''}`;
        const file = path.join(folder, `${title}.jsonl`);
        files[name][pool] = file;
        if (await exists(file)) continue;
        say(`${name}, pool ${pool}, load average ${os.loadavg()[0].toFixed(1)}`);
        const mongo = mongos.get(members) ?? (await startMongo(context, members));
        mongos.set(members, mongo);
        const { written } = await measureUntil(
          async () => {
            // Of a busy machine, or of an earlier run.
            await rm(path.join(folder, `${title}-unfinished.jsonl`), { force: true });
            // The same arrivals at each size.
            const random = createRandom(run, name).uniform;
            const written = await recordKind(kind, {
              ...{ pool, seconds, mongoUrl: mongo.url, random, name: `${title}-unfinished` },
              ...{ folder, signal: context.signal, settings: context.settings },
            });
            return { written, isBusy: !kind.noiseCores && (await wasBusy(written)) };
          },
          ({ isBusy }) => !isBusy,
          TRIES,
        );
        await rename(written, file);
      }
    }
  } finally {
    for (const mongo of mongos.values()) await mongo.stop();
  }
  return files;
}

/**
 * @param {Kind} kind
 * @param {{ pool: number, seconds: number, mongoUrl: string, random: () => number, folder: string, name: string,
 *   signal: AbortSignal, settings: PartContext['settings'] }} options
 * @returns {Promise<string>} trace file
 */
async function recordKind(kind, { pool, seconds, mongoUrl, settings, ...options }) {
  const { load, faults, members = 1, rttMs = 0, stepsDown, noiseCores = 0, isSilent } = kind;
  const noise = startNoise(noiseCores);
  const far = await addLatency(mongoUrl, settings, rttMs);
  try {
    const written = await recordCase(
      { app: describeApp(kind, pool), faults, load, seconds, drainMs: DRAIN_MS },
      {
        ...options,
        mongoPort: Number(/:(\d+)/.exec(far.url)?.[1]),
        ...(members > 1 && { mongoUrl }),
        ...(stepsDown && { halfway: () => stepDown(mongoUrl) }),
        isOpen: true,
      },
    );
    if (isSilent) await silenceServer(written);
    return written;
  } finally {
    for (const each of noise) each.kill('SIGKILL');
    await far.close();
  }
}

/** Takes out what the server said. @param {string} file trace */
async function silenceServer(file) {
  const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
  const others = lines.map((line) => JSON.parse(line)).filter(({ event }) => event !== 'server');
  await writeFile(file, others.map((line) => `${JSON.stringify({ ...line, server: undefined })}\n`).join(''));
}

/** @param {Kind} kind @param {number} pool size @returns {AppCase} */
function describeApp({ options, reportOptions, routes, more, jobs }, pool) {
  const [first] = Object.keys(routes);
  return {
    options: { ...options, maxPoolSize: pool },
    reportOptions,
    jobs,
    routes: Object.fromEntries(
      Object.entries(routes).map(([route, steps]) => [route, { steps, ...(route === first && more) }]),
    ),
  };
}

/** Processes that together keep cores busy, in turns of 20 ms. @param {number} cores */
function startNoise(cores) {
  return Array.from({ length: Math.ceil(cores) }, () =>
    spawn(process.execPath, ['-e', NOISE, String((20 * cores) / Math.ceil(cores))], { stdio: 'ignore' }),
  );
}

/** The name of a kind in files. @param {string} kind */
export function slugOf(kind) {
  return kind.replaceAll(/\W+/g, '-');
}

/** @param {string} file trace */
async function wasBusy(file) {
  const { server } = await readTrace(file);
  return Number(server?.otherBusyCores) > MAX_OTHER_CORES;
}

/** @param {string} file */
function exists(file) {
  return access(file).then(
    () => true,
    () => false,
  );
}

/** @param {string} url of a replica set whose primary hands over to another */
async function stepDown(url) {
  const client = await MongoClient.connect(url);
  await client.db('admin').command({ replSetStepDown: 10, secondaryCatchUpPeriodSecs: 5 });
  await client.close();
}

/**
 * A MongoDB with the documents of doctor/app.js.
 * @param {Pick<PartContext, 'settings' | 'signal' | 'say'>} context
 * @param {number} members of its replica set
 */
async function startMongo({ settings, signal, say }, members) {
  const mongo = await startEmbeddedMongo({
    ...settings,
    members,
    searchPath: String(process.env.PATH),
    signal,
    report: say,
  });
  const client = await MongoClient.connect(mongo.url);
  const db = client.db('doctor');
  const writeConcern = { w: members };
  await db.collection('articles').insertOne({ title: 'one' }, { writeConcern });
  await db.collection('pages').insertMany(Array.from({ length: 12 }, (_, page) => ({ page })));
  await client.close();
  return mongo;
}

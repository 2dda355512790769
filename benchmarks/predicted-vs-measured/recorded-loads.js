// Kinds of load on a plain app that knows nothing of the lab (doctor/app.js), under attach, as `record` records them.
import { access, rename, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { MongoClient } from 'mongodb';
import { createRandom } from 'mongodb-pool-predictor';
import { readTrace } from 'mongodb-pool-predictor/node';
import { measureUntil } from 'test-support/waiting.js';
import { startEmbeddedMongo } from '../../src/mongo/embedded.js';
import { recordCase } from '../doctor/run-case.js';

/** @import { MongoClientOptions } from 'mongodb' */
/** @import { Case, InjectedLoad } from '../doctor/cases.js' */
/** @import { PartContext } from '../parts/run-parts.js' */

/**
 * @typedef {object} Kind of load
 * @property {Record<string, [step: string, amount: number][]>} routes see doctor/app.js
 * @property {InjectedLoad[]} load
 * @property {MongoClientOptions} [options] of the app's client
 * @property {MongoClientOptions} [reportOptions] of its second client
 * @property {Case['faults']} [faults]
 * @property {boolean} [stepsDown] the server is a replica set of three, whose primary steps down halfway
 * @property {boolean} [isCpuBound] the pool size changes how long its queries take
 */

/** Name of the client whose pool is predicted. */
export const CLIENT = 'main';

/** @param {string} route @param {number} ratePerSec @param {Partial<InjectedLoad>} [more] @returns {InjectedLoad} */
export const open = (route, ratePerSec, more) => ({ route, ratePerSec, callers: 0, thinkMs: 0, isOpen: true, ...more });
/** @param {string} route @param {number} callers @param {number} thinkMs @returns {InjectedLoad} */
export const closed = (route, callers, thinkMs) => ({ route, ratePerSec: 0, callers, thinkMs, isOpen: false });

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
  'step-down': { stepsDown: true, routes: { '/a': [['sleep', 40]] }, load: [open('/a', 40)] },
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
};

/**
 * Records kinds of load at pool sizes, with the same arrivals at each, until all are answered, and again if the machine
 * was busy. What is in the folder already is not recorded again.
 *
 * @param {Pick<PartContext, 'settings' | 'signal' | 'say' | 'folder'>} context
 * @param {{ kinds?: Record<string, Kind>, pools: number[], seconds: number, run?: number }} options run: which arrivals
 * @returns {Promise<Record<string, Record<number, string>>>} trace files, by kind and size
 */
export async function recordKinds({ settings, signal, say, folder }, { kinds = KINDS, pools, seconds, run = 1 }) {
  /** Running deployments by the number of their servers. @type {Map<number, Awaited<ReturnType<typeof startMongo>>>} */
  const mongos = new Map();
  /** @type {Record<string, Record<number, string>>} */
  const files = {};
  try {
    for (const [kind, { routes, load, options, reportOptions, faults, stepsDown }] of Object.entries(kinds)) {
      files[kind] = {};
      for (const pool of pools) {
        const name = `${slugOf(kind)}-${pool}-${seconds}s${run > 1 ? `-run${run}` : ''}`;
        const file = path.join(folder, `${name}.jsonl`);
        files[kind][pool] = file;
        if (await exists(file)) continue;
        say(`${kind}, pool ${pool}, load average ${os.loadavg()[0].toFixed(1)}`);
        const members = stepsDown ? 3 : 1;
        const mongo = mongos.get(members) ?? (await startMongo({ settings, signal, say }, members));
        mongos.set(members, mongo);
        const app = {
          options: { ...options, maxPoolSize: pool },
          reportOptions,
          routes: Object.fromEntries(Object.entries(routes).map(([route, steps]) => [route, { steps }])),
        };
        const port = /:(\d+)/.exec(mongo.url)?.[1];
        const { written } = await measureUntil(
          async () => {
            // Of a busy machine, or of an earlier run.
            await rm(path.join(folder, `${name}-unfinished.jsonl`), { force: true });
            // The same arrivals at each size.
            const random = createRandom(run, kind).uniform;
            const options = {
              mongoPort: Number(port),
              ...(stepsDown && { mongoUrl: mongo.url, halfway: () => stepDown(mongo.url) }),
              isOpen: true,
              random,
              folder,
              name: `${name}-unfinished`,
              signal,
            };
            const trace = await recordCase({ app, faults, load, seconds, drainMs: DRAIN_MS }, options);
            return { written: trace, isBusy: await wasBusy(trace) };
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

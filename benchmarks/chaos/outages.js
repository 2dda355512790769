import { setTimeout as sleep } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import { startEmbeddedMongo } from '../../src/mongo/embedded.js';
import { readSettings } from '../../src/settings.js';
import { startApp } from './app.js';
import { NAMED, checkAtRest, watchGauges } from './gauges.js';
import { openLine } from './line.js';
import { measureRecovery, measureUnloaded, planLoad, sendLoad } from './measure.js';
import { createMongod } from './mongod.js';

const REQUEST_TIMEOUT_MS = 2000;
/** A deadline is kept by a timer of a process that may be busy. */
const LIMIT_MS = REQUEST_TIMEOUT_MS + 1000;
const LOAD = { '/fast': 20, '/slow': 4, '/livez': 5 };
const BEFORE_MS = 1000;
const MOST_LIVEZ_MS = 1000;
const MOST_RECOVERY_MS = 5000;

const SETTINGS = {
  ...NAMED, MONGO_POOLSIZE: '5', SLOW_MS: '200', REQUEST_TIMEOUT_MS: String(REQUEST_TIMEOUT_MS),
  MONGO_SERVER_SELECTION_TIMEOUT_MS: '1000',
};

/** Each fault begins, holds for some time and ends, in milliseconds after the load's beginning. */
const FAULTS = [
  ['mongod stopped and started', 3000, ({ mongod }) => mongod.end('SIGTERM'), ({ mongod }) => mongod.start()],
  ['mongod killed and started', 3000, ({ mongod }) => mongod.end('SIGKILL'), ({ mongod }) => mongod.start()],
  ['mongod stands still (SIGSTOP)', 10_000, ({ mongod }) => mongod.pause(), ({ mongod }) => mongod.resume()],
  ['line cut', 3000, ({ line }) => line.cut(), ({ line }) => line.restore()],
  ['line 100 ms longer each way', 3000, ({ line }) => line.change({ delayMs: 100 }), ({ line }) => line.change({ delayMs: 0 })],
  ['line 5 s longer each way', 5000, ({ line }) => line.change({ delayMs: 5000 }), ({ line }) => line.change({ delayMs: 0 })],
  ['line of 1 KB a second', 5000, ({ line }) => line.change({ bytesPerSec: 1024 }),
    ({ line }) => line.change({ bytesPerSec: Infinity })],
  ['server closes connections', 3000, failCommands({ closeConnection: true }), failCommands()],
  ['server answers 500 ms late', 3000, failCommands({ blockConnection: true, blockTimeMS: 500 }), failCommands()],
  ['server answers 5 s late', 3000, failCommands({ blockConnection: true, blockTimeMS: 5000 }), failCommands()],
];

/** @param {object} [data] what happens to queries, nothing unless told */
function failCommands(data) {
  const how = data
    ? { mode: 'alwaysOn', data: { failCommands: ['find', 'hello'], appName: NAMED.MONGO_APP_NAME, ...data } }
    : { mode: 'off' };
  return ({ admins: [admin] }) => admin.db('admin').command({ configureFailPoint: 'failCommand', ...how });
}

/**
 * What happens to MongoDB or on the way to it: one app lives through all of it.
 * @param {{ isShort: boolean, report: (row: object) => void }} options
 */
export async function runOutages({ isShort, report }) {
  const mongod = await createMongod();
  await mongod.start();
  const line = await openLine(mongod.port);
  const admins = [await MongoClient.connect(mongod.url, { serverSelectionTimeoutMS: 30_000 })];
  const app = await startApp({ ...SETTINGS, MONGO_URL: `mongodb://127.0.0.1:${line.port}/?directConnection=true` });
  try {
    for (const [name, holdMs, begin, end] of FAULTS) {
      report(await runFault({ name, holdMs: isShort ? Math.min(holdMs, 3000) : holdMs, begin, end }, { app, mongod, line, admins }));
    }
  } finally {
    await app.stop();
    line.cut();
    await admins[0].close();
    await mongod.remove();
  }
}

/** Three members, and another one becomes the primary. */
export async function runStepDown({ report }) {
  const mongo = await startEmbeddedMongo({ ...readSettings(), members: 3 });
  const admin = await MongoClient.connect(mongo.url);
  const hosts = admin.options.hosts.map(String);
  const admins = await Promise.all(hosts.map((host) => MongoClient.connect(`mongodb://${host}/?directConnection=true`)));
  const app = await startApp({ ...SETTINGS, MONGO_URL: mongo.url, MONGO_SERVER_SELECTION_TIMEOUT_MS: '5000', REQUEST_TIMEOUT_MS: '5000' });
  try {
    report(await runFault({
      name: 'primary of 3 steps down', holdMs: 1000, limitMs: 6000,
      begin: () => admin.db('admin').command({ replSetStepDown: 10, secondaryCatchUpPeriodSecs: 5 }),
      end: () => admin.db('admin').command({ ping: 1 }),
    }, { app, admins }));
  } finally {
    await app.stop();
    await Promise.all([admin, ...admins].map((client) => client.close()));
    await mongo.stop();
  }
}

async function runFault({ name, holdMs, begin, end, limitMs = LIMIT_MS }, stage) {
  const { app, admins } = stage;
  const unloadedMs = await measureUnloaded(app.url);
  const stopWatching = watchGauges(app);
  const loading = sendLoad(planLoad(LOAD, (BEFORE_MS + holdMs) / 1000), { url: app.url, limitMs });
  await sleep(BEFORE_MS);
  await begin(stage);
  await sleep(holdMs);
  await end(stage);
  const recoveryMs = await measureRecovery(app.url, unloadedMs);
  const { problems, livezMs, ...counts } = await loading;
  const watched = await stopWatching();
  if (livezMs > MOST_LIVEZ_MS) problems.push(`/livez took ${Math.round(livezMs)} ms`);
  if (recoveryMs > MOST_RECOVERY_MS) problems.push(`not back within ${MOST_RECOVERY_MS} ms`);
  problems.push(...watched.problems, ...await checkAtRest(app, admins));
  return { name, ...counts, problems, recoveryMs, note: `/fast p99 unloaded ${unloadedMs.toFixed(1)} ms` };
}

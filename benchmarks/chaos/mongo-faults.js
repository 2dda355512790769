import { setMaxListeners } from 'node:events';
import { Transform } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import { startEmbeddedMongo } from '../../src/mongo/embedded.js';
import { readSettings } from '../../src/settings.js';
import { checkAtRest, watchGauges } from './gauge-checks.js';
import { createMongod, APP_NAME, startApp } from './test-bed.js';
import { MAX_RECOVERY_MS, measureRecovery, measureUnloaded, planLoad, sendLoad } from './recovery.js';
import { openProxy } from 'test-support/tcp-proxy.js';

/** @import { Mongod, Options, Row, TestBed } from './test-bed.js' */

const PIECE_BYTES = 256;

/**
 * @typedef {{ delayMs: number, bytesPerSec: number }} Conditions in each direction
 * @typedef {Awaited<ReturnType<typeof openFaultyProxy>>} FaultyProxy
 */

/**
 * Opens a proxy to a server on this machine. It can be cut, delayed or throttled while it is in use.
 * @param {number} serverPort
 */
async function openFaultyProxy(serverPort) {
  const conditions = { delayMs: 0, bytesPerSec: Infinity };
  let changing = new AbortController();

  /** When the conditions change, everything in flight arrives at once. @param {number} ms */
  const wait = (ms) => {
    setMaxListeners(0, changing.signal);
    return sleep(ms, undefined, { signal: changing.signal }).catch(() => {});
  };
  /** A chunk waits before the next one is read, so the chunks behind it wait too. */
  const createPipe = () =>
    new Transform({
      async transform(chunk, encoding, done) {
        if (conditions.delayMs > 0) await wait(conditions.delayMs);
        for (let from = 0; from < chunk.length && conditions.bytesPerSec < Infinity; from += PIECE_BYTES) {
          await wait((PIECE_BYTES / conditions.bytesPerSec) * 1000);
        }
        done(null, chunk);
      },
    });
  const proxy = await openProxy(serverPort, (from, to) => from.pipe(createPipe()).pipe(to));
  /** @param {Partial<Conditions>} next */
  function change(next) {
    Object.assign(conditions, next);
    changing.abort();
    changing = new AbortController();
  }
  return { ...proxy, change };
}

/**
 * @typedef {object} Fault
 * @property {string} name
 * @property {number} durationMs
 * @property {() => unknown} begin
 * @property {() => unknown} end
 * @property {number} [timeoutMs] how long a client waits for its answer
 */

const REQUEST_TIMEOUT_MS = 2000;
/** Less than a short fault takes. */
const SHORT_REQUEST_TIMEOUT_MS = 1000;
/** Later than the request deadline, because the app's timers fire late when it is busy. */
const CLIENT_TIMEOUT_MS = REQUEST_TIMEOUT_MS + 1000;
const LOAD = { '/fast': 20, '/slow': 4, '/livez': 5 };
const BEFORE_MS = 500;
const MAX_LIVEZ_MS = 1000;
const MAX_SHORT_MS = 1500;

const SETTINGS = {
  MONGO_POOLSIZE: '5',
  SLOW_MS: '200',
  REQUEST_TIMEOUT_MS: String(REQUEST_TIMEOUT_MS),
  MONGO_SERVER_SELECTION_TIMEOUT_MS: '1000',
};

/**
 * @param {Mongod} mongod
 * @param {FaultyProxy} proxy between app and mongod
 * @param {MongoClient} admin
 * @returns {Fault[]}
 */
function listFaults(mongod, proxy, admin) {
  /** @param {object} data what happens to the app's queries */
  const failCommands = (data) =>
    admin.db('admin').command({
      configureFailPoint: 'failCommand',
      mode: 'alwaysOn',
      data: { failCommands: ['find', 'hello'], appName: APP_NAME, ...data },
    });
  const stopFailing = () => admin.db('admin').command({ configureFailPoint: 'failCommand', mode: 'off' });
  const start = () => mongod.start();
  const clear = () => proxy.change({ delayMs: 0, bytesPerSec: Infinity });
  return [
    { name: 'mongod stopped and restarted', durationMs: 3000, begin: () => mongod.end('SIGTERM'), end: start },
    { name: 'mongod killed and restarted', durationMs: 3000, begin: () => mongod.end('SIGKILL'), end: start },
    { name: 'mongod frozen (SIGSTOP)', durationMs: 10_000, begin: () => mongod.pause(), end: () => mongod.resume() },
    { name: 'network cut', durationMs: 3000, begin: () => proxy.cut(), end: () => proxy.restore() },
    {
      name: 'network delay 100 ms each way',
      durationMs: 3000,
      begin: () => proxy.change({ delayMs: 100 }),
      end: clear,
    },
    { name: 'network delay 5 s each way', durationMs: 5000, begin: () => proxy.change({ delayMs: 5000 }), end: clear },
    { name: 'bandwidth 1 KB/s', durationMs: 5000, begin: () => proxy.change({ bytesPerSec: 1024 }), end: clear },
    {
      name: 'server closes connections',
      durationMs: 3000,
      begin: () => failCommands({ closeConnection: true }),
      end: stopFailing,
    },
    {
      name: 'server replies 500 ms late',
      durationMs: 3000,
      begin: () => failCommands({ blockConnection: true, blockTimeMS: 500 }),
      end: stopFailing,
    },
    {
      name: 'server replies 5 s late',
      durationMs: 3000,
      begin: () => failCommands({ blockConnection: true, blockTimeMS: 5000 }),
      end: stopFailing,
    },
  ];
}

/** Breaks MongoDB and the network in front of it, in turn, under one app. @param {Options} options */
export async function runOutages({ isShort, report }) {
  const mongod = await createMongod();
  await mongod.start();
  const proxy = await openFaultyProxy(mongod.port);
  const admin = await MongoClient.connect(mongod.url, { serverSelectionTimeoutMS: 30_000 });
  const app = await startApp({
    ...SETTINGS,
    ...(isShort && { REQUEST_TIMEOUT_MS: String(SHORT_REQUEST_TIMEOUT_MS) }),
    MONGO_URL: `mongodb://127.0.0.1:${proxy.port}/?directConnection=true`,
  });
  try {
    const unloadedMs = await measureUnloaded(app.url, isShort);
    for (const fault of listFaults(mongod, proxy, admin)) {
      const durationMs = isShort ? Math.min(fault.durationMs, MAX_SHORT_MS) : fault.durationMs;
      report(await runFault({ ...fault, durationMs }, { app, admins: [admin], unloadedMs }));
    }
  } finally {
    await app.stop();
    proxy.cut();
    await admin.close();
    await mongod.remove();
  }
}

/** Has the primary of a replica set of three step down. @param {Options} options */
export async function runStepDown({ isShort, report }) {
  const mongo = await startEmbeddedMongo({ ...readSettings(), members: 3 });
  const admin = await MongoClient.connect(mongo.url);
  const admins = await Promise.all(
    admin.options.hosts.map((host) => MongoClient.connect(`mongodb://${host}/?directConnection=true`)),
  );
  const app = await startApp({
    ...SETTINGS,
    MONGO_URL: mongo.url,
    MONGO_SERVER_SELECTION_TIMEOUT_MS: '5000',
    REQUEST_TIMEOUT_MS: '5000',
  });
  try {
    report(
      await runFault(
        {
          name: 'primary of 3 steps down',
          durationMs: 1000,
          timeoutMs: 6000,
          begin: () => admin.db('admin').command({ replSetStepDown: 10, secondaryCatchUpPeriodSecs: 5 }),
          end: () => admin.db('admin').command({ ping: 1 }),
        },
        { app, admins, unloadedMs: await measureUnloaded(app.url, isShort) },
      ),
    );
  } finally {
    await app.stop();
    await Promise.all([admin, ...admins].map((client) => client.close()));
    await mongo.stop();
  }
}

/** @param {Fault} fault @param {TestBed & { unloadedMs: number }} testBed @returns {Promise<Row>} */
async function runFault({ name, durationMs, begin, end, timeoutMs = CLIENT_TIMEOUT_MS }, { app, admins, unloadedMs }) {
  const stopWatching = watchGauges(app);
  const loading = sendLoad(planLoad(LOAD, (BEFORE_MS + durationMs) / 1000), { url: app.url, timeoutMs });
  await sleep(BEFORE_MS);
  await begin();
  await sleep(durationMs);
  await end();
  const recoveryMs = await measureRecovery(app.url, unloadedMs);
  const { problems, maxLivezMs, ...counts } = await loading;
  const watched = await stopWatching();
  if (maxLivezMs > MAX_LIVEZ_MS) problems.push(`/livez took ${Math.round(maxLivezMs)} ms`);
  if (recoveryMs > MAX_RECOVERY_MS) problems.push(`no recovery within ${MAX_RECOVERY_MS} ms`);
  problems.push(...watched.problems, ...(await checkAtRest(app, admins)));
  const note = unloadedMs < Infinity ? `/fast p99 unloaded ${unloadedMs.toFixed(1)} ms` : undefined;
  return { name, ...counts, problems, recoveryMs, note };
}

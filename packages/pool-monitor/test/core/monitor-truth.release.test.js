import { isDeepStrictEqual } from 'node:util';
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import { beforeAll, expect, test } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { monitorPool } from '../../src/core/monitor.js';
import { cleanUp, startReplicaSet } from 'test-support/cleanup.js';
import { createRandom } from 'test-support/random.js';
import { createSlowQuery } from 'test-support/mongod.js';
import { until } from 'test-support/waiting.js';

const CLIENTS = 8;
const OPERATIONS = 10_000;
const CALLERS = 40;
const APP_NAME = 'tested';
/**
 * If a connection closes while the driver turns a command into bytes, the query never ends: the driver writes to a
 * closed socket and waits for it to drain (driver 7.8 and 7.9, Connection.writeCommand). That happens about once in 500
 * 000 of these queries, so each has a deadline.
 */
const PATIENCE_MS = 15_000;

/** @type {string} */
let url;
/** @type {MongoClient} */
let admin;

// A server of its own: the test counts and cuts its connections.
beforeAll(async () => {
  ({ url } = await startReplicaSet(['--setParameter', 'enableTestCommands=1']));
  admin = await MongoClient.connect(url, { maxPoolSize: 1 });
  cleanUp(() => admin.close());
});

test('the gauges are true after 10 000 random operations with kills, clears, aborts and timeouts', async () => {
  const random = createRandom(20201);
  const happened = { abort: 0, timeout: 0, cleared: 0, abandoned: 0, error: 0, stale: 0, checks: 0 };
  const deviated = { connecting: 0, queued: 0 };
  for (let turn = 0; turn < CLIENTS; turn += 1) {
    const { uniform } = random;
    const client = new MongoClient(url, {
      appName: APP_NAME,
      // One connection to watch the server; by default there is a second one most of the time.
      serverMonitoringMode: 'poll',
      maxPoolSize: 1 + Math.floor(uniform() * 8),
      minPoolSize: Math.floor(uniform() * 2),
      maxConnecting: 1 + Math.floor(uniform() * 3),
      waitQueueTimeoutMS: turn % 4 < 2 ? 20 : 0,
      maxIdleTimeMS: 50,
      connectTimeoutMS: 500,
      heartbeatFrequencyMS: 500,
      minHeartbeatFrequencyMS: 10,
    });
    const monitor = monitorPool(client);
    try {
      await runOperations({ client, monitor, random, happened, deviated, aborts: turn % 2 === 1 });
      await until('gauges equal to the driver and to the server', async () => {
        const { total, waiting } = monitor.snapshot().totals;
        return (
          waiting === 0 &&
          isDeepStrictEqual(gaugesOf(monitor), truthOf(client)) &&
          (await countPoolConnections()) === total
        );
      });
    } finally {
      await client.close();
    }
    const { totals } = monitor.snapshot();
    expect(totals).toMatchObject({ total: 0, idle: 0, active: 0, connecting: 0, waiting: 0 });
    expect(totals.created).toBe(Object.values(totals.closed).reduce((sum, count) => sum + count, 0));
    expect(totals.wait.count).toBe(totals.checkedOut);
    happened.timeout += totals.checkOutFailed.timeout ?? 0;
    happened.cleared += totals.cleared;
    for (const reason of /** @type {const} */ (['abandoned', 'error', 'stale'])) {
      happened[reason] += totals.closed[reason] ?? 0;
    }
  }
  // Otherwise the run would prove less than its name says.
  for (const [what, times] of Object.entries(happened)) expect([what, times]).not.toEqual([what, 0]);
  // On a machine so busy that this process pauses, the events may not show who was served, and opening a connection can
  // take longer than the driver's timeouts allow.
  expect(deviated.queued + deviated.connecting).toBeLessThan(happened.checks * 0.05);
});

/**
 * @typedef {object} Run
 * @property {MongoClient} client
 * @property {import('../../src/core/monitor.js').PoolMonitor} monitor
 * @property {import('test-support/random.js').Random} random
 * @property {Record<string, number>} happened
 * @property {{ connecting: number, queued: number }} deviated
 * @property {boolean} aborts
 */

/** @param {Run} run */
async function runOperations(run) {
  const {
    client,
    random: { uniform },
    happened,
  } = run;
  const runSlowQuery = createSlowQuery(client);
  let left = OPERATIONS / CLIENTS;
  const callers = Array.from({ length: CALLERS }, async () => {
    while (left > 0) {
      left -= 1;
      const draw = uniform();
      const signal = AbortSignal.timeout(PATIENCE_MS);
      try {
        if (draw < 0.01) await disturb(run);
        if (draw < 0.12 && run.aborts) await abortedQuery(client, uniform());
        else if (draw < 0.2) await runSlowQuery(1 + Math.floor(uniform() * 30), { signal });
        else await client.db('lab').collection('any').findOne({}, { signal });
      } catch (error) {
        // Disturbed operations may fail in any way. The test is about the gauges.
        if (/** @type {Error} */ (error).name === 'AbortError') happened.abort += 1;
      }
      if (draw > 0.8) {
        await nextTurn();
        check(run);
      }
    }
  });
  await Promise.all(callers);
}

/**
 * During the load: equal, except for the documented lags.
 * @param {Run} run
 */
function check({ client, monitor, happened, deviated, aborts }) {
  const truth = truthOf(client);
  const gauges = gaugesOf(monitor);
  const [pool] = monitor.servers.values();
  happened.checks += 1;
  expect(gauges).toMatchObject({ idle: truth.idle, active: truth.active });
  expect(gauges.connecting).toBeLessThanOrEqual(truth.connecting + pool.connections.unconfirmed.size);
  if (gauges.connecting < truth.connecting) deviated.connecting += 1;
  const over = gauges.queued - truth.queued;
  if (over < 0 || (over > 0 && !aborts)) deviated.queued += 1;
}

/** @param {Run} run */
async function disturb({ client, random: { uniform } }) {
  const server = driverServer(client);
  const draw = uniform();
  if (draw < 0.3) {
    await admin.db('admin').command({
      configureFailPoint: 'failCommand',
      mode: { times: 1 },
      data: { failCommands: ['find'], closeConnection: true },
    });
  } else if (draw < 0.6) {
    const sockets = [...server.pool.checkedOut, ...server.pool.connections].map((connection) => connection.socket);
    sockets[Math.floor(uniform() * sockets.length)]?.destroy(new Error('cut by the test'));
  } else {
    server.pool.clear({ interruptInUseConnections: draw < 0.8 });
    await wait(uniform() * 10);
    server.pool.ready();
  }
}

/**
 * @param {MongoClient} client
 * @param {number} draw
 */
async function abortedQuery(client, draw) {
  const controller = new AbortController();
  const answer = client.db('lab').collection('any').findOne({}, { signal: controller.signal });
  const abort = async () => {
    if (draw < 0.3) await Promise.resolve();
    else if (draw < 0.6) await nextTurn();
    else await wait(draw * 10);
    controller.abort();
  };
  await Promise.all([answer, abort()]);
}

/**
 * The driver's own server object: internal, and the only truth there is.
 * @param {MongoClient} client
 */
function driverServer(client) {
  return [...Reflect.get(client, 'topology').s.servers.values()][0];
}

/** @param {MongoClient} client */
function truthOf(client) {
  const { pool } = driverServer(client);
  // From before a clear: the driver will close them, and no longer hands them out.
  const stale = pool.connections
    .toArray()
    .filter((/** @type {{ generation: number }} */ { generation }) => generation !== pool.generation).length;
  return {
    total: pool.totalConnectionCount - stale,
    idle: pool.availableConnectionCount - stale,
    active: pool.currentCheckedOutCount,
    connecting: pool.pendingConnectionCount,
    // Aborted waiters stay in the driver's queue until it reaches them.
    queued: pool.waitQueue.toArray().filter((/** @type {{ cancelled: boolean }} */ { cancelled }) => !cancelled).length,
  };
}

/** @param {import('../../src/core/monitor.js').PoolMonitor} monitor */
function gaugesOf(monitor) {
  const { total, idle, active, connecting, waiting } = monitor.snapshot().totals;
  const [pool] = monitor.servers.values();
  return { total, idle, active, connecting, queued: waiting - pool.queue.assigned.size };
}

/** As the server has it, less the one that watches the server and does not belong to the pool. */
async function countPoolConnections() {
  const connections = await admin
    .db('admin')
    .aggregate([{ $currentOp: { allUsers: true, idleConnections: true } }, { $match: { appName: APP_NAME } }])
    .toArray();
  return connections.length - 1;
}

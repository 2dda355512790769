import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import { beforeAll, expect, test } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { monitorPool } from '../../src/core/monitor.js';
import { createTraceWriter } from '../../src/core/trace-writer.js';
import { cleanUp, scratchFolder, startReplicaSet } from 'test-support/cleanup.js';
import { createRandom } from 'test-support/random.js';
import { createSlowQuery } from 'test-support/mongod.js';
import { until } from 'test-support/waiting.js';
import { failOver } from './failover.js';

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

test('the gauges are those of the server while it closes connections, and slows and fails handshakes', async () => {
  const countCurrent = async () => (await admin.db('admin').command({ serverStatus: 1 })).connections.current;
  const others = (await countCurrent()) + 1;
  const client = new MongoClient(url, {
    appName: APP_NAME,
    serverMonitoringMode: 'poll',
    maxPoolSize: 6,
    minPoolSize: 2,
    heartbeatFrequencyMS: 500,
    minHeartbeatFrequencyMS: 10,
  });
  cleanUp(() => client.close());
  const monitor = monitorPool(client);
  const isTrue = async () => {
    const { total } = monitor.snapshot().totals;
    return (await countCurrent()) - others === total && isDeepStrictEqual(gaugesOf(monitor), truthOf(client));
  };
  const find = () => client.db('lab').collection('any').findOne({});
  const fail = (/** @type {unknown} */ mode, /** @type {object} */ data) =>
    admin.db('admin').command({ configureFailPoint: 'failCommand', mode, data: { appName: APP_NAME, ...data } });
  await client.connect();
  await Promise.all(Array.from({ length: 20 }, find));
  await until('the gauges are true', isTrue);

  await fail({ times: 4 }, { failCommands: ['find'], closeConnection: true });
  await Promise.allSettled(Array.from({ length: 20 }, find));
  expect(monitor.snapshot().totals.closed.error).toBeGreaterThanOrEqual(4);
  await until('the gauges are true after connections were closed', isTrue);

  driverServer(client).pool.clear();
  await fail('alwaysOn', { failCommands: ['hello', 'isMaster', 'ismaster'], blockConnection: true, blockTimeMS: 3000 });
  driverServer(client).pool.ready();
  const slow = Promise.all(Array.from({ length: 10 }, find));
  await until('two handshakes are slow', () => monitor.snapshot().totals.connecting === 2);
  expect(gaugesOf(monitor)).toEqual(truthOf(client));
  await until('the gauges are true while handshakes are slow', isTrue);
  expect(monitor.snapshot().totals).toMatchObject({ connecting: 2, waiting: 10 });
  await fail('off', {});
  await slow;
  await until('the gauges are true after slow handshakes', isTrue);

  driverServer(client).pool.clear();
  await fail({ times: 3 }, { failCommands: ['hello', 'isMaster', 'ismaster'], closeConnection: true });
  driverServer(client).pool.ready();
  await Promise.allSettled(Array.from({ length: 20 }, find));
  await fail('off', {});
  expect(monitor.snapshot().totals.closed.error).toBeGreaterThanOrEqual(5);
  await until('the gauges are true after handshakes failed', isTrue);
});

test('the records of a step-down and a failover under load are what the app saw', async () => {
  const { url } = await startReplicaSet(['--setParameter', 'enableTestCommands=1'], 3);
  const trace = await createTraceWriter(path.join(await scratchFolder(), 'failover.jsonl'));
  const { operations, commands, checkouts, listRecords, monitor } = await failOver(url, trace);
  const records = listRecords();
  const happened = { failed: 0, refused: 0, retried: 0 };
  for (const { requestId, startedAtMs, endedAtMs } of operations) {
    const own = records.filter((record) => record.requestId === requestId);
    const used = own.filter(({ checkedOutAtMs }) => checkedOutAtMs !== null);
    const ran = commands.get(requestId) ?? [];
    const refused = own.length - used.length;
    expect(used).toHaveLength(ran.length);
    for (const { server, connectionId, ...command } of ran)
      expect(
        used.filter(
          (record) =>
            record.server === server &&
            record.connectionId === connectionId &&
            Number(record.checkedOutAtMs) <= command.startedAtMs &&
            command.endedAtMs <= record.endedAtMs &&
            record.outcome === (command.hasFailed ? 'operationFailed' : 'checkedIn'),
        ),
      ).toHaveLength(1);
    for (const record of own) {
      expect(record.checkOutStartedAtMs).toBeGreaterThanOrEqual(startedAtMs);
      expect(record.endedAtMs).toBeLessThanOrEqual(endedAtMs);
      expect(record.endedAtMs).toBeGreaterThanOrEqual(record.checkOutStartedAtMs);
      if (record.checkedOutAtMs === null) expect(record.outcome).toBe('checkOutFailed');
      else expect(record.checkedOutAtMs).toBeGreaterThanOrEqual(record.checkOutStartedAtMs);
    }
    happened.failed += ran.filter(({ hasFailed }) => hasFailed).length;
    happened.refused += refused;
    happened.retried += Number(ran.length > 0 && ran.every(({ hasFailed }) => !hasFailed) && refused > 0);
  }
  const { cleared, waiting, active } = monitor.snapshot().totals;
  process.stdout.write(`${JSON.stringify({ operations: operations.length, ...happened, cleared })}\n`);
  expect(await trace.close()).toMatchObject({
    checkouts: checkouts.list().length,
    failed: happened.failed,
    refused: happened.refused,
  });
  expect({ waiting, active }).toEqual({ waiting: 0, active: 0 });
  for (const [what, times] of Object.entries({ ...happened, cleared })) expect([what, times]).not.toEqual([what, 0]);
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

// A load on a replica set whose primary closes a connection, steps down and shuts down. The app notes what it sees.
import { MongoClient } from 'mongodb';
import { createRandom } from 'test-support/random.js';
import { until } from 'test-support/waiting.js';
import { APP_NAME, epochNow, openRecordedClient } from './recorded-client.js';

/** @import { MonitorOptions } from '../../src/core/monitor.js' */

const CONNECTIONS = 4;
const CALLERS = 12;
/** How long each operation keeps its connection. */
const SERVICE_MS = 20;
/** How many operations must succeed before, between and after these. */
const STAGE = 300;

/** @typedef {{ requestId: string, startedAtMs: number, endedAtMs: number, hasFailed: boolean }} Operation */

/**
 * Runs the load. With `record` it can be replayed: createTraceWriter(FILE) makes one; `close()` it afterwards.
 *
 * @param {string} url of a replica set of three members, started with enableTestCommands
 * @param {MonitorOptions['record']} [record]
 */
export async function failOver(url, record) {
  const hosts = url.split('/')[2].split(',');
  const admins = await Promise.all(
    hosts.map((host) => MongoClient.connect(`mongodb://${host}/?directConnection=true`, { maxPoolSize: 1 })),
  );
  const fail = (/** @type {unknown} */ mode, /** @type {object} */ data) => ({
    configureFailPoint: 'failCommand',
    mode,
    data: { failCommands: ['find', 'insert'], appName: APP_NAME, ...data },
  });
  const slow = fail('alwaysOn', { blockConnection: true, blockTimeMS: SERVICE_MS });
  // Then the driver clears the pool, while callers wait.
  const closeOne = fail({ times: 1 }, { closeConnection: true });
  for (const admin of admins) await admin.db('admin').command(slow);
  const recorded = await openRecordedClient(CONNECTIONS, url, { record });
  const load = startLoad(recorded);
  const set = await MongoClient.connect(url, { maxPoolSize: 1 });
  try {
    const stepDown = { replSetStepDown: 10, secondaryCatchUpPeriodSecs: 5 };
    for (const command of [closeOne, slow, stepDown, { shutdown: 1 }]) {
      await load.goOn();
      // The server may close the connection that ends it.
      await set
        .db('admin')
        .command(command)
        .catch(() => {});
    }
    await load.goOn();
    await load.stop();
  } finally {
    for (const client of [set, recorded.client, ...admins]) await client.close();
  }
  return { ...recorded, operations: load.operations };
}

/** @param {Awaited<ReturnType<typeof openRecordedClient>>} recorded */
function startLoad({ client, send }) {
  const { uniform } = createRandom(51);
  const collection = client.db('lab').collection('any');
  /** @type {Operation[]} */
  const operations = [];
  let [count, succeeded, isOver] = [0, 0, false];
  const operate = async () => {
    const draw = uniform();
    if (draw < 0.2) await collection.insertOne({});
    else if (draw < 0.4) await Promise.all([collection.findOne({}), collection.findOne({})]);
    else await collection.findOne({});
  };
  const callers = Array.from({ length: CALLERS }, async (_, caller) => {
    while (!isOver) {
      const requestId = `${caller}-${(count += 1)}`;
      const operation = { requestId, startedAtMs: epochNow(), endedAtMs: NaN, hasFailed: false };
      operations.push(operation);
      await send(`/${caller}`, requestId, operate).then(
        () => (succeeded += 1),
        () => (operation.hasFailed = true),
      );
      operation.endedAtMs = epochNow();
    }
  });
  return {
    operations,
    goOn: async () => {
      const enough = succeeded + STAGE;
      await until('the load goes on', () => succeeded > enough, 120_000);
    },
    stop: () => {
      isOver = true;
      return Promise.all(callers);
    },
  };
}

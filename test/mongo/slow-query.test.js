import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { busyCores } from 'mongodb-pool-page';
import { createClient } from '../../src/mongo/client.js';
import { startEmbeddedMongo } from '../../src/mongo/embedded.js';
import { createSlowQueries, createSlowQuery, measureLateness } from '../../src/mongo/slow-query.js';
import { readSettings } from '../../src/settings.js';
import { seedCustomers } from '../../src/mongo/demo-data.js';
import { createServerLoadReader } from 'mongodb-pool-monitor';
import { createWorkQuery } from '../../src/mongo/work-query.js';
import { cleanUp } from 'test-support/cleanup.js';
import { runningOperations, sharedMongoUrl } from 'test-support/mongod.js';
import { inOrder, measureUntil, until } from 'test-support/waiting.js';

/** @param {string} url @param {number} poolSize */
function clientFor(url, poolSize) {
  const client = createClient(url, { poolSize, serverSelectionTimeoutMs: 5000 });
  cleanUp(() => client.close());
  return client;
}

/** @param {() => Promise<unknown>} action */
async function timeOf(action) {
  const startedAt = performance.now();
  await action();
  return performance.now() - startedAt;
}

test('it takes the given time, never less and at most 50 ms more, even ten at once', async () => {
  const client = clientFor(sharedMongoUrl(), 11);
  const runSlowQuery = createSlowQuery(client);
  const collection = client.db('slow_query').collection('one');
  await collection.replaceOne({}, {}, { upsert: true });
  // Compared with the server's own sleep, since a busy machine delays both.
  const sleepOn = (/** @type {number} */ ms) => collection.findOne({ $where: `sleep(${ms}) || true` });
  const race = (/** @type {number} */ ms) =>
    inOrder([
      sleepOn(ms + 50).then(() => Infinity),
      ...Array.from({ length: 10 }, () => timeOf(() => runSlowQuery(ms))),
    ]);
  // Opens the connections and starts the server's JavaScript engine.
  await race(100);
  const times = await measureUntil(
    async () => {
      const all = await race(1000);
      expect(Math.min(...all)).toBeGreaterThanOrEqual(1000);
      return all;
    },
    (all) => all.at(-1) === Infinity,
  );
  expect(times.at(-1)).toBe(Infinity);
});

test('the very first one takes its time, too', async () => {
  const client = clientFor(sharedMongoUrl(), 1);
  await client.connect();
  expect(await timeOf(() => createSlowQuery(client)(300))).toBeGreaterThanOrEqual(300);
});

test('it asks for less time, by as much as the server is late', async () => {
  const client = clientFor(sharedMongoUrl(), 2);
  const late = await measureLateness(client);
  expect(late.ms).toBeGreaterThan(0);
  const { buildEnvironment } = await client.db('admin').command({ buildInfo: 1 });
  expect(late.share).toBe(buildEnvironment.target_os === 'linux' ? 0.001 : 0);
  // On a busy machine, each of the nine turns may have been slowed down.
  const tookMs = await measureUntil(
    async () => {
      const query = createSlowQuery(client, await measureLateness(client));
      return timeOf(() => query(300));
    },
    (ms) => ms > 299,
  );
  expect(tookMs).toBeGreaterThan(299);

  const asksLess = createSlowQuery(client, { ms: 100.9, share: 0.3 });
  const asksAll = createSlowQuery(client);
  const [firstMs] = await measureUntil(
    () => inOrder([timeOf(() => asksLess(300)), asksAll(200).then(() => Infinity)]),
    ([ms]) => ms < Infinity,
  );
  expect(firstMs).toBeGreaterThanOrEqual(110);
  expect(firstMs).toBeLessThan(Infinity);
});

test('it keeps one connection until it is done', async () => {
  const client = clientFor(sharedMongoUrl(), 2);
  let held = 0;
  client.on('connectionCheckedOut', () => {
    held += 1;
  });
  client.on('connectionCheckedIn', () => {
    held -= 1;
  });
  const runSlowQuery = createSlowQuery(client);
  await runSlowQuery(1);
  expect(held).toBe(0);

  const ms = 503;
  const slow = runSlowQuery(ms);
  const observer = clientFor(sharedMongoUrl(), 1);
  const seen = await until('the server works on it', async () => {
    const operations = await runningOperations(observer, { 'command.maxAwaitTimeMS': ms });
    return operations.length > 0 && operations;
  });
  expect(seen).toHaveLength(1);
  expect(held).toBe(1);
  await slow;
  expect(held).toBe(0);
});

describe('on a server without JavaScript', () => {
  /** @type {import('mongodb').MongoClient} */
  let client;
  /** @type {import('mongodb').MongoClient} */
  let admin;
  beforeAll(async () => {
    const mongo = await startEmbeddedMongo({ ...readSettings(), args: ['--noscripting'] });
    cleanUp(mongo.stop);
    client = clientFor(mongo.url, 1);
    admin = clientFor(mongo.url, 1);
    await client.connect();
  });
  afterAll(() => Promise.all([client.close(), admin.close()]));

  /** Give the replica set a new configuration, which gives the server a new topology version. */
  async function reconfigure() {
    const { config } = await admin.db('admin').command({ replSetGetConfig: 1 });
    await admin.db('admin').command({ replSetReconfig: { ...config, version: config.version + 1 } });
  }

  test('it works where $where does not', async () => {
    await expect(client.db('test').collection('any').findOne({ $where: 'sleep(1) || true' })).rejects.toThrow('$where');
    expect(await timeOf(() => createSlowQuery(client)(300))).toBeGreaterThanOrEqual(300);
  });

  test('its topology version may be out of date', async () => {
    const runSlowQuery = createSlowQuery(client);
    await runSlowQuery(1);
    await reconfigure();
    expect(await timeOf(() => runSlowQuery(300))).toBeGreaterThanOrEqual(300);
  });

  test('when a topology change makes the server answer early, it tries again', async () => {
    const runSlowQuery = createSlowQuery(client);
    await runSlowQuery(1);
    let answers = 0;
    client.on('connectionCheckedIn', () => {
      answers += 1;
    });
    const ms = 1003;
    let isOver = false;
    const slow = timeOf(() => runSlowQuery(ms)).finally(() => {
      isOver = true;
    });
    await until(
      'the server works on it',
      async () => (await runningOperations(admin, { 'command.maxAwaitTimeMS': ms })).length > 0,
    );
    await reconfigure();
    await until('the server answered early', () => answers > 0);
    expect(isOver).toBe(false);
    expect(await slow).toBeGreaterThanOrEqual(ms);
  });
});

/** Of some machine: a query that takes minutes takes long everywhere. */
const SPEED = { baseMs: 2, roundsPerMs: 7 };

const [client, observer] = ['works', 'watches'].map((appName) =>
  createClient(sharedMongoUrl(), { poolSize: 2, serverSelectionTimeoutMs: 5000, appName }),
);
cleanUp(() => Promise.all([client, observer].map((each) => each.close())));
await seedCustomers(client);

test('a work query costs the server CPU time', async () => {
  const read = createServerLoadReader(observer);
  const work = createWorkQuery(client, SPEED);
  const before = await read();
  await work(400);
  const after = await read();
  // Other tests use the server as well, which only adds to it.
  expect(Number(after.cpuMs) - Number(before.cpuMs)).toBeGreaterThan(40);
  expect(busyCores(before, after)).toBeGreaterThan(0);
  expect(busyCores(after, before)).toBeNull();
});

test('when the caller of a work query leaves, the server stops', async () => {
  const leaving = new AbortController();
  const work = createWorkQuery(client, SPEED)(100_000, { signal: leaving.signal });
  const isWorking = async () =>
    (await runningOperations(observer, { appName: 'works', 'command.aggregate': 'customers' })).length > 0;
  const failing = expect(work).rejects.toThrow(/abort/);
  await until('the server works', isWorking);
  leaving.abort();
  await failing;
  await until('the server has stopped', async () => !(await isWorking()));
});

test('the first client measures the server, and the next ones do not', async () => {
  let checkouts = 0;
  observer.on('connectionCheckedOut', () => {
    checkouts += 1;
  });
  const createQuery = createSlowQueries('work');
  const work = await createQuery(client);
  await createQuery(observer);
  expect(checkouts).toBe(0);
  expect(await timeOf(() => work(200))).toBeGreaterThan(20);
});

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createClient } from '../../src/mongo/client.js';
import { startEmbeddedMongo } from '../../src/mongo/embedded.js';
import { createSlowQuery, measureLateness } from '../../src/mongo/slow-query.js';
import { readSettings } from '../../src/settings.js';
import { cleanUp } from '../support/cleanup.js';
import { sharedMongoUrl } from '../support/environment.js';
import { inOrder } from '../support/in-order.js';
import { measureUntil } from '../support/measure-until.js';
import { runningOperations } from '../support/running-operations.js';
import { until } from '../support/until.js';

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
  const race = (/** @type {number} */ ms) => inOrder([
    sleepOn(ms + 50).then(() => Infinity), ...Array.from({ length: 10 }, () => timeOf(() => runSlowQuery(ms)))]);
  // Opens the connections and starts the server's JavaScript engine.
  await race(100);
  const times = await measureUntil(async () => {
    const all = await race(1000);
    expect(Math.min(...all)).toBeGreaterThanOrEqual(1000);
    return all;
  }, (all) => all.at(-1) === Infinity);
  expect(times.at(-1)).toBe(Infinity);
});

test('the very first one takes its time, too', async () => {
  const client = clientFor(sharedMongoUrl(), 1);
  await client.connect();
  expect(await timeOf(() => createSlowQuery(client)(300))).toBeGreaterThanOrEqual(300);
});

test('it asks for less time, by as much as the server is late', async () => {
  const client = clientFor(sharedMongoUrl(), 1);
  const late = await measureLateness(client);
  expect(late.ms).toBeGreaterThan(0);
  const { buildEnvironment } = await client.db('admin').command({ buildInfo: 1 });
  expect(late.share).toBe(buildEnvironment.target_os === 'linux' ? 0.001 : 0);
  // Whatever slows it down now did not do so in each of nine turns.
  expect(await timeOf(() => createSlowQuery(client, late)(300))).toBeGreaterThan(299);

  const asksLess = createSlowQuery(client, { ms: 100.9, share: 0.3 });
  const tookMs = await measureUntil(() => timeOf(() => asksLess(300)), (ms) => ms < 200);
  expect(tookMs).toBeGreaterThanOrEqual(110);
  expect(tookMs).toBeLessThan(200);
});

test('it keeps one connection until it is done', async () => {
  const client = clientFor(sharedMongoUrl(), 2);
  let held = 0;
  client.on('connectionCheckedOut', () => { held += 1; });
  client.on('connectionCheckedIn', () => { held -= 1; });
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
    client.on('connectionCheckedIn', () => { answers += 1; });
    const ms = 1003;
    const slow = timeOf(() => runSlowQuery(ms));
    await until('the server works on it', async () => (
      await runningOperations(admin, { 'command.maxAwaitTimeMS': ms })).length > 0);
    await reconfigure();
    await until('the server answered early', () => answers > 0, ms / 2);
    expect(await slow).toBeGreaterThanOrEqual(ms);
  });
});

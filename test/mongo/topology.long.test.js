import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { cleanUp, startReplicaSet } from 'test-support/cleanup.js';
import { runningOperations } from 'test-support/mongod.js';
import { until } from 'test-support/waiting.js';
import { createClient } from '../../src/mongo/client.js';
import { startEmbeddedMongo } from '../../src/mongo/embedded.js';
import { watchReadiness } from '../../src/mongo/readiness.js';
import { createSlowQuery } from '../../src/mongo/slow-query.js';
import { readSettings } from '../../src/settings.js';

test('a server without a primary is not ready until there is one again', async () => {
  const { url } = await startReplicaSet();
  const client = new MongoClient(url);
  cleanUp(() => client.close());
  const readStatus = watchReadiness(client);
  const isReady = () => readStatus().reachable;
  expect(isReady()).toBe(false);
  await client.connect();
  await until('it is ready', isReady);
  const admin = client.db('admin');
  await admin.command({ replSetStepDown: 600, force: true });
  await until('it is no longer ready', () => !isReady());
  // It still answers.
  expect(await admin.command({ hello: 1 }, { readPreference: 'secondaryPreferred' })).toMatchObject({
    secondary: true,
  });
  expect(readStatus()).toEqual({ reachable: false, reason: 'the replica set has no primary' });
  await admin.command({ replSetFreeze: 0 }, { readPreference: 'secondaryPreferred' });
  await until('it is ready', isReady);
});

describe('a slow query on a server without JavaScript', () => {
  /** @type {import('mongodb').MongoClient} */
  let client;
  /** @type {import('mongodb').MongoClient} */
  let admin;
  beforeAll(async () => {
    const mongo = await startEmbeddedMongo({ ...readSettings(), args: ['--noscripting'] });
    cleanUp(mongo.stop);
    [client, admin] = [1, 1].map((poolSize) => createClient(mongo.url, { poolSize, serverSelectionTimeoutMs: 5000 }));
  });
  afterAll(() => Promise.all([client.close(), admin.close()]));

  /** Gives the replica set a new configuration, and so the server a new topology version. */
  async function reconfigure() {
    const { config } = await admin.db('admin').command({ replSetGetConfig: 1 });
    await admin.db('admin').command({ replSetReconfig: { ...config, version: config.version + 1 } });
  }

  test('it works where $where does not, and with a topology version that is out of date', async () => {
    await expect(client.db('test').collection('any').findOne({ $where: 'sleep(1) || true' })).rejects.toThrow('$where');
    const runSlowQuery = createSlowQuery(client);
    await runSlowQuery(1);
    await reconfigure();
    await runSlowQuery(1);
  });

  test('when a topology change makes the server answer early, it tries again', async () => {
    const runSlowQuery = createSlowQuery(client);
    await runSlowQuery(1);
    let answers = 0;
    client.on('connectionCheckedIn', () => {
      answers += 1;
    });
    const ms = 60_003;
    const leaving = new AbortController();
    const slow = runSlowQuery(ms, leaving).catch(({ name }) => name);
    const isRunning = async () => (await runningOperations(admin, { 'command.maxAwaitTimeMS': ms })).length > 0;
    await until('the server works on it', isRunning);
    await reconfigure();
    await until('the server answered early', () => answers > 0);
    await until('the server works on it again', isRunning);
    leaving.abort();
    expect(await slow).toBe('AbortError');
  });
});

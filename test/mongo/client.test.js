import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { connectClient, createClient } from '../../src/mongo/client.js';
import { createSlowQuery } from '../../src/mongo/slow-query.js';
import { SettingsError, readSettings } from '../../src/settings.js';
import { cleanUp } from '../support/cleanup.js';
import { sharedMongoUrl } from '../support/environment.js';
import { runningOperations } from '../support/running-operations.js';
import { until } from '../support/until.js';

/** @param {string} url @param {Record<string, string>} [environment] */
function clientFor(url, environment = {}) {
  const client = createClient(url, readSettings(environment, 'no-such-file'));
  cleanUp(() => client.close());
  return client;
}

describe('MONGO_POOLSIZE limits how many queries run at once', () => {
  const observer = new MongoClient(sharedMongoUrl());
  beforeAll(() => observer.connect());
  afterAll(() => observer.close());

  test.each([
    { poolSize: 2, ms: 603, rounds: 3 },
    { poolSize: 3, ms: 605, rounds: 2 },
    { poolSize: 6, ms: 607, rounds: 1 },
  ])('pool $poolSize: six slow queries take $rounds rounds', async ({ poolSize, ms, rounds }) => {
    const client = clientFor(sharedMongoUrl(), { MONGO_POOLSIZE: String(poolSize) });
    const runSlowQuery = createSlowQuery(client);
    await Promise.all(Array.from({ length: poolSize }, () => runSlowQuery(100)));

    const startedAt = performance.now();
    let tookMs = 0;
    const work = Promise.all(Array.from({ length: 6 }, () => runSlowQuery(ms)))
      .finally(() => { tookMs = performance.now() - startedAt; });
    /** @type {number[]} */
    const counts = [];
    await until('all have their answers', async () => {
      counts.push((await runningOperations(observer, { 'command.maxAwaitTimeMS': ms })).length);
      return tookMs > 0;
    });
    await work;
    expect(Math.max(...counts)).toBe(poolSize);
    expect(tookMs).toBeGreaterThanOrEqual(rounds * ms);
    expect(tookMs).toBeLessThan((rounds + 1) * ms);
  });
});

describe('the driver\'s options', () => {
  const url = 'mongodb://127.0.0.1/?maxPoolSize=7&waitQueueTimeoutMS=70';

  test('come from the settings, as numbers', () => {
    const { options } = clientFor(url, {
      MONGO_POOLSIZE: '3', MONGO_MIN_POOLSIZE: '2', MONGO_MAX_CONNECTING: '4', MONGO_WAIT_QUEUE_TIMEOUT_MS: '50',
      MONGO_SERVER_SELECTION_TIMEOUT_MS: '300',
    });
    expect(options).toMatchObject({
      maxPoolSize: 3, minPoolSize: 2, maxConnecting: 4, waitQueueTimeoutMS: 50, serverSelectionTimeoutMS: 300,
    });
  });

  test('come from the URL if there is no setting', () => {
    expect(clientFor(url).options).toMatchObject({ maxPoolSize: 7, waitQueueTimeoutMS: 70 });
  });

  test('are the driver\'s defaults otherwise', () => {
    const { options } = clientFor('mongodb://127.0.0.1/');
    expect(options).toMatchObject({ maxPoolSize: 100, minPoolSize: 0, maxConnecting: 2, waitQueueTimeoutMS: 0 });
  });
});

test('connecting returns the version of the server', async () => {
  expect(await connectClient(clientFor(sharedMongoUrl()))).toMatch(/^\d+\.\d+\.\d+/);
});

describe('an error names the setting', () => {
  test('no server', async () => {
    const client = clientFor('mongodb://127.0.0.1:1', { MONGO_SERVER_SELECTION_TIMEOUT_MS: '200' });
    await expect(connectClient(client)).rejects.toThrow(
      'MONGO_URL: no MongoDB was found within 200 ms: connect ECONNREFUSED 127.0.0.1:1');
  });

  test('a server that refuses the login', async () => {
    const client = clientFor(sharedMongoUrl().replace('//', '//nobody:hunter2@'));
    const error = await connectClient(client).catch((reason) => reason);
    expect(error.message).toBe('the server or the driver rejects MONGO_URL or a pool setting: Authentication failed.');
  });

  test('a minPoolSize above the driver\'s default maxPoolSize', async () => {
    await expect(connectClient(clientFor(sharedMongoUrl(), { MONGO_MIN_POOLSIZE: '101' }))).rejects.toThrow(
      /^the server or the driver rejects MONGO_URL or a pool setting: .*minimum/);
  });

  test.each([
    'mongodb://user:hunter2@127.0.0.1/?color=red', 'mongodb://user:hunter%E92@host/', 'mongodb://user:hunter2@host:99999/',
  ])('a URL that the driver rejects, without the password: %s', (url) => {
    expect(() => createClient(url, readSettings({}, 'no-such-file'))).toThrow(SettingsError);
    expect(() => createClient(url, readSettings({}, 'no-such-file'))).toThrow(
      /^the driver rejects MONGO_URL with these pool settings: (?!.*hunt)/);
  });

  test('a URL where a part of the password looks like a host', () => {
    expect(() => createClient('mongodb://user:p@hunter2/@127.0.0.1/', readSettings({}, 'no-such-file'))).toThrow(
      /^MONGO_URL is not a connection string(?!.*hunt)/);
  });
});

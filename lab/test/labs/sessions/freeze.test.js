import { expect, test } from '@jest/globals';
import { leakStreams } from '../../../labs/sessions/sessions-pool.js';
import { createLogger } from '../../../../src/base/logger.js';
import { createClient } from '../../../../src/mongo/client.js';
import { Database } from '../../../../src/mongo/database.js';
import { monitorPool } from 'mongodb-pool-monitor';
import { readSettings } from '../../../../src/settings.js';
import { cleanUp } from 'test-support/cleanup.js';
import { holdRequest } from 'test-support/network.js';
import { serveParts } from '../../../../test/support/serve-parts.js';
import { until } from 'test-support/waiting.js';
import { sharedMongoUrl } from 'test-support/mongod.js';

const POOL_SIZE = 2;
/** Longer than the test: between two answers a stream has no connection for a moment, and /fast gets it. */
const AWAIT_MS = 60_000;

/**
 * The app, on a client that the test can reach.
 * @param {Record<string, string>} [environment]
 */
async function serve(environment) {
  const settings = readSettings({ MONGO_POOLSIZE: String(POOL_SIZE), ...environment }, 'no .env file');
  const database = new Database(sharedMongoUrl(), settings);
  await database.connect();
  const url = await serveParts({ log: createLogger('silent'), database, requestTimeoutMs: settings.requestTimeoutMs });
  // Ends what is frozen, too, so that the server can close.
  cleanUp(() => database.close());
  return { url, ...database.main.current };
}

test('as many forgotten change streams as the pool is large freeze /fast, and nothing else', async () => {
  const { url, client, monitor } = await serve();
  await leakStreams(client, monitor, POOL_SIZE, AWAIT_MS);
  const fast = await holdRequest(`${url}/fast`);
  await until('/fast stands in the queue', () => monitor.snapshot().totals.waiting === 1);
  for (let probe = 0; probe < 50; probe++) expect((await fetch(`${url}/livez`)).status).toBe(200);
  expect(monitor.snapshot().totals).toMatchObject({ active: POOL_SIZE, idle: 0, waiting: 1 });
  expect(fast.answered()).toBe(false);
});

test('a wait-queue timeout cures it: who can not be served learns so in time', async () => {
  const { url, client, monitor } = await serve({ MONGO_WAIT_QUEUE_TIMEOUT_MS: '500' });
  await leakStreams(client, monitor, POOL_SIZE);
  const response = await fetch(`${url}/fast`);
  expect(response.status).toBe(503);
  expect(await response.json()).toMatchObject({
    detail: 'waited 500 ms for a connection: total 2, active 2, idle 0, waiting 0, max 2',
  });
});

test('a second client cures it: /fast has the whole pool, whatever the streams hold', async () => {
  const { url, monitor } = await serve();
  const second = createClient(sharedMongoUrl(), { poolSize: POOL_SIZE, serverSelectionTimeoutMs: 5000 });
  cleanUp(() => second.close());
  await leakStreams(second, monitorPool(second), POOL_SIZE);
  for (let request = 0; request < 5; request++) expect((await fetch(`${url}/fast`)).status).toBe(200);
  expect(monitor.snapshot().totals.active).toBe(0);
});

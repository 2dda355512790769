import { afterEach, expect, test } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { Database } from '../../src/mongo/database.js';
import { readSettings } from '../../src/settings.js';
import { cleanUp } from 'test-support/cleanup.js';
import { sharedMongoUrl } from 'test-support/mongod.js';
import { until } from 'test-support/waiting.js';

/** One monitoring connection per server instead of two. */
const MONGO_URL = `${sharedMongoUrl()}&serverMonitoringMode=poll`;
const MONITORS = 1;

const server = new MongoClient(sharedMongoUrl());
cleanUp(() => server.close());
/** @type {Database | undefined} */
let database;
afterEach(() => database?.close());

/** @param {Record<string, string>} environment */
async function open(environment) {
  database = new Database(MONGO_URL, readSettings(environment, 'no .env file'));
  await database.connect();
  return database;
}

/** The connections that the server has of a client. @param {string} appName */
async function countConnections(appName) {
  const connections = await server
    .db('admin')
    .aggregate([{ $currentOp: { allUsers: true, idleConnections: true } }, { $match: { appName } }])
    .toArray();
  return new Set(connections.map(({ client }) => client)).size;
}

test('one client runs all queries by default', async () => {
  const { main, slow, clients } = await open({});
  expect(slow).toBe(main);
  expect(clients).toEqual([main]);
});

test('slow queries fill their pool, and the other pool is free', async () => {
  const { main, slow } = await open({
    MONGO_POOLSIZE: '5',
    MONGO_MIN_POOLSIZE: '1',
    SLOW_POOLSIZE: '2',
    MONGO_APP_NAME: 'shop',
  });
  const queries = Array.from({ length: 4 }, () => slow.use(({ runSlowQuery }) => runSlowQuery(1000)));
  const gauges = () => [main, slow].map(({ current: { monitor } }) => monitor.snapshot().totals);
  await until('two slow queries run and two wait', () => gauges()[1].active === 2 && gauges()[1].waiting === 2);

  await Promise.all(Array.from({ length: 5 }, () => main.use(({ customers }) => customers.findOne())));
  const [ofMain, ofSlow] = gauges();
  expect(ofSlow).toMatchObject({ active: 2, waiting: 2 });
  expect([ofMain.max, ofSlow.max, ofSlow.min]).toEqual([5, 2, 0]);
  expect(await countConnections('shop')).toBe(ofMain.total + MONITORS);
  expect(await countConnections('shop-slow')).toBe(ofSlow.total + MONITORS);
  await Promise.all(queries);
});

test('a resize changes only the main pool, and closing closes all', async () => {
  const opened = await open({ MONGO_POOLSIZE: '1', SLOW_POOLSIZE: '1', MONGO_APP_NAME: 'office' });
  const { main, slow } = opened;
  await main.resize(3);
  expect([main, slow].map(({ current }) => current.client.options.maxPoolSize)).toEqual([3, 1]);
  expect(opened.status()).toEqual({ reachable: true, reason: null });
  await opened.close();
  await until(
    'the server has no connection of them',
    async () => (await countConnections('office')) + (await countConnections('office-slow')) === 0,
  );
});

test('when the second client can not be opened, the first is closed', async () => {
  const settings = { ...readSettings({ MONGO_APP_NAME: 'halved' }, 'no .env file'), slowPoolSize: -1 };
  await expect(new Database(MONGO_URL, settings).connect()).rejects.toThrow(/maxPoolSize/);
  await until('the server has no connection of it', async () => (await countConnections('halved')) === 0);
});

import { expect, test } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { watchReadiness } from '../../src/mongo/readiness.js';
import { cleanUp } from '../support/cleanup.js';
import { startReplicaSet } from '../support/mongod-process.js';
import { until } from '../support/until.js';

test('a server that runs but takes no writes is not ready, and is once it is primary again', async () => {
  const { url } = await startReplicaSet();
  const client = new MongoClient(url);
  cleanUp(() => client.close());
  const isReady = watchReadiness(client);
  expect(isReady()).toBe(false);
  await client.connect();
  expect(isReady()).toBe(true);
  const admin = client.db('admin');
  await admin.command({ replSetStepDown: 2, force: true });
  await until('it is no longer ready', () => !isReady());
  // It answers all the while.
  expect(await admin.command({ hello: 1 }, { readPreference: 'secondaryPreferred' })).toMatchObject({ secondary: true });
  expect(isReady()).toBe(false);
  await until('it is ready', isReady);
});

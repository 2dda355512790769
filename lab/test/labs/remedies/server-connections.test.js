import { expect, test } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { countConnections } from '../../../labs/remedies/measure.js';
import { createSlowQuery } from '../../../../src/mongo/slow-query.js';
import { readSettings } from '../../../../src/settings.js';
import { cleanUp } from 'test-support/cleanup.js';
import { sharedMongoUrl } from 'test-support/mongod.js';

const settings = readSettings({}, 'no .env file');

/** @param {string} appName */
async function connect(appName) {
  // One connection to watch the server; by default there is a second one most of the time.
  const client = await MongoClient.connect(sharedMongoUrl(), { appName, serverMonitoringMode: 'poll' });
  cleanUp(() => client.close());
  return client;
}

test('the connections of an app are counted, those of its other clients too and of other apps not', async () => {
  const uses = [
    ['counted', 5],
    ['counted-slow', 2],
    ['other', 3],
  ].map(async ([name, connections]) => {
    const runSlowQuery = createSlowQuery(await connect(String(name)));
    await runSlowQuery(1);
    // So long that a busy machine opens all of them before the first one is free again.
    return () => Promise.all(Array.from({ length: Number(connections) }, () => runSlowQuery(1000)));
  });
  const works = await Promise.all(uses);
  const counted = await countConnections({ mongoUrl: sharedMongoUrl(), settings, appName: 'counted' }, async () => {
    await Promise.all(works.map((work) => work()));
    return 'done';
  });
  expect(counted).toEqual({ outcome: 'done', connections: 5 + 1 + 2 + 1 });
});

test('if the server does not say, the work is still done', async () => {
  expect(
    await countConnections(
      {
        mongoUrl: 'mongodb://127.0.0.1:1',
        settings: { ...settings, serverSelectionTimeoutMs: 300 },
        appName: 'any',
      },
      async () => 'done',
    ),
  ).toEqual({ outcome: 'done', connections: null, problem: expect.stringContaining('ECONNREFUSED') });
});

test('what the work throws is thrown', async () => {
  await expect(
    countConnections({ mongoUrl: sharedMongoUrl(), settings, appName: 'any' }, async () => {
      throw new Error('no');
    }),
  ).rejects.toThrow('no');
});

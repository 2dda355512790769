import { expect, test } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { cleanUp } from 'test-support/cleanup.js';
import { until } from 'test-support/waiting.js';
import { startEmbeddedMongo } from '../../src/mongo/embedded.js';
import { readSettings } from '../../src/settings.js';
import { isRunning } from '../../src/process/process-info.js';
import { dataFoldersOf, mongodsOf } from '../support/start-app.js';

/** @param {AbortSignal} [signal] */
async function startThree(signal) {
  const mongo = await startEmbeddedMongo({ ...readSettings(), members: 3, signal });
  cleanUp(mongo.stop);
  return mongo;
}

/** Jest's own process has one more when it runs this file itself. */
const others = { folders: await dataFoldersOf(process.pid), mongods: await mongodsOf(process.pid) };
const listFolders = async () => (await dataFoldersOf(process.pid)).filter((each) => !others.folders.includes(each));
const listMongods = async () => (await mongodsOf(process.pid)).filter((each) => !others.mongods.includes(each));

test('three members elect a primary', async () => {
  const { url, stop } = await startThree();
  const client = new MongoClient(url);
  cleanUp(() => client.close());
  const { members } = await client.db('admin').command({ replSetGetStatus: 1 });
  expect(members).toHaveLength(3);
  expect(members.map((/** @type {{ stateStr: string }} */ { stateStr }) => stateStr)).toContain('PRIMARY');
  const mongods = await listMongods();
  expect(mongods.filter(isRunning)).toHaveLength(3);
  await stop();
  expect(mongods.filter(isRunning)).toEqual([]);
});

test.each([
  ['at once', async () => true],
  ['with its data folder there', async () => (await listFolders()).length > 0],
  ['with all its mongods running', async () => (await listMongods().catch(() => [])).length === 3],
])('stopped %s, a start ends with the reason and leaves nothing over', async (_, isSoFar) => {
  const stop = new AbortController();
  const starting = startThree(stop.signal);
  starting.catch(() => {});
  await until('it is so far', isSoFar);
  stop.abort(new Error('no more'));
  await expect(starting).rejects.toThrow('no more');
  expect(await listFolders()).toEqual([]);
});

import { beforeAll, expect, test } from '@jest/globals';
import { openDatabase } from '../../src/mongo/database.js';
import { readSettings } from '../../src/settings.js';
import { cleanUp } from '../support/cleanup.js';
import { sharedMongoUrl } from '../support/environment.js';
import { until } from '../support/until.js';

/** @type {import('../../src/mongo/database.js').Database} */
let database;
beforeAll(async () => {
  database = await openDatabase(sharedMongoUrl(), readSettings({ MONGO_POOLSIZE: '1' }, 'no .env file'));
  cleanUp(database.close);
});

/** @param {number} ms */
const runSlow = (ms) => database.use(({ runSlowQuery }) => runSlowQuery(ms));

test('a resize takes over at once, what runs on the old client is finished', async () => {
  const old = database.current;
  const before = [runSlow(400), runSlow(400)];
  await database.resize(10);
  expect(database.current.client.options.maxPoolSize).toBe(10);
  expect(database.handles).toEqual([old, database.current]);

  const startedAt = performance.now();
  await Promise.all(Array.from({ length: 10 }, () => runSlow(200)));
  expect(performance.now() - startedAt).toBeLessThan(400);

  await Promise.all(before);
  await until('the old client is closed', () => database.handles.length === 1);
  await expect(old.runSlowQuery(1)).rejects.toThrow();
});

test('resizes at the same time are done one after the other, the last one holds', async () => {
  await Promise.all([2, 3, 4].map((size) => database.resize(size)));
  expect(database.current.client.options.maxPoolSize).toBe(4);
  await until('one client is left', () => database.handles.length === 1);
});

test('a resize that the driver refuses changes nothing', async () => {
  const { current } = database;
  await expect(database.resize(-1)).rejects.toThrow(/maxPoolSize/);
  expect(database.current).toBe(current);
  await runSlow(1);
});

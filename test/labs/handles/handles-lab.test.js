import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { startApp } from '../../../src/harness/app-process.js';
import { createApp, createBareApp, createLookUp } from '../../../src/labs/handles/handles-app.js';
import { documentsOf, seedDocuments } from '../../../src/labs/handles/documents.js';
import { handles } from '../../../src/labs/handles/handles-lab.js';
import { listen } from '../../../src/http/listen.js';
import { createLogger } from '../../../src/logger.js';
import { cleanUp } from '../../support/cleanup.js';
import { sharedMongoUrl } from '../../support/environment.js';

function connect() {
  const opened = new MongoClient(sharedMongoUrl(), { maxPoolSize: 2 });
  cleanUp(() => opened.close());
  return opened;
}

/** @param {Parameters<typeof createApp>[0]} lookUp @param {typeof createApp | typeof createBareApp} [create] */
async function serve(lookUp, create = createApp) {
  const { url, close } = await listen(create(lookUp, createLogger('silent')), { host: '127.0.0.1', port: 0 });
  cleanUp(close);
  return `${url}/db`;
}

const client = connect();
const options = {
  handles: ['one', 'several', 'processes', 'gathered', 'bare'], connections: [128, 256], poolSize: 20, clients: 4, processes: 2,
  warmUpMs: 100, durationMs: 200,
};

test('every variant has the same number of connections to MongoDB, and its published figures', async () => {
  const { variants } = await handles.plan(options);
  expect(variants.slice(0, 5).map(({ name, settings: { clients, processes, poolSizeOfEach }, published }) => (
    [name, clients, processes, poolSizeOfEach, published?.ratePerSec]))).toEqual([
    ['c128 one', 1, 1, 20, 68334.78],
    ['c128 several', 4, 1, 5, 159898.21],
    ['c128 processes', 1, 2, 10, undefined],
    ['c128 gathered', 1, 1, 20, 162323.89],
    ['c128 bare', 1, 1, 20, undefined],
  ]);
  const [other] = (await handles.plan({ ...options, connections: [64] })).variants;
  expect(other.published).toBeNull();
});

test('an uneven share of the pool is refused', async () => {
  await expect(handles.plan({ ...options, clients: 3 })).rejects.toThrow(/^--pool-size 20 can't be shared evenly by 3/);
});

test.each([
  ['one client', 1, false, createApp], ['clients in turn', 3, false, createApp], ['gathered lookups', 1, true, createApp],
  ['gathered lookups without Express', 1, true, createBareApp],
])('%s: concurrent requests each get a complete document', async (_, count, gather, create) => {
  await seedDocuments(documentsOf(client));
  cleanUp(() => documentsOf(client).drop());
  const url = await serve(createLookUp(Array.from({ length: count }, connect), { gather }), create);
  const responses = await Promise.all(Array.from({ length: 50 }, () => fetch(url)));
  expect(responses.map(({ status }) => status)).toEqual(Array(50).fill(200));
  const documents = await Promise.all(responses.map((response) => /** @type {Promise<any>} */ (response.json())));
  for (const { _id, text } of documents) expect(text).toBe(`Document ${_id}`);
  expect(new Set(documents.map(({ _id }) => _id)).size).toBeGreaterThan(25);
});

test.each([
  ['another document', async (/** @type {number} */ id) => ({ _id: id + 1, text: '' })],
  ['no document', async () => null],
])('a lookup that returns %s is an error, with Express and without', async (_, lookUp) => {
  for (const create of [createApp, createBareApp]) {
    const response = await fetch(await serve(lookUp, create));
    expect(response.status).toBe(500);
    expect(await response.json()).toEqual({ type: 'about:blank', status: 500, title: 'Internal Server Error' });
  }
});

test.each(['1', '2'])('an app of %s processes reports that it found no MongoDB', async (processes) => {
  const script = fileURLToPath(new URL('../../../src/labs/handles/handles-server.js', import.meta.url));
  const settings = { MONGO_URL: 'mongodb://127.0.0.1:1', MONGO_SERVER_SELECTION_TIMEOUT_MS: '100' };
  await expect(startApp(settings, { script, args: ['--processes', processes] })).rejects.toThrow(
    /^the app did not start: MONGO_URL: no MongoDB was found within 100 ms: .*(\na process of the app exited)?$/);
});

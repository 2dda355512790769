import { fileURLToPath } from 'node:url';
import { expect, jest, test } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { startApp } from '../../../harness/app-process.js';
import { takePublished } from '../../../harness/lab-options.js';
import { runLab } from '../../../harness/run-lab.js';
import { createApp, createBareApp, createLookUp } from '../../../labs/handles/handles-app.js';
import { documentsOf, seedDocuments } from '../../../labs/handles/documents.js';
import { handles } from '../../../labs/handles/handles-lab.js';
import { layOutChart } from '../../../report/chart-data.js';
import { renderHtml } from '../../../report/html.js';
import { renderTable } from '../../../report/table.js';
import { serveHandler } from '../../../../test/support/serve-parts.js';
import { createLogger } from '../../../../src/base/logger.js';
import { readSettings } from '../../../../src/settings.js';
import { cleanUp } from 'test-support/cleanup.js';
import { sharedMongoUrl } from 'test-support/mongod.js';

function connect() {
  const opened = new MongoClient(sharedMongoUrl(), { maxPoolSize: 2 });
  cleanUp(() => opened.close());
  return opened;
}

/** @param {Parameters<typeof createApp>[0]} lookUp @param {typeof createApp | typeof createBareApp} [create] */
async function serve(lookUp, create = createApp) {
  return `${await serveHandler(create(lookUp, createLogger('silent')))}/db`;
}

const client = connect();
const options = {
  handles: ['one', 'several', 'processes', 'gathered', 'bare'],
  connections: [128, 256],
  poolSize: 20,
  clients: 4,
  processes: 2,
  warmUpMs: 100,
  durationMs: 200,
};

test('every variant has the same number of connections to MongoDB, and its published figures', async () => {
  const { variants } = await handles.plan(options);
  expect(
    variants
      .slice(0, 7)
      .map(({ name, settings: { clients, processes, poolSizeOfEach }, published }) => [
        name,
        clients,
        processes,
        poolSizeOfEach,
        published?.ratePerSec,
      ]),
  ).toEqual([
    ['c128 one', 1, 1, 20, 68334.78],
    ['c128 several', 4, 1, 5, 159898.21],
    ['c128 processes', 1, 2, 10, undefined],
    ['c128 gathered', 1, 1, 20, undefined],
    ['c128 bare', 1, 1, 20, undefined],
    ['c128 sprintf', 1, 1, null, 162323.89],
    ['c128 patched', 1, 1, null, 140620.06],
  ]);
  const { variants: others } = await handles.plan({ ...options, connections: [64] });
  expect(others.map(({ published }) => published)).toEqual(Array(5).fill(null));
});

test('the published settings let no request wait for a connection', async () => {
  const preset = takePublished(handles.options, options, () => false);
  const { variants } = await handles.plan(/** @type {typeof options} */ (preset));
  for (const { settings } of variants) {
    expect(settings.poolSizeOfEach ?? Infinity).toBeGreaterThanOrEqual(settings.connections);
  }
});

test('what only the document has is shown and not measured, beside the reason for other ratios', async () => {
  const measure = jest.fn(async () => ({ measured: { ratePerSec: 3000 } }));
  const result = await runLab(/** @type {any} */ ({ ...handles, mongo: null, prepare: undefined, measure }), options, {
    settings: readSettings({}),
    signal: new AbortController().signal,
    report: () => {},
    onStep: () => {},
  });
  expect(measure).toHaveBeenCalledTimes(10);
  const table = renderTable(handles, result);
  expect(table).toMatch(/c128 sprintf +– +162324 .* 0\.77 +0\.67 +9\.48$/m);
  expect(table).toMatch(/c128: several clients \/ one client, .* 1\.00 +2\.34\n {2}There, requests waited for a lock/);
  expect(renderHtml([{ lab: handles, result }])).toContain('https://github.com/golang/go/issues/9484');
  const [chart] = handles.charts.map((spec) => layOutChart(spec, result));
  expect(chart.categories.flat()).not.toContain('c128 sprintf');
});

test('an uneven share of the pool is refused', async () => {
  await expect(handles.plan({ ...options, clients: 3 })).rejects.toThrow(/^--pool-size 20 can't be shared evenly by 3/);
});

test.each([
  ['one client', 1, false, createApp],
  ['clients in turn', 3, false, createApp],
  ['gathered lookups', 1, true, createApp],
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
  const script = fileURLToPath(new URL('../../../labs/handles/handles-server.js', import.meta.url));
  const settings = { MONGO_URL: 'mongodb://127.0.0.1:1', MONGO_SERVER_SELECTION_TIMEOUT_MS: '100' };
  await expect(startApp(settings, { script, args: ['--processes', processes] })).rejects.toThrow(
    /^the app did not start: MONGO_URL: no MongoDB was found within 100 ms: .*(\na process of the app exited)?$/,
  );
});

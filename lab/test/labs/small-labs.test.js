import { describe, expect, jest, test } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { monitorPool } from 'mongodb-pool-monitor';
import { cleanUp } from 'test-support/cleanup.js';
import { sharedMongoUrl } from 'test-support/mongod.js';
import { holdRequest } from 'test-support/network.js';
import { until } from 'test-support/waiting.js';
import { takePublished } from '../../harness/lab-options.js';
import { createApp, createBareApp, createLookUp, documentsOf, seedDocuments } from '../../labs/handles/handles-app.js';
import { handles } from '../../labs/handles/handles-lab.js';
import { layOutChart } from '../../report/chart-data.js';
import { renderHtml } from '../../report/html.js';
import { renderTable } from '../../report/table.js';
import { serveHandler, serveParts } from '../../../test/support/serve-app.js';
import { createLogger } from '../../../src/base/logger.js';
import { readSettings } from '../../../src/settings.js';
import { wasBusy } from '../../report/machine.js';
import { utilisation, warnIfBusy } from '../../labs/utilisation/utilisation-lab.js';
import { summariseUse } from '../../labs/utilisation/utilisation-view.js';
import { measureLab } from '../support/measure-lab.js';
import { leakStreams } from '../../labs/sessions/measure-sessions.js';
import { createClient } from '../../../src/mongo/client.js';
import { Database } from '../../../src/mongo/database.js';

describe('handles', () => {
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
    const lab = /** @type {any} */ ({ ...handles, mongo: null, prepare: undefined, measure });
    const result = await measureLab(lab, options);
    expect(measure).toHaveBeenCalledTimes(10);
    const table = renderTable(handles, result);
    expect(table).toMatch(/c128 sprintf +– +162324 .* 0\.77 .* 9\.48$/m);
    expect(table).toMatch(
      /c128: several clients \/ one client, .* 1\.00 +2\.34\n {2}There, requests waited for a lock/,
    );
    expect(renderHtml([{ lab: handles, result }])).toContain('https://github.com/golang/go/issues/9484');
    const [chart] = handles.charts.map((spec) => layOutChart(spec, result));
    expect(chart.categories.flat()).not.toContain('c128 sprintf');
  });

  test('an uneven share of the pool is refused', async () => {
    await expect(handles.plan({ ...options, poolSize: 10 })).rejects.toThrow(
      /^--pool-size 10 can't be shared evenly by 4: it must be a multiple of 4$/,
    );
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
});

describe('utilisation', () => {
  test('a run says how busy the connection was and how long queries waited, and where to watch it', async () => {
    /** @type {string[]} */
    const said = [];
    const options = { shares: [90], arrivals: ['random'], useMs: 20, seconds: 1 };
    const result = await measureLab(utilisation, options, { report: (line) => said.push(line) });
    expect(said).toContainEqual(expect.stringMatching(/^random, 90 %: watch it at http:\/\/127\.0\.0\.1:\d+\/$/));
    expect(result.variants).toMatchObject([
      { measured: { failures: 0, aloneMs: expect.any(Number), waitMeanMs: expect.any(Number) } },
    ]);
  });

  test('even arrivals are predicted not to wait, random ones are', async () => {
    const plan = await utilisation.plan({
      shares: [90],
      arrivals: ['even', 'random'],
      poolSize: 1,
      useMs: 20,
      seconds: 1,
    });
    const [even, random] = await Promise.all(
      plan.variants.map((variant) =>
        utilisation.predict?.(variant, plan, /** @type {any} */ ({ aloneMs: 20 }), readSettings({}, 'no .env file')),
      ),
    );
    expect(plan.variants.map(({ name }) => name)).toEqual(['even, 90 %', 'random, 90 %']);
    expect(even?.waitMeanMs).toBeCloseTo(0);
    expect(random?.waitMeanMs).toBeGreaterThan(5);
  });

  test('what two connections did, by hand', () => {
    const use = (/** @type {number} */ startMs, /** @type {number} */ waitMs) => ({
      checkOutStartedAtMs: startMs,
      checkedOutAtMs: startMs + waitMs,
      checkedInAtMs: startMs + waitMs + 100,
    });
    // Two lanes for 200 ms, of which 300 ms were used.
    expect(summariseUse([use(0, 0), use(20, 0), use(40, 60)], 2)).toEqual({
      ratePerSec: 15,
      usedShare: 0.75,
      waitMeanMs: 20,
      waitP95Ms: 60,
      waitMaxMs: 60,
    });
  });

  test.each([
    ['longer than planned', 0.75, 0.5, true],
    ['shorter than planned', 0.858, 0.9, true],
    ['as long as planned', 0.915, 0.9, false],
  ])('connections that were in use %s: %f, not %f', (_, used, planned, isBusy) => {
    expect(wasBusy(/** @type {any} */ ({ warnings: warnIfBusy(used, planned) }))).toBe(isBusy);
  });

  test.each(
    /** @type {const} */ ([
      ['shares', '50,100', '100 is too much: from 100 % on the queue only grows'],
      ['arrivals', 'odd', '"odd" is not one of even, random'],
    ]),
  )('--%s %s is refused', (option, text, problem) => {
    expect(() => utilisation.options[option].parse?.(text)).toThrow(problem);
  });
});

describe('sessions, when streams hold all connections', () => {
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
    const url = await serveParts({
      log: createLogger('silent'),
      database,
      requestTimeoutMs: settings.requestTimeoutMs,
    });
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
    expect((await fetch(`${url}/fast`)).status).toBe(503);
    expect(monitor.snapshot().totals).toMatchObject({ active: POOL_SIZE, waiting: 0 });
  });

  test('a second client cures it: /fast has the whole pool, whatever the streams hold', async () => {
    const { url, monitor } = await serve();
    const second = createClient(sharedMongoUrl(), { poolSize: POOL_SIZE, serverSelectionTimeoutMs: 5000 });
    cleanUp(() => second.close());
    await leakStreams(second, monitorPool(second), POOL_SIZE);
    for (let request = 0; request < 5; request++) expect((await fetch(`${url}/fast`)).status).toBe(200);
    expect(monitor.snapshot().totals.active).toBe(0);
  });
});

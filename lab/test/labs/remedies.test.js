import { describe, expect, test } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { cleanUp } from 'test-support/cleanup.js';
import { sharedMongoUrl } from 'test-support/mongod.js';
import { labs } from '../../labs/index.js';
import { remedies } from '../../labs/remedies/remedies-lab.js';
import { summariseAnswers } from '../../labs/remedies/remedies-figures.js';
import { readSettings } from '../../../src/settings.js';
import { isCure } from '../../labs/remedies/criterion.js';
import { remediesView } from '../../labs/remedies/remedies-view.js';
import { countConnections } from '../../labs/remedies/measure.js';
import { createSlowQuery } from '../../../src/mongo/slow-query.js';
import { optionsOf } from '../support/measure-lab.js';

/** @import { RemediesOptions } from '../../labs/remedies/remedies-lab.js' */
/** @import { Variant } from '../../report/result-types.js' */

describe('the lab', () => {
  /** @type {RemediesOptions} */
  const defaults = optionsOf(remedies);

  test('each remedy is a setting of the app, with as many connections as the pool that is too small', async () => {
    const { variants } = await remedies.plan(defaults);
    expect(variants.map(({ name, settings }) => [name, settings.env])).toEqual([
      ['pool 5, no /slow', { MONGO_POOLSIZE: 5 }],
      ['pool 5', { MONGO_POOLSIZE: 5 }],
      ['pool 1', { MONGO_POOLSIZE: 1 }],
      ['pool 20', { MONGO_POOLSIZE: 20 }],
      ['pool 100', { MONGO_POOLSIZE: 100 }],
      ['second client 2+3', { MONGO_POOLSIZE: 2, SLOW_POOLSIZE: 3 }],
      ['limit of 3', { MONGO_POOLSIZE: 5, SLOW_CONCURRENCY: 3 }],
      ['timeout 500 ms', { MONGO_POOLSIZE: 5, MONGO_WAIT_QUEUE_TIMEOUT_MS: 500 }],
      ['burst, cold pool', { MONGO_POOLSIZE: 20, MONGO_MAX_CONNECTING: 2 }],
      ['burst, warm pool', { MONGO_POOLSIZE: 20, MONGO_MAX_CONNECTING: 2, MONGO_MIN_POOLSIZE: 20 }],
    ]);
    // The article's figures are of another load.
    expect(variants.filter(({ published }) => published)).toEqual([]);
  });

  test('the chart compares the p99 of customers with that of administrators', () => {
    const [{ series }] = remedies.charts;
    /** @type {any} */
    const variant = {
      measured: {
        routes: {
          '/fast': { count: 20, refused: 0, p50Ms: 1, p99Ms: 2, maxMs: 3 },
          '/slow': { count: 21, refused: 1, p50Ms: 4, p99Ms: 5, maxMs: 6 },
        },
      },
    };
    expect(series.map(({ value }) => value(variant))).toEqual([2, 5]);
    // Of fewer than 20 answers it would be chance.
    variant.measured.routes['/slow'].refused = 2;
    expect(series.map(({ value }) => value(variant))).toEqual([2, null]);
  });

  test('only the chosen ones are tried, beside the pool as it is', async () => {
    const { variants } = await remedies.plan({ ...defaults, treated: 2, remedies: ['client'] });
    expect(variants.map(({ name }) => name)).toEqual(['pool 2, no /slow', 'pool 2', 'second client 1+1']);
  });

  test('a pool of one can not be divided', () => {
    expect(() => remedies.options.treated.parse?.('1')).toThrow(/at least 2/);
  });

  test('a user who gave up counts with the time waited, a refused user only as refused', () => {
    const answer = (
      /** @type {string} */ route,
      /** @type {number} */ status,
      /** @type {number} */ tookMs,
      atMs = 0,
    ) => ({ route, atMs, status, tookMs });
    const answers = [
      answer('/fast', 200, 10),
      answer('/fast', 503, 1),
      answer('/fast', 0, 4000, 700),
      answer('/fast', 500, 20),
      answer('/slow', 200, 1000),
    ];
    const { requests, routes, fastMs } = summariseAnswers(answers, true);
    expect(requests).toBe(5);
    expect(routes).toEqual({
      '/fast': { count: 4, refused: 1, failures: 2, p50Ms: 20, p99Ms: 4000, maxMs: 4000 },
      '/slow': { count: 1, refused: 0, failures: 0, p50Ms: 1000, p99Ms: 1000, maxMs: 1000 },
    });
    expect(fastMs).toEqual({ '0.0': 10, 0.5: 4000 });
    expect(summariseAnswers(answers, false).routes['/fast']).toMatchObject({ refused: 0, failures: 3, p50Ms: 10 });
    expect(summariseAnswers([], true).routes['/slow']).toMatchObject({ count: 0, p50Ms: null });
  });

  describe('by simulation', () => {
    const unloaded = { serviceMs: 2, overheadMs: 3, connectMs: 25 };
    /** @param {string} name */
    async function predict(name) {
      const plan = await remedies.plan(defaults);
      const variant = plan.variants.find((each) => each.name === name);
      if (!variant || !labs.remedies.predict) throw new Error(`no variant ${name}`);
      return labs.remedies.predict(variant, plan, { unloaded }, readSettings({}, ''));
    }

    test('the pool that is too small has customers wait for seconds', async () => {
      const { routes } = await predict('pool 5');
      expect(routes['/fast'].p99Ms).toBeGreaterThan(1500);
      expect(routes['/fast']).toMatchObject({ refused: 0, failures: 0 });
    });

    test.each(['pool 5, no /slow', 'pool 20', 'second client 2+3', 'limit of 3'])(
      'with %s nearly nobody waits',
      async (name) => {
        expect((await predict(name)).routes['/fast'].p99Ms).toBeLessThan(10);
      },
    );

    test('the second client has administrators wait for each other, until some give up', async () => {
      const { routes } = await predict('second client 2+3');
      expect(routes['/slow'].p50Ms).toBeGreaterThan(2000);
      expect(routes['/slow'].failures).toBeGreaterThan(0);
    });

    test('a timeout limits the wait, and refuses customers too', async () => {
      const { routes } = await predict('timeout 500 ms');
      expect(routes['/fast'].p99Ms).toBeLessThan(510);
      expect(routes['/fast'].refused).toBeGreaterThan(50);
      expect(routes['/slow'].p99Ms).toBeLessThan(1510);
    });

    test('a burst waits for connections to be opened, unless they are kept open', async () => {
      const [cold, warm] = await Promise.all(['burst, cold pool', 'burst, warm pool'].map(predict));
      expect(cold.routes['/fast'].p99Ms).toBeGreaterThan(2 * warm.routes['/fast'].p99Ms);
    });
  });

  /**
   * @param {string} name
   * @param {{ remedy?: string, load?: string }} settings
   * @param {number[]} p99sMs of each repeat
   * @param {{ refused?: number, failures?: number }} [counts]
   * @returns {Variant}
   */
  function createVariant(name, { remedy = 'size', load = 'all' }, p99sMs, counts) {
    const repeats = p99sMs.map((p99Ms) => ({
      measured: {
        routes: { '/fast': { count: 500, refused: 0, failures: 0, p99Ms, ...counts } },
        unloaded: { serviceMs: 2, overheadMs: 5 },
      },
    }));
    const { measured } = repeats[repeats.length >> 1];
    return { name, settings: { remedy, load }, measured, repeats };
  }

  describe('whether a remedy works', () => {
    /** @type {[string, number[], number[], { refused?: number, failures?: number } | undefined, boolean | null][]} */
    const cases = [
      ['one repeat, far below the limit', [18.5], [9.2], undefined, true],
      ['one repeat, far above', [513], [9.2], undefined, false],
      ['one repeat, less than the limit by a half', [33], [9.2], undefined, true],
      ['one repeat, near the limit', [34], [9.2], undefined, null],
      ['one repeat, just above', [74], [9.2], undefined, null],
      ['one repeat, above by a half', [76], [9.2], undefined, false],
      ['what nobody notices', [50, 50], [3.7, 3.7], undefined, true],
      ['more than that', [51, 51], [3.7, 3.7], undefined, false],
      ['twice as long on a slow machine', [120, 120], [60, 60], undefined, true],
      ['more than twice', [121, 121], [60, 60], undefined, false],
      ['repeats that agree near the limit', [40, 45, 49], [9, 8, 9], undefined, true],
      ['repeats that do not', [40, 45, 51], [9, 8, 9], undefined, null],
      ['a busy moment of the load without administrators', [70, 75, 80], [9, 60, 9], undefined, null],
      ['more than 1 in 100 customers refused, however soon the others are answered', [12], [9], { refused: 6 }, false],
      ['as many without an answer', [12], [9], { failures: 6 }, false],
      ['a machine that is busy with something else', [3150], [256], { failures: 300 }, null],
      ['one of them', [12], [9], { failures: 1 }, true],
    ];

    test.each(cases)('%s', (_, p99sMs, unloadedMs, counts, verdict) => {
      const alone = createVariant('alone', { remedy: 'none', load: 'customers' }, unloadedMs);
      expect(isCure(createVariant('treated', {}, p99sMs, counts), alone)).toBe(verdict);
    });
  });

  test('the last sentence names those that work, and those to repeat', () => {
    const result = {
      lab: 'remedies',
      startedAt: '2026-01-01T00:00:00.000Z',
      environment: {},
      settings: {},
      variants: [
        createVariant('pool 5, no /slow', { remedy: 'none', load: 'customers' }, [9.2]),
        createVariant('pool 5', { remedy: 'none' }, [1896]),
        createVariant('pool 1', {}, [3000]),
        createVariant('pool 100', {}, [18.5]),
        createVariant('pool 20', {}, [49]),
      ],
    };
    expect(remediesView.takeaway(result)).toBe(
      'With pool 5, 99 % of customers get their answer within 1.9 s; without administrators it is 9.2 ' +
        'ms. Almost as good, within 50 ms: pool 100. Not clear: pool 20; repeat with --repeat 3. The table ' +
        'shows what each one costs.',
    );
  });
});

describe('connections of an app', () => {
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
});

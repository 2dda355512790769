import { EventEmitter } from 'node:events';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { monitorPool } from 'mongodb-pool-monitor';
import { cleanUp } from 'test-support/cleanup.js';
import { runningOperations, sharedMongoUrl } from 'test-support/mongod.js';
import { until } from 'test-support/waiting.js';
import { chooseSocketTimeout, connectClient, createClient } from '../../src/mongo/client.js';
import { createSlowQueries, createSlowQuery } from '../../src/mongo/slow-query.js';
import { readSettings, SettingsError } from '../../src/settings.js';
import { SharedClient } from '../../src/mongo/shared-client.js';
import { Database } from '../../src/mongo/database.js';
import { watchReadiness } from '../../src/mongo/readiness.js';

describe('a client', () => {
  /** @param {string} url @param {Record<string, string>} [environment] */
  function clientFor(url, environment = {}) {
    const client = createClient(url, readSettings(environment, 'no-such-file'));
    cleanUp(() => client.close());
    return client;
  }

  describe('MONGO_POOLSIZE limits how many queries run at once', () => {
    const observer = new MongoClient(sharedMongoUrl());
    beforeAll(() => observer.connect());
    afterAll(() => observer.close());

    test.each([2, 6])('pool %i: of six slow queries no more run, and the others wait', async (poolSize) => {
      const client = clientFor(sharedMongoUrl(), { MONGO_POOLSIZE: String(poolSize) });
      const monitor = monitorPool(client);
      const runSlowQuery = createSlowQuery(client);
      const leaving = new AbortController();
      const ms = 60_000 + poolSize;
      const queries = Array.from({ length: 6 }, () => runSlowQuery(ms, leaving).catch(({ name }) => name));
      const count = async () => (await runningOperations(observer, { 'command.maxAwaitTimeMS': ms })).length;
      await until('the pool is full', async () => (await count()) === poolSize);
      expect(monitor.snapshot().totals).toMatchObject({ active: poolSize, waiting: 6 - poolSize });
      leaving.abort();
      expect(await Promise.all(queries)).toEqual(Array(6).fill('AbortError'));
    });
  });

  describe("the driver's options", () => {
    const url =
      'mongodb://127.0.0.1/?maxPoolSize=7&waitQueueTimeoutMS=70&serverselectiontimeoutms=900' +
      '&appName=the%20shop&heartbeatFrequencyMS=1000&socketTimeoutMS=7000';

    test('come from the settings, as numbers', () => {
      const { options } = clientFor(url, {
        MONGO_POOLSIZE: '3',
        MONGO_MIN_POOLSIZE: '2',
        MONGO_MAX_CONNECTING: '4',
        MONGO_WAIT_QUEUE_TIMEOUT_MS: '50',
        MONGO_SERVER_SELECTION_TIMEOUT_MS: '300',
        MONGO_APP_NAME: 'mine',
      });
      expect(options).toMatchObject({
        appName: 'mine',
        maxPoolSize: 3,
        minPoolSize: 2,
        maxConnecting: 4,
        waitQueueTimeoutMS: 50,
        serverSelectionTimeoutMS: 300,
      });
    });

    test('come from the URL if there is no setting', () => {
      expect(clientFor(url).options).toMatchObject({
        maxPoolSize: 7,
        waitQueueTimeoutMS: 70,
        serverSelectionTimeoutMS: 900,
        appName: 'the shop',
      });
    });

    test("are our own defaults or the driver's otherwise", () => {
      const { options } = clientFor('mongodb://127.0.0.1/');
      expect(options).toMatchObject({
        maxPoolSize: 100,
        minPoolSize: 0,
        maxConnecting: 2,
        waitQueueTimeoutMS: 0,
        serverSelectionTimeoutMS: 5000,
        appName: 'mongodb-pool-lab',
      });
    });

    test.each([
      [
        'mongodb://127.0.0.1/',
        { appName: 'mongodb-pool-lab-slow', heartbeatFrequencyMS: 2000, socketTimeoutMS: 25_000 },
      ],
      [url, { appName: 'the shop-slow', heartbeatFrequencyMS: 1000, socketTimeoutMS: 7000 }],
    ])('of one client of several have its name, and our times unless %s has them', (each, expected) => {
      const { options } = createClient(each, { suffix: 'slow', heartbeatMs: 2000, socketTimeoutMs: 25_000 });
      expect(options).toMatchObject(expected);
    });

    test.each([
      ['as long as the slow query and 20 s', {}, 0, 25_000],
      ['as long as the page may make it and 20 s', {}, 60_000, 80_000],
      ['longer where the slow query is slower than that', { SLOW_MS: '90000' }, 60_000, 110_000],
      ['for ever where the server decides how long it takes', { SLOW_QUERY: 'work' }, 0, undefined],
    ])('let a connection be silent %s', (_, environment, maxSlowMs, expected) => {
      expect(chooseSocketTimeout(readSettings(environment, 'no-such-file'), maxSlowMs)).toBe(expected);
    });
  });

  test('connecting returns the version of the server', async () => {
    expect(await connectClient(clientFor(sharedMongoUrl()))).toMatch(/^\d+\.\d+\.\d+/);
  });

  describe('an error names the setting', () => {
    test('no server', async () => {
      const client = clientFor('mongodb://127.0.0.1:1', { MONGO_SERVER_SELECTION_TIMEOUT_MS: '200' });
      await expect(connectClient(client)).rejects.toThrow(
        'MONGO_URL: no MongoDB was found within 200 ms: connect ECONNREFUSED 127.0.0.1:1',
      );
    });

    test("a minPoolSize above the driver's default maxPoolSize", async () => {
      await expect(connectClient(clientFor(sharedMongoUrl(), { MONGO_MIN_POOLSIZE: '101' }))).rejects.toThrow(
        /^the server or the driver rejects MONGO_URL or a pool setting: .*minimum/,
      );
    });

    test.each([
      'mongodb://user:hunter2@127.0.0.1/?color=red',
      'mongodb://user:hunter%E92@host/',
      'mongodb://user:hunter2@host:99999/',
    ])('a URL that the driver rejects, without the password: %s', (url) => {
      expect(() => createClient(url, readSettings({}, 'no-such-file'))).toThrow(SettingsError);
      expect(() => createClient(url, readSettings({}, 'no-such-file'))).toThrow(
        /^the driver rejects MONGO_URL with these pool settings: (?!.*hunt)/,
      );
    });

    test('a URL where a part of the password looks like a host', () => {
      expect(() => createClient('mongodb://user:p@hunter2/@127.0.0.1/', readSettings({}, 'no-such-file'))).toThrow(
        /^MONGO_URL is not a connection string(?!.*hunt)/,
      );
    });
  });

  /** Connection strings with generated passwords. */
  const SPECIAL = ['@', '/', '?', '#', ':', '%', '[', ']', '@hunter2:1/', '/hunter2@', '%zz', ':@/'];

  describe('a password with special characters', () => {
    test.each(SPECIAL)('raw: hunt%ser2 is refused without being shown', (special) => {
      const check = () => clientFor(`mongodb://user:hunt${special}er2@db.example.com:27017/pool_lab?tls=true`);
      expect(check).toThrow(SettingsError);
      expect(check).toThrow(/^MONGO_URL is not a connection string(?!.*(hunt|er2))/);
    });

    test.each(SPECIAL)('percent-encoded: hunt%ser2 reaches the driver unchanged', (special) => {
      const password = `hunt${special}er2`;
      const url = `mongodb://user:${encodeURIComponent(password)}@db.example.com:27017/?authSource=admin`;
      expect(clientFor(url).options.credentials?.password).toBe(password);
    });
  });

  test.each([
    'mongodb://127.0.0.1',
    'mongodb://[::1]:27017/',
    'mongodb://a:1,b.example.com:2/pool_lab?replicaSet=lab',
    'mongodb+srv://user:pass,word@db.example.com/?retryWrites=true',
    'mongodb://%2Ftmp%2Fmongodb.sock/',
    'mongodb://user@host?tls=true',
  ])('%s is accepted', (url) => {
    expect(() => clientFor(url)).not.toThrow();
  });

  test.each([
    'mongodb://user:hunter2:27017/',
    'mongodb://user:hunter2',
    'mongodb://user:hunter2@',
    'mongodb://@hunter2',
  ])('without a host, the password is not mistaken for one: %s', (url) => {
    expect(() => clientFor(url)).toThrow(/^MONGO_URL is not a connection string(?!.*hunt)/);
  });

  describe('a shared client', () => {
    /** @type {SharedClient} */
    let shared;
    beforeAll(async () => {
      const settings = readSettings({ MONGO_POOLSIZE: '1' }, 'no .env file');
      shared = new SharedClient(sharedMongoUrl(), settings, { slowQueries: createSlowQueries('sleep') });
      cleanUp(() => shared.close());
      await shared.connect();
    });

    test('a resize takes effect at once, and the old client finishes its work', async () => {
      const old = shared.current;
      /** @type {(value?: unknown) => void} */
      let goOn = () => {};
      const held = new Promise((resolve) => {
        goOn = resolve;
      });
      const before = shared.use(({ customers }) => held.then(() => customers.findOne()));
      await shared.resize(10);
      expect(shared.current.client.options.maxPoolSize).toBe(10);
      expect(shared.handles).toEqual([old, shared.current]);

      const leaving = new AbortController();
      const after = Array.from({ length: 10 }, () =>
        shared.use(({ runSlowQuery }) => runSlowQuery(60_000, leaving)).catch(({ name }) => name),
      );
      await until('ten run at once', () => shared.current.monitor.snapshot().totals.active === 10);
      leaving.abort();
      expect(await Promise.all(after)).toEqual(Array(10).fill('AbortError'));

      expect(shared.handles).toContain(old);
      goOn();
      expect(await before).toMatchObject({ email: expect.any(String) });
      await until('the old client is closed', () => shared.handles.length === 1);
      await expect(old.runSlowQuery(1)).rejects.toThrow();
    });

    test('concurrent resizes run one after the other, and the last one wins', async () => {
      await Promise.all([2, 3, 4].map((size) => shared.resize(size)));
      expect(shared.current.client.options.maxPoolSize).toBe(4);
      await until('one client is left', () => shared.handles.length === 1);
    });

    test('a resize that the driver rejects changes nothing', async () => {
      const { current } = shared;
      await expect(shared.resize(-1)).rejects.toThrow(/maxPoolSize/);
      expect(shared.current).toBe(current);
      await shared.use(({ runSlowQuery }) => runSlowQuery(1));
    });
  });
});

describe('the database', () => {
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
    const leaving = new AbortController();
    const queries = Array.from({ length: 4 }, () =>
      slow.use(({ runSlowQuery }) => runSlowQuery(60_000, leaving)).catch(({ name }) => name),
    );
    const gauges = () => [main, slow].map(({ current: { monitor } }) => monitor.snapshot().totals);
    await until('two slow queries run and two wait', () => gauges()[1].active === 2 && gauges()[1].waiting === 2);

    await Promise.all(Array.from({ length: 5 }, () => main.use(({ customers }) => customers.findOne())));
    const [ofMain, ofSlow] = gauges();
    expect(ofSlow).toMatchObject({ active: 2, waiting: 2 });
    expect([ofMain.max, ofSlow.max, ofSlow.min]).toEqual([5, 2, 0]);
    expect(await countConnections('shop')).toBe(ofMain.total + MONITORS);
    expect(await countConnections('shop-slow')).toBe(ofSlow.total + MONITORS);
    leaving.abort();
    expect(await Promise.all(queries)).toEqual(Array(4).fill('AbortError'));
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
});

describe('readiness', () => {
  /** A fake client whose servers a test controls. */
  function watch() {
    const client = Object.assign(new EventEmitter(), { options: { heartbeatFrequencyMS: 2000 } });
    let nowMs = 0;
    const readStatus = watchReadiness(/** @type {any} */ (client), () => nowMs);
    return {
      readStatus,
      /** @param {string[]} types */
      have: (...types) =>
        client.emit('topologyDescriptionChanged', {
          newDescription: {
            servers: new Map(
              types.map((type, index) => [
                `${index}`,
                { address: `${index}`, type, isWritable: ['RSPrimary', 'Standalone', 'Mongos'].includes(type) },
              ]),
            ),
          },
        }),
      hear: () => client.emit('serverHeartbeatSucceeded', { connectionId: '0' }),
      /** @param {number} ms */
      pass: (ms) => {
        nowMs += ms;
      },
    };
  }
  const READY = { reachable: true, reason: null };

  describe('MongoDB', () => {
    test('is not reachable before a server has answered', () => {
      expect(watch().readStatus()).toEqual({ reachable: false, reason: 'no server answers' });
    });

    test.each([
      [['RSPrimary', 'RSSecondary'], READY],
      [['Standalone'], READY],
      [['Unknown', 'Mongos'], READY],
      [['Unknown', 'Unknown'], { reachable: false, reason: 'no server answers' }],
      [['RSSecondary', 'Unknown'], { reachable: false, reason: 'the replica set has no primary' }],
    ])('of %j is %j', (types, status) => {
      const { have, readStatus } = watch();
      have(...types);
      expect(readStatus()).toEqual(status);
    });

    test('hangs when a heartbeat is late, and is back with the next one', () => {
      const { have, hear, pass, readStatus } = watch();
      have('RSPrimary');
      hear();
      pass(5000);
      expect(readStatus()).toEqual(READY);
      pass(600);
      expect(readStatus()).toEqual({ reachable: false, reason: 'the server has not answered for 6 s' });
      hear();
      expect(readStatus()).toEqual(READY);
    });
  });
});

import { execFile } from 'node:child_process';
import Module from 'node:module';
import { promisify } from 'node:util';
import { describe, expect, jest, test } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { cleanUp } from 'test-support/cleanup.js';
import { sharedMongoUrl } from 'test-support/mongod.js';
import { EventBatch } from '../../src/core/event-batch.js';
import { ClientSites } from '../../src/attach/client-sites.js';
import { WatchedClients } from '../../src/attach/watched-clients.js';
import { createOwnClient, isOwnClient } from '../../src/attach/own-client.js';
import { createServerWatch } from '../../src/core/server-watch.js';
import { watchModules } from '../../src/attach/watch-modules.js';
import { readAttachSettings } from '../../src/attach/attach-settings.js';
import { createGuard } from '../../src/attach/guard.js';
import { IgnoredOptions } from '../../src/attach/ignored-options.js';
import { replaceMethod } from '../../src/attach/replace-method.js';
import { readStatus } from '../../src/attach/watched-process.js';

describe('watched clients', () => {
  /** @param {number} [maxPoolSize] that replaces that of each client @param {string} [onlyClient] or of this one */
  function watchNone(maxPoolSize, onlyClient) {
    return new WatchedClients({
      guard: (work) => work,
      batch: new EventBatch({}),
      maxPoolSize,
      onlyClient,
      onClient: () => () => {},
      onChange() {},
    });
  }

  /** @param {number} [maxPoolSize] that replaces the client's */
  function watch(maxPoolSize) {
    const clients = watchNone(maxPoolSize);
    return (/** @type {MongoClient} */ client) => {
      clients.add(client);
      const { replacedMaxPoolSize } = clients.list()[0];
      clients.close();
      const { maxPoolSize: max, minPoolSize: min } = client.options;
      return { replacedMaxPoolSize, max, min };
    };
  }

  test('a client that has not connected gets the other maxPoolSize, and its minimum fits in it', () => {
    const client = () => new MongoClient(sharedMongoUrl(), { maxPoolSize: 50, minPoolSize: 10 });
    expect(watch(4)(client())).toEqual({ replacedMaxPoolSize: 50, max: 4, min: 4 });
    expect(watch(20)(client())).toEqual({ replacedMaxPoolSize: 50, max: 20, min: 10 });
    expect(watch()(client())).toEqual({ replacedMaxPoolSize: null, max: 50, min: 10 });
  });

  test('a client whose driver ignores timeoutMS is told from one that has none', async () => {
    // Jest's process has no warnings of its own. This is what Node.js does.
    const spy = jest.spyOn(process, 'emitWarning').mockImplementation((message, options) => {
      const warning = Object.assign(new Error(String(message)), options);
      process.nextTick(() => process.emit('warning', warning));
    });
    cleanUp(() => spy.mockRestore());
    const ignored = new IgnoredOptions((work) => work);
    cleanUp(() => ignored.close());
    const clients = new WatchedClients({
      guard: (work) => work,
      batch: new EventBatch({}),
      listIgnored: (client) => ignored.listOf(client),
      onClient: () => () => {},
      onChange() {},
    });
    cleanUp(() => clients.close());
    for (const options of [{ appName: 'before' }, { appName: 'shop', timeoutMS: 500 }, { appName: 'after' }]) {
      const client = new MongoClient(sharedMongoUrl(), options);
      ignored.noteCreated(client);
      // It connects before the driver has warned.
      clients.add(client);
    }
    await new Promise((resolve) => process.nextTick(resolve));
    const facts = clients.list().map(({ monitor }) => [monitor.name, monitor.describeClient().options.timeoutMS]);
    expect(Object.fromEntries(facts)).toEqual({
      before: { value: 0, from: 'default' },
      shop: { value: 0, from: 'default', ignored: true },
      after: { value: 0, from: 'default' },
    });
  });

  test('only the named client gets the other maxPoolSize', () => {
    const clients = watchNone(4, 'reports');
    for (const appName of ['web', 'reports'])
      clients.add(new MongoClient(sharedMongoUrl(), { appName, maxPoolSize: 50 }));
    expect(
      clients
        .list()
        .map(({ replacedMaxPoolSize, monitor }) => [replacedMaxPoolSize, monitor.describeClient().options.maxPoolSize]),
    ).toEqual([
      [null, { value: 50, from: 'code' }],
      [50, { value: 4, from: 'lab', own: 50 }],
    ]);
    clients.close();
  });

  test('a client that has connected keeps its own', async () => {
    const client = await new MongoClient(sharedMongoUrl(), { maxPoolSize: 50 }).connect();
    expect(watch(4)(client)).toEqual({ replacedMaxPoolSize: null, max: 50, min: 0 });
    await client.close();
  });

  test('a client has the name that its app, its database or its place gives it', async () => {
    const clients = watchNone();
    /** @param {string} path @param {object} [options] */
    const add = (path, options) => clients.add(new MongoClient(`mongodb://db.example:27017/${path}`, options));
    add('shop', { appName: 'web' });
    add('shop');
    add('orders');
    add('test');
    const connected = await new MongoClient(sharedMongoUrl()).connect();
    clients.add(connected);
    const [web, shop, orders, place, last] = clients.list().map(({ monitor }) => monitor.name);
    expect([web, shop, orders]).toEqual(['web', 'shop', 'orders']);
    // This file is the app.
    expect(place).toMatch(/^(packages\/pool-monitor\/)?test\/attach\/watching\.test\.js:\d+$/);
    // Anything may use it by now.
    expect(last).toBe(new URL(sharedMongoUrl()).host);
    clients.close();
    await connected.close();
  });

  describe('of one database', () => {
    const create = (/** @type {object} */ options) => new MongoClient('mongodb://db.example:27017/shop', options);
    const SERVERS = { topology: { s: { servers: new Map() } } };
    /** @param {MongoClient[]} added in this order @param {WatchedClients} [clients] */
    const nameAll = (added, clients = watchNone()) => {
      for (const client of added) clients.add(client);
      const names = new Map(clients.list().map(({ client, monitor }) => [client, monitor.name]));
      clients.close();
      return names;
    };

    test.each([
      ['watched, in one order', false, false],
      ['watched, in the other', false, true],
      ['attached later, in one order', true, false],
      ['attached later, in the other', true, true],
    ])('have the same names whichever connects first: %s', (_, isConnected, isReversed) => {
      const all = [
        create({ maxPoolSize: 50 }),
        create({ maxPoolSize: 5, minPoolSize: 2 }),
        create({ maxPoolSize: 5, minPoolSize: 2, readPreference: 'secondaryPreferred' }),
      ];
      if (isConnected) for (const client of all) Object.assign(client, SERVERS);
      const names = nameAll(isReversed ? all.toReversed() : all);
      expect(all.map((client) => names.get(client))).toEqual([
        'shop primary maxPoolSize=50',
        'shop primary maxPoolSize=5',
        'shop secondaryPreferred maxPoolSize=5',
      ]);
    });

    test('the line that created them tells them apart if nothing else does', () => {
      const clients = watchNone();
      clients.add(create({}));
      clients.add(create({}));
      expect(clients.list().map(({ monitor }) => monitor.name)).toEqual(
        Array(2).fill(expect.stringMatching(/^shop \S+watching\.test\.js:\d+$/)),
      );
      clients.close();
    });

    test('those that are alike in everything have numbers, and a free number is given again', () => {
      const clients = watchNone();
      const [first, ...rest] = Array.from({ length: 3 }, () => create({}));
      for (const client of [first, ...rest]) clients.add(client);
      const listNames = () => clients.list().map(({ monitor }) => monitor.name);
      expect(listNames()).toEqual(['shop', 'shop (2)', 'shop (3)']);
      rest[0].emit('topologyClosed', /** @type {any} */ ({}));
      clients.add(create({ maxPoolSize: 5 }));
      // The fourth is another one, so the others say what they are, too.
      expect(clients.list()[0].monitor.formerNames).toEqual(['shop']);
      expect(listNames()).toEqual(['shop maxPoolSize=100', 'shop maxPoolSize=100 (3)', 'shop maxPoolSize=5']);
      clients.close();
    });

    test('a size for one of them changes no other one, and none if it may be another one', () => {
      const replaced = (/** @type {string} */ name, /** @type {object[]} */ ...options) => {
        const clients = watchNone(4, name);
        for (const each of options) clients.add(create(each));
        const found = clients.list().map(({ isChosen, replacedMaxPoolSize }) => [isChosen, replacedMaxPoolSize]);
        clients.close();
        return found;
      };
      const [five, fifty] = [{ maxPoolSize: 5 }, { maxPoolSize: 50 }];
      expect(replaced('shop', five)).toEqual([[true, 5]]);
      const first = [
        [true, 5],
        [false, null],
      ];
      expect(replaced('shop maxPoolSize=5', five, fifty)).toEqual(first);
      expect(replaced('shop maxPoolSize=5', fifty, five)).toEqual(first.toReversed());
      // The sweep refuses names that fit two.
      expect(replaced('shop', fifty, five)).toEqual([
        [true, 50],
        [true, null],
      ]);
      expect(replaced('shop (2)', five, five)).toEqual(Array(2).fill([false, null]));
    });
  });
});

describe('many clients', () => {
  /** @param {object} [options] see WatchedClients */
  function watchMany(options) {
    const left = jest.fn();
    const clients = new WatchedClients({
      guard: (work) => work,
      batch: new EventBatch({}),
      onClient: () => left,
      onChange() {},
      ...options,
    });
    return { clients, left };
  }
  const open = (/** @type {any} */ client, connections = 1) => {
    for (let id = 1; id <= connections; id += 1)
      client.emit('connectionCreated', { address: 'db.example:27017', connectionId: id });
  };
  const close = (/** @type {any} */ client) => {
    client.emit('connectionClosed', { address: 'db.example:27017', connectionId: 1, reason: 'poolClosed' });
    client.emit('topologyClosed', {});
  };

  test('are counted by the line that created them, also those that were closed', () => {
    const { clients } = watchMany();
    const create = () => new MongoClient('mongodb://db.example:27017/');
    const created = Array.from({ length: 3 }, () => {
      const client = create();
      clients.add(client);
      open(client);
      return client;
    });
    open(created[0], 2);
    close(created[1]);
    close(created[2]);
    // It may connect again.
    clients.add(created[2]);
    const place = expect.stringMatching(/watching\.test\.js:\d+$/);
    const site = { place, hosts: 'db.example:27017', created: 3, closed: 1, connections: 3 };
    expect(clients.sites.list()).toEqual([{ ...site, minuteAgo: { created: 0, closed: 0 } }]);
    clients.close();
    expect(created[0].listenerCount('connectionCreated')).toBe(0);
  });

  test('the constructor tells where a client comes from, not the line that connects it', () => {
    const { clients } = watchMany();
    const create = () => {
      const client = new MongoClient('mongodb://db.example:27017/');
      clients.sites.noteCreated(client);
      return client;
    };
    for (const connect of [() => clients.add(create()), () => clients.add(create())]) connect();
    expect(clients.sites.list()).toMatchObject([{ created: 2 }]);
    clients.close();
  });

  test('those that were connected before they were found have no place', () => {
    const { clients } = watchMany();
    const connected = Object.assign(new MongoClient('mongodb://db.example:27017/'), {
      topology: { s: { servers: new Map([['db.example:27017', { pool: { totalConnectionCount: 7 } }]]) } },
    });
    clients.sites.add(/** @type {any} */ (connected));
    expect(clients.sites.list()).toMatchObject([{ place: null, created: 1, connections: 7 }]);
    clients.close();
  });

  test('a minute ago there were fewer', () => {
    let nowMs = 0;
    const sites = new ClientSites(
      (work) => work,
      () => nowMs,
    );
    for (let second = 0; second < 100; second += 1) {
      nowMs = second * 1000;
      sites.add(new MongoClient('mongodb://db.example:27017/'));
    }
    // Of the seconds 0 to 99, those before 39 are older than a minute.
    expect(sites.list()).toMatchObject([{ created: 100, minuteAgo: { created: 39, closed: 0 } }]);
    nowMs = 1e6;
    expect(sites.list()).toMatchObject([{ created: 100, minuteAgo: { created: 100 } }]);
  });

  test('the server is gone if the pool of one that has had time to connect is paused', () => {
    const client = (/** @type {number} */ sinceMs, paused = true) =>
      /** @type {any} */ ({ sinceMs, monitor: { servers: new Map([['db:1', { isClosed: false, paused }]]) } });
    const [old, isNew] = [-1e9, Infinity];
    const read = (/** @type {any[]} */ ...clients) => readStatus(clients).reachable;
    expect([read(client(old)), read(client(old, false)), read(client(isNew)), read()]).toEqual([
      false,
      true,
      true,
      true,
    ]);
    expect(read(client(isNew), client(old))).toBe(false);
  });

  test('above a hundred, the one that was used least recently is left, and names stay few', () => {
    const { clients, left } = watchMany();
    const add = (/** @type {number} */ index) => {
      const client = /** @type {any} */ (new MongoClient(`mongodb://db.example:27017/tenant${index}`));
      clients.add(client);
      return client;
    };
    const names = new Set();
    const first = add(0);
    for (let index = 1; index <= 300; index += 1) {
      // The first one is in use, and waits for a connection.
      if (index === 50) first.emit('connectionCheckOutStarted', { address: 'db.example:27017', time: new Date() });
      add(index);
      for (const { monitor } of clients.list().slice(-1)) names.add(monitor.name);
    }
    expect([clients.list().length, clients.missed, left.mock.calls.length]).toEqual([100, 201, 201]);
    expect(clients.list()[0].client === first).toBe(true);
    expect(clients.sites.list()).toMatchObject([{ created: 301 }]);
    expect(names.size).toBeLessThan(302);
    expect([...names].filter((name) => /^tenant/.test(String(name))).length).toBe(199);
    clients.close();
  });
});

describe('its own client', () => {
  /** @param {MongoClient} client */
  const watched = (client) => /** @type {any} */ ({ client });

  test("it has the app's options, also those that only its code has, but a pool of its own", () => {
    const app = new MongoClient('mongodb://localhost:1,localhost:2/?replicaSet=rs', {
      appName: 'shop',
      maxPoolSize: 7,
      minPoolSize: 3,
      waitQueueTimeoutMS: 5,
      auth: { username: 'user', password: 'secret' },
      tls: true,
    });
    const own = createOwnClient([watched(app)]);
    expect(own.options).toMatchObject({
      appName: 'shop',
      maxPoolSize: 1,
      minPoolSize: 0,
      waitQueueTimeoutMS: 0,
      replicaSet: 'rs',
      credentials: { username: 'user', password: 'secret' },
      tls: true,
    });
    expect([app, own].map(isOwnClient)).toEqual([false, true]);
    expect(app.options).toMatchObject({ maxPoolSize: 7, minPoolSize: 3 });
    expect(() => createOwnClient([])).toThrow('the app has closed its clients');
  });

  test('the server is asked over it, and readings at the same time are one', async () => {
    const app = new MongoClient(sharedMongoUrl());
    cleanUp(() => app.close());
    let created = 0;
    const watch = createServerWatch(() => {
      created += 1;
      return createOwnClient([watched(app)]);
    });
    const [first, second] = await Promise.all([watch.read(), watch.read()]);
    expect(second).toBe(first);
    expect(first).toMatchObject({
      version: expect.stringMatching(/^\d+\.\d+/),
      cores: expect.any(Number),
      ticketsTotal: expect.any(Number),
      connectionLimit: expect.any(Number),
      queued: expect.any(Number),
    });
    await watch.read();
    expect(created).toBe(1);
    // It opens again for who asks later.
    await watch.close();
    await watch.read();
    expect(created).toBe(2);
    await watch.close();
  });
});

describe('modules', () => {
  test('several watch, and nothing is left when all have ended, in any order', () => {
    const loader = /** @type {any} */ (Module);
    const before = loader._load;
    /** @type {string[]} */
    const heard = [];
    const [first, second] = ['first', 'second'].map((name) =>
      watchModules((request) => heard.push(`${name} ${request}`)),
    );
    loader._load('node:path');
    first();
    loader._load('node:url');
    second();
    second();
    expect(loader._load).toBe(before);
    loader._load('node:fs');
    expect(heard).toEqual(['first node:path', 'second node:path', 'second node:url']);
  });
});

describe('attaching', () => {
  /** @param {string[]} options of Node.js */
  async function isUndiciLoaded(...options) {
    const script = "process.stdout.write(String(process.moduleLoadList.some((name) => name.includes('undici'))))";
    return (await promisify(execFile)(process.execPath, [...options, '-e', script])).stdout;
  }

  test('the app does not get the megabytes of fetch and WebSocket that it has not asked for', async () => {
    expect(await isUndiciLoaded()).toBe('false');
    expect(await isUndiciLoaded('--import', import.meta.resolve('../../src/attach/attach.js'))).toBe('false');
    expect(await isUndiciLoaded('--import', 'data:text/javascript,Headers')).toBe('true');
  });
});

describe('settings', () => {
  const TOKEN = 'a-token-of-16-ch';

  test('nothing is set', () => {
    expect(readAttachSettings({})).toEqual({
      host: '127.0.0.1',
      loopbackOnly: true,
      token: undefined,
      port: 0,
      serverTiming: false,
      maxPoolSize: undefined,
      onlyClient: undefined,
      shortRoutes: false,
      otel: false,
      history: undefined,
      reportTo: undefined,
    });
  });

  test('all are set', () => {
    expect(
      readAttachSettings({
        POOL_MONITOR_HOST: '0.0.0.0',
        POOL_MONITOR_TOKEN: TOKEN,
        POOL_MONITOR_PORT: '9100',
        POOL_MONITOR_SERVER_TIMING: 'on',
        POOL_MONITOR_MAX_POOL_SIZE: '4',
        POOL_MONITOR_CLIENT: 'web',
        POOL_MONITOR_ROUTES: 'short',
        POOL_MONITOR_OTEL: 'on',
        POOL_MONITOR_LOG: 'shop.jsonl',
        POOL_MONITOR_LOG_MB: '1',
      }),
    ).toEqual({
      host: '0.0.0.0',
      loopbackOnly: false,
      token: TOKEN,
      port: 9100,
      serverTiming: true,
      maxPoolSize: 4,
      onlyClient: 'web',
      shortRoutes: true,
      otel: true,
      history: { file: 'shop.jsonl', maxBytes: 2 ** 20 },
      reportTo: undefined,
    });
  });

  test('whoever gets reports finds the page on this machine, without a token', () => {
    const env = {
      POOL_MONITOR_REPORT_TO: 'http://127.0.0.1:4000/',
      POOL_MONITOR_HOST: '::',
      POOL_MONITOR_TOKEN: TOKEN,
    };
    expect(readAttachSettings(env)).toMatchObject({
      reportTo: 'http://127.0.0.1:4000/',
      host: '127.0.0.1',
      loopbackOnly: true,
      token: undefined,
    });
  });

  test.each(['localhost', '::1', '127.0.0.1'])('on %s, nobody needs a token', (host) => {
    expect(readAttachSettings({ POOL_MONITOR_HOST: host })).toMatchObject({ host, loopbackOnly: true });
  });

  test.each(['0.0.0.0', '::', '10.0.0.7', '127.0.0.1.example.com', '127x0y0z1'])(
    '%s is refused without one',
    (host) => {
      expect(() => readAttachSettings({ POOL_MONITOR_HOST: host })).toThrow(
        new Error(`POOL_MONITOR_HOST=${host} opens the page to the network, so it needs POOL_MONITOR_TOKEN`),
      );
    },
  );

  test('a history takes 16 MB unless a setting says otherwise', () => {
    expect(readAttachSettings({ POOL_MONITOR_LOG: 'x' }).history).toEqual({ file: 'x', maxBytes: 16 * 2 ** 20 });
  });

  test('a token that could be guessed is refused, and not shown', () => {
    for (const token of ['short', 'with a space in it', `${TOKEN}!`])
      expect(() => readAttachSettings({ POOL_MONITOR_TOKEN: token })).toThrow(
        new Error('POOL_MONITOR_TOKEN must be at least 16 letters, digits, - or _'),
      );
  });

  test.each([
    ['POOL_MONITOR_PORT', 'port', [0, 65_535]],
    ['POOL_MONITOR_MAX_POOL_SIZE', 'maxPoolSize', [1, 100_000]],
  ])('%s can have its least and its largest value', (name, key, values) => {
    for (const value of values) expect(readAttachSettings({ [name]: String(value) })).toMatchObject({ [key]: value });
  });

  test.each(['http://localhost:1/', 'http://[::1]:4000/reports/x'])('%s is on loopback', (url) => {
    expect(readAttachSettings({ POOL_MONITOR_REPORT_TO: url }).reportTo).toBe(url);
  });

  const NUMBER = 'must be a whole number from';
  const LOOPBACK = 'must be an http:// URL on loopback, with a port';

  test.each([
    ['POOL_MONITOR_PORT', '70000', `${NUMBER} 0 to 65535`],
    ['POOL_MONITOR_PORT', '65536', `${NUMBER} 0 to 65535`],
    ['POOL_MONITOR_PORT', '80x', `${NUMBER} 0 to 65535`],
    ['POOL_MONITOR_PORT', ' 80', `${NUMBER} 0 to 65535`],
    ['POOL_MONITOR_PORT', '80 ', `${NUMBER} 0 to 65535`],
    ['POOL_MONITOR_SERVER_TIMING', 'yes', 'must be one of off, on'],
    ['POOL_MONITOR_ROUTES', 'none', 'must be one of full, short'],
    ['POOL_MONITOR_OTEL', '1', 'must be one of off, on'],
    ['POOL_MONITOR_MAX_POOL_SIZE', '0', `${NUMBER} 1 to 100000`],
    ['POOL_MONITOR_MAX_POOL_SIZE', '100001', `${NUMBER} 1 to 100000`],
    ['POOL_MONITOR_LOG_MB', '0.5', `${NUMBER} 1 to 10000`],
    ['POOL_MONITOR_REPORT_TO', 'http://example.com:80/', LOOPBACK],
    ['POOL_MONITOR_REPORT_TO', 'http://127.0.0.1.example.com:80/', LOOPBACK],
    ['POOL_MONITOR_REPORT_TO', 'http://example.com/?http://127.0.0.1:80/', LOOPBACK],
    ['POOL_MONITOR_REPORT_TO', 'http://127.0.0.1/', LOOPBACK],
    ['POOL_MONITOR_REPORT_TO', 'http://127a0b0c1:80/', LOOPBACK],
  ])('%s=%s is refused', (name, value, rule) => {
    expect(() => readAttachSettings({ [name]: value })).toThrow(new Error(`${name}=${value} ${rule}`));
  });
});

describe('a guarded function', () => {
  const fail = () => {
    throw new Error('broken');
  };

  test('no error gets out; the first is told, and after twenty it is enough', () => {
    const [onFirst, onTooMany] = [jest.fn(), jest.fn()];
    const guard = createGuard(onFirst, onTooMany);
    const broken = guard(fail);
    for (let call = 0; call < 19; call++) broken();
    expect(onTooMany).not.toHaveBeenCalled();
    broken();
    broken();
    expect([onFirst.mock.calls.length, onTooMany.mock.calls.length]).toEqual([1, 1]);
  });

  test('an error of the one who is told does not get out either', () => {
    expect(createGuard(fail, () => {})(fail)).not.toThrow();
  });

  test('a method is replaced, looks the same, and is put back', () => {
    class Parent {
      /** @param {number} a */
      double(a) {
        return 2 * a;
      }
    }
    const before = Parent.prototype.double;
    const addOne = (/** @type {Function} */ original) => (/** @type {number} */ a) => original(a) + 1;
    const undo = replaceMethod(Parent.prototype, 'double', addOne);
    expect(new Parent().double(4)).toBe(9);
    const { name, length } = Parent.prototype.double;
    expect([name, length, Object.keys(Parent.prototype)]).toEqual(['double', 1, []]);
    undo();
    expect(Parent.prototype.double).toBe(before);
  });

  test('what somebody else replaced later stays', () => {
    const target = { name: () => 'a' };
    const undo = replaceMethod(target, 'name', (original) => () => `${original()}b`);
    const later = () => 'c';
    target.name = later;
    undo();
    expect(target.name).toBe(later);
  });
});

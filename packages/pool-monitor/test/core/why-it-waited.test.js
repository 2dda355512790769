import { describe, expect, test } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { cleanUp } from 'test-support/cleanup.js';
import { createFakeClient } from 'test-support/fake-client.js';
import { sharedMongoUrl } from 'test-support/mongod.js';
import { openTcpProxy } from 'test-support/network.js';
import { until } from 'test-support/waiting.js';
import { Checkouts } from '../../src/core/checkouts.js';
import { EventLog } from '../../src/core/event-log.js';
import { monitorPool } from '../../src/core/monitor.js';
import { EventBatch } from '../../src/core/event-batch.js';

describe('the reasons of a wait', () => {
  /** @param {Parameters<typeof createFakeClient>[0]} options */
  function open(options) {
    const fake = createFakeClient(options);
    /** @type {string | undefined} */
    let operation;
    const checkouts = new Checkouts({ now: fake.now, describe: () => (operation ? { operation } : null) });
    checkouts.watch(fake.monitor);
    return {
      fake,
      checkouts,
      /** @param {string} route @param {string} [purpose] */
      start(route, purpose) {
        operation = purpose;
        checkouts.run({ route }, () => fake.startCheckOut());
      },
    };
  }

  test('a record says how much of the wait was the opening of the connection that it got', () => {
    const { fake, checkouts } = open({ max: 2 });
    fake.startCheckOut();
    fake.pass(3);
    fake.create(1);
    fake.pass(40);
    fake.ready(1);
    fake.pass(2);
    fake.checkOut(1, 45);
    fake.checkIn(1);
    // The second use of a connection waits for no opening, nor does the first of one that was opened before.
    fake.use(1);
    fake.open(2, 50);
    fake.use(2);
    expect(checkouts.list().map(({ connectionId, isFresh, openingMs }) => [connectionId, isFresh, openingMs])).toEqual([
      [1, true, 40],
      [1, false, 0],
      [2, true, 0],
    ]);
  });

  test('only the part of an opening counts that was waited for, and none where the opening was not seen', () => {
    const { fake, checkouts } = open({ max: 3 });
    fake.create(1);
    fake.pass(30);
    fake.startCheckOut();
    fake.pass(10);
    fake.ready(1);
    fake.checkOut(1, 10);
    fake.checkIn(1);
    fake.use(7);
    expect(checkouts.list().map(({ isFresh, openingMs }) => [isFresh, openingMs])).toEqual([
      [true, 10],
      [false, 0],
    ]);
  });

  test('a record names who held the connections when its wait began, by route and operation, the longest first', () => {
    const { fake, checkouts, start } = open({ max: 3 });
    for (const id of [1, 2, 3]) fake.open(id);
    start('/report', 'find orders');
    start('/report', 'find orders');
    start('/users', 'find users');
    for (const id of [1, 2, 3]) fake.checkOut(id, 0);
    start('/fast');
    fake.checkIn(2);
    fake.checkOut(2, 0);
    start('/late');
    for (const id of [1, 2, 3]) fake.checkIn(id);
    fake.checkOut(1, 0);
    fake.checkIn(1);
    const heldBy = Object.fromEntries(checkouts.list().map((record) => [record.route, record.heldBy]));
    expect(heldBy).toEqual({
      '/report': [],
      '/users': [],
      '/fast': [
        { route: '/report', operation: 'find orders', kind: null, requests: [1, 2] },
        { route: '/users', operation: 'find users', kind: null, requests: [3] },
      ],
      '/late': [
        { route: '/report', operation: 'find orders', kind: null, requests: [1] },
        { route: '/users', operation: 'find users', kind: null, requests: [3] },
        { route: '/fast', operation: null, kind: null, requests: [4] },
      ],
    });
  });

  test('checkouts of one tick: those that get no connection wait behind those that do', () => {
    const { fake, checkouts, start } = open({ max: 2 });
    for (const id of [1, 2]) fake.open(id);
    for (const route of ['/slow', '/slow', '/fast', '/late']) start(route);
    for (const id of [1, 2]) fake.checkOut(id, 0);
    fake.pass(50);
    // One starts in the tick of a check-in, before the driver has looked at its queue.
    fake.checkIn(1);
    start('/same');
    fake.checkOut(1, 50);
    for (const id of [2, 1]) fake.checkIn(id);
    for (const id of [2, 1]) fake.checkOut(id, 50);
    for (const id of [2, 1]) fake.checkIn(id);
    const slow = { route: '/slow', operation: null, kind: null };
    expect(checkouts.list().map(({ route, heldBy }) => [route, heldBy])).toEqual([
      ['/slow', []],
      ['/slow', []],
      ['/fast', [{ ...slow, requests: [1, 2] }]],
      ['/late', [{ ...slow, requests: [1, 2] }]],
      [
        '/same',
        [
          { ...slow, requests: [2] },
          { route: '/fast', operation: null, kind: null, requests: [3] },
        ],
      ],
    ]);
  });

  test('a wait for a connection that is being opened is behind nobody, until all are in use', () => {
    const { fake, checkouts, start } = open({ max: 2 });
    for (const route of ['/a', '/b', '/c']) start(route);
    for (const id of [1, 2]) fake.create(id);
    fake.pass(20);
    for (const id of [1, 2]) {
      fake.ready(id);
      fake.checkOut(id, 20);
    }
    for (const id of [1, 2]) fake.checkIn(id);
    fake.checkOut(1, 20);
    fake.checkIn(1);
    expect(checkouts.list().map(({ route, heldBy }) => [route, heldBy.map((each) => each.route)])).toEqual([
      ['/a', []],
      ['/b', []],
      ['/c', ['/a', '/b']],
    ]);
  });

  test('a wait in vain has its end, and those that it waited behind', () => {
    const { fake, checkouts, start } = open({ max: 1 });
    fake.open(1);
    start('/slow');
    fake.checkOut(1, 0);
    start('/fast');
    fake.pass(30);
    fake.failCheckOut('timeout', 30);
    const [{ outcome, reason, checkOutStartedAtMs, endedAtMs, heldBy }] = checkouts.list();
    expect({ outcome, reason, waitedMs: endedAtMs - checkOutStartedAtMs }).toEqual({
      outcome: 'checkOutFailed',
      reason: 'timeout',
      waitedMs: 30,
    });
    expect(heldBy).toMatchObject([{ route: '/slow', requests: [1] }]);
  });

  test('what happens to connections and the pool is recorded, with reasons', () => {
    const { fake, checkouts } = open({ max: 2 });
    fake.open(1, 60);
    fake.pass(100);
    fake.closeConnection(1, 'idle');
    fake.open(2, 20);
    fake.client.emit(
      'serverDescriptionChanged',
      /** @type {any} */ ({
        address: 'a:1',
        previousDescription: { type: 'Standalone' },
        newDescription: { type: 'Unknown', isWritable: false, error: new Error('lost mongodb://user:secret@a:1/') },
      }),
    );
    fake.emit('PoolCleared');
    const { events } = checkouts;
    expect(events.list()).toMatchObject([
      { event: 'connectionReady', server: 'a:1', pool: null, connectionId: 1, durationMs: 60, reason: null },
      { event: 'connectionClosed', connectionId: 1, reason: 'idle', durationMs: 160 },
      { event: 'connectionReady', connectionId: 2, durationMs: 20 },
      { event: 'poolCleared', connectionId: null, reason: 'Error: lost mongodb://a:1/', durationMs: null },
      { event: 'connectionClosed', connectionId: 2, reason: 'stale' },
    ]);
    expect(events.list({ after: 3 }).map(({ id }) => id)).toEqual([4, 5]);
    expect([events.lastId, events.countForgotten(0)]).toEqual([5, 0]);
  });

  test('a real driver says why it clears its pool', async () => {
    const { searchParams, port } = new URL(sharedMongoUrl());
    const proxy = await openTcpProxy(Number(port));
    const client = new MongoClient(`mongodb://127.0.0.1:${proxy.port}/?${searchParams}&directConnection=true`);
    cleanUp(() => client.close());
    const checkouts = new Checkouts();
    checkouts.watch(monitorPool(client));
    await client.connect();
    proxy.cut();
    await until('the pool is cleared', () => checkouts.events.list().some(({ event }) => event === 'poolCleared'));
    const [{ reason }] = checkouts.events.list().filter(({ event }) => event === 'poolCleared');
    expect(reason).toMatch(/^MongoNetworkError: /);
  });

  test('the log of events keeps the last ones', () => {
    const log = new EventLog();
    for (let id = 1; id <= 10_002; id++) log.add('poolCleared', id, { pool: null, server: 'a:1' }, 0, null, NaN);
    expect([log.list().length, log.countForgotten(0), log.countForgotten(1), log.lastId]).toEqual([
      10_000, 2, 1, 10_002,
    ]);
  });

  test.each([
    ['', {}, { maxPoolSize: { value: 100, from: 'default' }, maxConnecting: { value: 2, from: 'default' } }],
    ['?maxPoolSize=7', {}, { maxPoolSize: { value: 7, from: 'uri' } }],
    ['?MAXPOOLSIZE=7', { maxPoolSize: 3 }, { maxPoolSize: { value: 3, from: 'code', uri: 7 } }],
    ['?maxIdleTimeMS=0', { waitQueueTimeoutMS: 20 }, { waitQueueTimeoutMS: { value: 20, from: 'code' } }],
    // The driver has no such option any more.
    ['?timeoutMS=500', {}, { timeoutMS: { value: 0, from: 'default', uri: 500 } }],
  ])('the options of a client, with where each came from: %s %j', (query, options, expected) => {
    const client = new MongoClient(`mongodb://user:secret@localhost:1/${query}`, { appName: 'shop', ...options });
    const facts = monitorPool(client).describeClient();
    expect(facts).toMatchObject({ appName: 'shop', options: expected });
    expect(JSON.stringify(facts)).not.toMatch(/secret|user/);
  });

  test('an option that was replaced names its own value, and the driver names its version', async () => {
    const client = new MongoClient('mongodb://localhost:1/', { maxPoolSize: 3 });
    const monitor = monitorPool(client, { replaced: { maxPoolSize: 50 } });
    // The driver tells it a little later.
    await until('the version is known', () => monitor.describeClient().driver);
    expect(monitor.describeClient()).toMatchObject({
      driver: expect.stringMatching(/^\d+\.\d+\.\d+/),
      options: { maxPoolSize: { value: 3, from: 'lab', own: 50 } },
    });
  });
});

describe('events in batches', () => {
  test('listeners hear of an event a little later, or when somebody reads', async () => {
    const batch = new EventBatch({ size: 100 });
    const fake = createFakeClient({ batch });
    /** @type {string[]} */
    const heard = [];
    fake.monitor.subscribe(({ type }) => {
      heard.push(type);
      // Does not handle anything twice.
      fake.monitor.snapshot();
    });
    fake.startCheckOut();
    expect(heard).toEqual([]);
    expect(fake.gauges().waiting).toBe(0);
    expect(heard).toEqual(['checkOutStarted']);
    fake.checkOut(1, 0);
    await until('a listener hears of it', () => heard.length > 1);
    expect(heard).toEqual(['checkOutStarted', 'checkedOut']);
    batch.close();
    fake.checkIn(1);
    expect(heard).toEqual(['checkOutStarted', 'checkedOut', 'checkedIn']);
  });

  test('an error in one event reaches the guard, and the others are handled', () => {
    /** @type {unknown[]} */
    const errors = [];
    const batch = new EventBatch({
      size: 3,
      guard:
        (work) =>
        (...args) => {
          try {
            work(...args);
          } catch (error) {
            errors.push(error);
          }
        },
    });
    let count = 0;
    for (const atMs of [1, 2, 3]) {
      batch.next((entry) => {
        if (entry.atMs === 2) throw new Error('of the monitor');
        count += 1;
      }, atMs);
      batch.added(true);
    }
    expect(count).toBe(2);
    expect(errors).toEqual([new Error('of the monitor')]);
    batch.close();
  });

  test('an error in one event reaches whoever flushes, and the next flush handles the others', () => {
    const batch = new EventBatch({ size: 4 });
    /** @type {number[]} */
    const handled = [];
    for (const atMs of [1, 2, 3]) {
      batch.next((entry) => {
        if (entry.atMs === 2) throw new Error('of a listener');
        handled.push(entry.atMs);
      }, atMs);
      batch.added(true);
    }
    expect(() => batch.flush()).toThrow('of a listener');
    batch.flush();
    expect(handled).toEqual([1, 3]);
    batch.close();
  });

  test('what a listener causes while a batch is handled comes next', () => {
    const batch = new EventBatch({ size: 2 });
    /** @type {number[]} */
    const handled = [];
    /** @param {number} atMs */
    const add = (atMs) => {
      batch.next((entry) => {
        handled.push(entry.atMs);
        if (entry.atMs === 1) for (const later of [3, 4, 5]) add(later);
      }, atMs);
      batch.added(true);
    };
    add(1);
    add(2);
    expect(handled).toEqual([1, 2, 3, 4, 5]);
    batch.close();
  });
});

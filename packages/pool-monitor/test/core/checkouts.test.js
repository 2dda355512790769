import { AsyncResource } from 'node:async_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { MongoClient, ObjectId } from 'mongodb';
import { cleanUp } from 'test-support/cleanup.js';
import { createFakeClient } from 'test-support/fake-client.js';
import { createSlowQuery, sharedMongoUrl } from 'test-support/mongod.js';
import { openTcpProxy } from 'test-support/network.js';
import { until } from 'test-support/waiting.js';
import { Checkouts } from '../../src/core/checkouts.js';
import { longestHolders, waiterOf } from '../../src/core/holders.js';
import { openRecordedClient } from './recorded-client.js';

/** The collections whose news the tests wait for. */
const news = new MongoClient(sharedMongoUrl());
cleanUp(() => news.close());

/** @param {ConstructorParameters<typeof Checkouts>[0]} [options] @param {number} [max] */
function openPool(options, max = 1) {
  const fake = createFakeClient({ max, batch: options?.batch });
  const checkouts = new Checkouts({ ...options, now: fake.now });
  checkouts.watch(fake.monitor);
  return { fake, checkouts, use: () => fake.use(1) };
}

/** @param {ReturnType<typeof createFakeClient>} fake @returns {<C>(context: C) => C} starts a checkout in a request */
const startIn =
  ({ startCheckOut }) =>
  (context) => {
    startCheckOut();
    return context;
  };

describe.each([1, 3])('with a pool of %i that slow requests hold', (maxPoolSize) => {
  /** @type {Awaited<ReturnType<typeof openRecordedClient>>} */
  let opened;
  /** Ends the slow requests. @type {() => Promise<unknown>} */
  let release;
  /** @type {Promise<unknown>[]} */
  let buses;
  beforeEach(async () => {
    opened = await openRecordedClient(maxPoolSize);
    const { client, monitor, send } = opened;
    const name = new ObjectId().toHexString();
    const collection = await news.db('news').createCollection(name, { capped: true, size: 4096 });
    release = () => collection.insertOne({});
    await release();
    const readers = Array.from({ length: maxPoolSize }, () =>
      client.db('news').collection(name).find({}, { tailable: true, awaitData: true, maxAwaitTimeMS: 60_000 }),
    );
    for (const reader of readers) await reader.next();
    buses = readers.map((reader, number) => send('/slow', `bus ${number}`, () => reader.next()));
    await until('all connections are held', () => monitor.snapshot().totals.active === maxPoolSize);
  });
  afterEach(() => opened.client.close());

  /** @param {number} count */
  const isQueued = (count) => until('all wait', () => opened.monitor.snapshot().totals.waiting === count);

  test('each checkout is linked to its request, and names those whose connection it waited for', async () => {
    const { send, truth, listRecords, listSteps } = opened;
    const ferraris = Array.from({ length: 12 }, (_, number) => send('/fast', `ferrari ${number}`));
    await isQueued(12);
    await release();
    const contexts = await Promise.all(ferraris);
    await Promise.all(buses);

    const records = listRecords();
    expect(records.map(({ requestId, connectionId, outcome }) => [requestId, connectionId, outcome]).sort()).toEqual(
      [...truth].map(([requestId, { connectionId }]) => [requestId, connectionId, 'checkedIn']).sort(),
    );
    for (const steps of listSteps()) expect(steps).toEqual(steps.toSorted((a, b) => a - b));
    for (const [index, { route, requestId, connectionId, behind, checkedOutAtMs }] of records.entries()) {
      const before = records.slice(0, index).filter((one) => one.connectionId === connectionId);
      expect(before.map((one) => one.route)[0]).toBe(route === '/slow' ? undefined : '/slow');
      expect(behind).toHaveLength(Math.min(before.length, 3));
      expect(before).toEqual(expect.arrayContaining(behind.map((holder) => expect.objectContaining(holder))));
      expect(checkedOutAtMs).toBeGreaterThanOrEqual(before.at(-1)?.checkedInAtMs ?? 0);
      if (route === '/fast')
        expect(contexts.find((context) => context.requestId === requestId)?.behind).toEqual(behind);
    }
  });

  test('the next checkout of a request that aborted its query is told from that one', async () => {
    const { client, send, listRecords } = opened;
    const controller = new AbortController();
    const any = client.db('lab').collection('any');
    // When this one is served, it shows that the first one was aborted.
    const later = Promise.all(buses).then(() => send('/later', 'later'));
    const first = send('/first', 'first', async () => {
      await expect(any.findOne({}, { signal: controller.signal })).rejects.toThrow();
      await later;
      await any.findOne({});
    });
    await isQueued(1);
    controller.abort();
    await release();
    await first;
    const [aborted, next] = listRecords().filter(({ requestId }) => requestId === 'first');
    expect([aborted.outcome, next.outcome]).toEqual(['checkOutAborted', 'checkedIn']);
    expect(next.checkOutStartedAtMs).toBeGreaterThanOrEqual(aborted.endedAtMs);
    expect(next.behind).toEqual([]);
  });
});

describe('the next checkout of a request that got no connection', () => {
  test('because the server was lost, so the driver tries again, is the one that it is', async () => {
    const { searchParams, port } = new URL(sharedMongoUrl());
    const proxy = await openTcpProxy(Number(port));
    const url = `mongodb://127.0.0.1:${proxy.port}/?${searchParams}&directConnection=true`;
    const { client, monitor, send, listRecords, listSteps } = await openRecordedClient(1, url);
    cleanUp(() => client.close());
    const runSlowQuery = createSlowQuery(client);
    await runSlowQuery(1);
    const bus = send('/slow', 'bus', () => expect(runSlowQuery(60_000)).rejects.toThrow());
    await until('the connection is held', () => monitor.snapshot().totals.active === 1);
    const ferraris = ['one', 'two', 'three'].map((requestId) => send('/fast', requestId));
    await until('all wait', () => monitor.snapshot().totals.waiting === 3);
    proxy.cut();
    await until('the pool is cleared', () => monitor.snapshot().totals.cleared > 0);
    await proxy.restore();
    await Promise.all([bus, ...ferraris]);

    const records = listRecords().filter(({ route }) => route === '/fast');
    for (const requestId of ['one', 'two', 'three']) {
      const [refused, served] = records.filter((record) => record.requestId === requestId);
      expect([refused.reason, served.outcome]).toEqual(['connectionError', 'checkedIn']);
      expect(refused.endedAtMs).toBeGreaterThanOrEqual(refused.checkOutStartedAtMs);
      expect(served.checkOutStartedAtMs).toBeGreaterThanOrEqual(refused.endedAtMs);
    }
    const served = listSteps()
      .filter(([, , , , checkedInAtMs]) => checkedInAtMs > 0)
      .slice(-3);
    for (const steps of served) expect(steps).toEqual(steps.toSorted((a, b) => a - b));
  });
});

describe('a checkout that fails', () => {
  test('is recorded with its reason, its wait and the holder of the connection', () => {
    const { fake, checkouts } = openPool();
    checkouts.run({ route: '/slow', requestId: 'bus' }, fake.startCheckOut);
    fake.open(1);
    fake.checkOut(1, 0);
    const ferrari = checkouts.run({ route: '/fast', requestId: 'ferrari' }, startIn(fake));
    fake.pass(30);
    fake.failCheckOut('timeout', 30);

    const held = [{ route: '/slow', requestId: 'bus' }];
    expect(checkouts.list()).toEqual([
      expect.objectContaining({
        id: 1,
        route: '/fast',
        requestId: 'ferrari',
        outcome: 'checkOutFailed',
        reason: 'timeout',
        checkedOutAtMs: null,
        checkedInAtMs: null,
        behind: held,
      }),
    ]);
    expect(ferrari).toMatchObject({ waitMs: 30, useMs: 0, behind: held });
  });
});

test('the checkouts of one request have one number, those of another request another', async () => {
  const { checkouts, use } = openPool({}, 2);
  checkouts.run({ route: '/a' }, () => {
    use();
    use();
  });
  checkouts.run({ route: '/a' }, use);
  const numbers = checkouts.list().map(({ request }) => request);
  expect(numbers[0]).toBe(numbers[1]);
  expect(numbers[2]).not.toBe(numbers[0]);
  expect(numbers.every(Number.isInteger)).toBe(true);
});

test('of two that started at the same time, the one is refused in whose code it happens', () => {
  const { checkouts, fake } = openPool({}, 3);
  fake.use(1);
  /** @param {string} route @param {number} id */
  const start = (route, id) =>
    checkouts.run({ route }, () => {
      fake.startCheckOut();
      fake.create(id);
      return AsyncResource.bind(() => fake.failCheckOut('connectionError', 5));
    });
  start('/one', 2);
  const refuse = start('/two', 3);
  fake.pass(5);
  fake.emit('PoolCleared');
  refuse();
  expect(checkouts.list().slice(1)).toMatchObject([{ route: '/two', outcome: 'checkOutFailed' }]);
  expect(checkouts.listOpen()).toMatchObject([{ route: '/one', outcome: 'waiting' }]);
});

describe('an operation that fails', () => {
  function useOnce() {
    const { fake, checkouts } = openPool();
    let startAgain = () => {};
    const context = checkouts.run({ route: '/slow', requestId: 'bus' }, (context) => {
      startAgain = AsyncResource.bind(fake.startCheckOut);
      return startIn(fake)(context);
    });
    fake.checkOut(1, 0);
    fake.pass(2000);
    fake.checkIn(1);
    const failed = () => [checkouts.list()[0].outcome, fake.monitor.snapshot().totals.operationsFailed];
    return { fake, checkouts, context, startAgain, failed };
  }

  test('and breaks its connection gives no service time', () => {
    const { fake, failed } = useOnce();
    fake.closeConnection(1, 'error');
    expect(failed()).toEqual(['operationFailed', 1]);
  });

  test('without breaking its connection is reported by its request', () => {
    const { checkouts, context, failed } = useOnce();
    expect(failed()).toEqual(['checkedIn', 0]);
    checkouts.fail(context);
    expect(failed()).toEqual(['operationFailed', 1]);
  });

  test('is not the one before a checkout that failed', () => {
    const { fake, checkouts, context, startAgain, failed } = useOnce();
    startAgain();
    fake.failCheckOut('timeout', 0);
    checkouts.fail(context);
    expect(failed()).toEqual(['checkedIn', 0]);
  });
});

describe('a request', () => {
  test('can be entered for the rest of an async flow', async () => {
    const { checkouts, use } = openPool();
    /** @param {string} requestId */
    const handle = async (requestId) => {
      await Promise.resolve();
      checkouts.enter({ route: '/a', requestId });
      await nextTurn();
      use();
    };
    await Promise.all([handle('one'), handle('two')]);
    use();
    expect(checkouts.list().map(({ route, requestId, request }) => [route, requestId, request])).toEqual([
      ['/a', 'one', 1],
      ['/a', 'two', 2],
      [null, null, null],
    ]);
  });

  test('gets its route when it is known, even after its checkouts, and keeps it from when it is settled', () => {
    const { checkouts, fake, use } = openPool();
    let route = 'GET /users/7';
    const context = checkouts.run({ route: () => route }, (context) => {
      use();
      fake.startCheckOut();
      fake.checkOut(1, 0);
      return context;
    });
    fake.pass(10);
    const after = checkouts.run({ route: '/after' }, startIn(fake));
    fake.pass(20);
    fake.checkIn(1);
    fake.checkOut(1, 20);
    fake.checkIn(1);
    route = '/users/:id';
    expect(checkouts.list().map((record) => record.route)).toEqual(['/users/:id', '/users/:id', '/after']);
    expect(checkouts.list()[2].behind).toEqual([{ route: '/users/:id', requestId: 'r1' }]);
    expect(after.behind).toEqual([{ route: '/users/:id', requestId: 'r1' }]);
    checkouts.settle(context);
    route = 'of the next request';
    expect(checkouts.list()[0].route).toBe('/users/:id');
    expect(checkouts.list()[2].behind[0].route).toBe('/users/:id');
  });

  test('is missing where code runs outside of any, which can have a route', () => {
    const { checkouts, use } = openPool({ outside: 'background' });
    checkouts.run({ route: '/a' }, use);
    use();
    expect(checkouts.list().map(({ route, requestId, request }) => [route, requestId, request])).toEqual([
      ['/a', 'r1', 1],
      ['background', null, null],
    ]);
    checkouts.run({ route: '/a' }, use);
    expect([0, 1, 2].map((after) => checkouts.list({ after, isOutside: true }).map(({ id }) => id))).toEqual([
      [2],
      [2],
      [],
    ]);
  });

  test('is that of code outside of any, where only the end of a checkout shows whose it is', () => {
    const { fake, checkouts } = openPool({ outside: 'background' });
    checkouts.run({ route: '/a' }, () => {});
    fake.checkOut(1, 0);
    const after = checkouts.run({ route: '/a' }, startIn(fake));
    fake.pass(10);
    fake.checkIn(1);
    expect(checkouts.list().map(({ route }) => route)).toEqual(['background']);
    fake.checkOut(1, 10);
    checkouts.run({ route: '/b' }, () => fake.checkIn(1));
    expect(after.behind).toEqual([{ requestId: null, route: 'background' }]);
  });

  test('that failed after its record was forgotten does not change the one that took its place', () => {
    const { checkouts, use } = openPool({ maxKept: 1 });
    const context = checkouts.run({ route: '/a' }, (context) => {
      use();
      return context;
    });
    use();
    checkouts.fail(context);
    expect(checkouts.list()).toMatchObject([{ id: 2, outcome: 'checkedIn' }]);
  });

  test('says what each of its checkouts is for, also concurrent ones', () => {
    /** @type {ReturnType<NonNullable<NonNullable<ConstructorParameters<typeof Checkouts>[0]>['describe']>>} */
    let sent = null;
    const { checkouts, fake } = openPool({ describe: () => sent }, 2);
    checkouts.run({ route: '/a', requestId: 'a' }, () => {
      for (const operation of ['find users', 'insert orders', 'watch orders']) {
        sent = { operation, ...(operation === 'watch orders' && { kind: 'changeStream' }) };
        fake.startCheckOut();
      }
      sent = null;
    });
    fake.checkOut(1, 0);
    fake.checkOut(2, 0);
    const [pool] = fake.monitor.servers.values();
    expect(longestHolders(pool)).toEqual(
      ['find users', 'insert orders'].map((operation) => ({ route: '/a', requestId: 'a', operation })),
    );
    expect(pool.waiters().map(waiterOf)).toEqual([
      { route: '/a', requestId: 'a', operation: 'watch orders', kind: 'changeStream', holds: 2 },
    ]);
    fake.pass(5);
    fake.checkIn(2);
    fake.checkOut(2, 5);
    fake.checkIn(2);
    fake.checkIn(1);
    expect(checkouts.list().map(({ operation, kind, behind }) => [operation, kind, behind])).toEqual([
      ['insert orders', null, []],
      ['watch orders', 'changeStream', [{ route: '/a', requestId: 'a', operation: 'insert orders' }]],
      ['find users', null, []],
    ]);
  });

  test('that comes back after its record was forgotten does not change the one that took its place', () => {
    const { checkouts, fake, use } = openPool({ maxKept: 2 }, 2);
    use();
    const comeBack = checkouts.run({ route: '/back' }, () => {
      fake.startCheckOut();
      return AsyncResource.bind(() => fake.checkIn(1));
    });
    fake.pass(10);
    checkouts.run({ route: '/later' }, fake.startCheckOut);
    // By its wait, that is the later one, so the first must have been aborted.
    fake.checkOut(1, 0);
    for (const route of ['/next', '/last']) {
      checkouts.run({ route }, () => fake.use(2));
    }
    comeBack();
    expect(checkouts.list().map(({ route, outcome }) => [route, outcome])).toEqual([
      ['/last', 'checkedIn'],
      ['/back', 'checkedIn'],
    ]);
  });

  test.each(
    /** @type {const} */ ([
      ['checkedIn', 10],
      ['checkOutFailed', 0],
    ]),
  )('that was not the one inferred to end leaves nobody in the queue, so the next is %s', (last, ms) => {
    const { checkouts, fake } = openPool({}, 2);
    checkouts.run({ route: '/back' }, fake.startCheckOut);
    // By its wait, it started later, so the first must have been aborted.
    fake.pass(10);
    fake.checkOut(1, 0);
    checkouts.run({ route: '/next' }, () => {
      fake.startCheckOut();
      fake.checkIn(1);
    });
    fake.pass(ms);
    checkouts.run({ route: '/last' }, () => {
      fake.startCheckOut();
      if (last === 'checkOutFailed') return fake.failCheckOut('connectionError', 0);
      fake.checkOut(2, 0);
      return fake.checkIn(2);
    });
    expect(checkouts.list().map(({ route, outcome }) => [route, outcome])).toEqual([
      ['/back', 'checkOutAborted'],
      ['/next', 'checkedIn'],
      ['/last', last],
    ]);
    expect(fake.gauges()).toMatchObject({ active: 0, waiting: 0 });
  });

  test('is not taken for the caller where an old driver runs another one in the flow of its connection', () => {
    const { checkouts, fake } = openPool({}, 2);
    // Old drivers send no durationMS.
    const checkOut = (/** @type {number} */ connectionId) => fake.emit('CheckedOut', { connectionId });
    let inItsFlow = (/** @type {number} */ connectionId) => fake.checkIn(connectionId);
    checkouts.run({ route: '/opens' }, () => {
      fake.startCheckOut();
      inItsFlow = AsyncResource.bind(inItsFlow);
      checkOut(1);
      fake.checkIn(1);
      fake.startCheckOut();
      checkOut(1);
    });
    checkouts.run({ route: '/other' }, fake.startCheckOut);
    checkOut(2);
    inItsFlow(2);
    expect(checkouts.list().map(({ route }) => route)).toEqual(['/opens', '/other']);
  });

  test('that has a connection and waits for the next one is told, in the record too', () => {
    const { checkouts, fake } = openPool();
    const again = checkouts.run({ route: '/a' }, () => {
      fake.startCheckOut();
      return AsyncResource.bind(fake.startCheckOut);
    });
    fake.checkOut(1, 0);
    fake.pass(5);
    again();
    checkouts.run({ route: '/b' }, fake.startCheckOut);
    const [pool] = fake.monitor.servers.values();
    const readHolds = () => pool.waiters().map((checkout) => waiterOf(checkout).holds);
    expect(readHolds()).toEqual([1, 0]);
    fake.checkIn(1);
    fake.checkOut(1, 0);
    expect(readHolds()).toEqual([0]);
    fake.checkIn(1);
    fake.checkOut(1, 0);
    fake.checkIn(1);
    expect(checkouts.list().map(({ request, holds }) => [request, holds])).toEqual([
      [1, 0],
      [1, 1],
      [2, 0],
    ]);
  });

  test('is not followed any more once the record is closed, and leaves no async hook', () => {
    const { checkouts, use } = openPool();
    checkouts.run({ route: '/a' }, use);
    checkouts.close();
    checkouts.run({ route: '/b' }, use);
    checkouts.enter({ route: '/c' });
    use();
    expect(checkouts.list().map(({ route }) => route)).toEqual(['/a']);
  });
});

describe('the record', () => {
  /** @param {ConstructorParameters<typeof Checkouts>[0]} [options] */
  function recordTen(options) {
    const { fake, checkouts, use } = openPool(options);
    fake.open(1);
    for (let number = 0; number < 10; number += 1) {
      use();
      fake.pass(1000);
    }
    return checkouts;
  }

  test.each([
    ['keeps at most maxKept records', { maxKept: 3 }, 0, [8, 9, 10]],
    // The tenth began a second ago.
    ['goes back at most keptMs', { keptMs: 3000 }, 0, [8, 9, 10]],
    ['lists what ended after a given one', {}, 8, [9, 10]],
  ])('%s', (_, options, after, expected) => {
    const records = recordTen(options).list({ after });
    expect(records.map(({ id }) => id)).toEqual(expected);
  });

  test.each([
    ['too many', { maxKept: 3 }, [7, 2, 0]],
    ['too old', { keptMs: 3000 }, [7, 2, 0]],
    ['all too old', { keptMs: 500 }, [10, 5, 2]],
  ])('knows the last id and how many it has forgotten because they were %s', (_, options, forgotten) => {
    const checkouts = recordTen(options);
    expect(checkouts.lastId).toBe(10);
    expect([0, 5, 8].map((id) => checkouts.countForgotten(id))).toEqual(forgotten);
  });
});

test('a client that is left is not recorded any more, and somebody else may record it', () => {
  const { monitor, use } = createFakeClient();
  const [first, second] = [new Checkouts(), new Checkouts()];
  const leave = first.watch(monitor);
  expect(() => second.watch(monitor)).toThrow('Another Checkouts watches this monitor already');
  leave();
  second.watch(monitor);
  use(1);
  expect([first.lastId, second.lastId]).toEqual([0, 1]);
});

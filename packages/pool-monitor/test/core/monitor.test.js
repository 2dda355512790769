import { describe, expect, jest, test } from '@jest/globals';
import { createFakeClient } from 'test-support/fake-client.js';

/** A pool of one whose connection is held by the first caller. */
function busyPoolOfOne() {
  const fake = createFakeClient();
  fake.startCheckOut();
  fake.open(1, 5);
  fake.checkOut(1, 5);
  return fake;
}

/**
 * Lists the events from now on.
 * @param {ReturnType<typeof createFakeClient>} fake
 * @param {(event: import('../../src/core/pool-events.js').PoolEvent) => unknown} describeEvent
 */
function listen({ monitor }, describeEvent) {
  /** @type {unknown[]} */
  const heard = [];
  const leave = monitor.subscribe((event) => heard.push(describeEvent(event)));
  return { heard, leave };
}

test('while a pool is paused nobody waits in it: the driver refuses its queue at once', () => {
  const fake = busyPoolOfOne();
  fake.startCheckOut();
  expect(fake.gauges()).toMatchObject({ active: 1, waiting: 1 });
  fake.emit('PoolCleared');
  expect(fake.gauges()).toMatchObject({ active: 1, waiting: 0 });
});

test('beyond maxConnecting a caller waits, however much room the pool has; an unlimited pool always has room', () => {
  const fake = createFakeClient({ max: 9, maxConnecting: 2 });
  fake.queue(3, 1);
  fake.create(1);
  expect(fake.gauges()).toMatchObject({ connecting: 1, waiting: 1 });
  fake.create(2);
  expect(fake.gauges()).toMatchObject({ connecting: 2, waiting: 3 });
  const unlimited = createFakeClient({ max: 0 });
  unlimited.startCheckOut();
  expect(unlimited.gauges()).toMatchObject({ connecting: 0, waiting: 0 });
});

describe('an ordinary checkout', () => {
  test('is counted while it waits, connects, is used and is checked in', () => {
    const fake = createFakeClient({ max: 3, min: 1 });
    fake.startCheckOut();
    fake.create(1);
    expect(fake.gauges()).toEqual({ total: 1, idle: 0, active: 0, connecting: 1, waiting: 1 });
    fake.pass(5);
    fake.ready(1);
    fake.checkOut(1, 5);
    expect(fake.gauges()).toEqual({ total: 1, idle: 0, active: 1, connecting: 0, waiting: 0 });
    fake.pass(20);
    fake.checkIn(1);

    const { servers, totals } = fake.monitor.snapshot();
    expect(servers['a:1']).toMatchObject({
      max: 3,
      min: 1,
      total: 1,
      idle: 1,
      active: 0,
      peakActive: 1,
      peakWaiting: 1,
      created: 1,
      checkedOut: 1,
      wait: { count: 1, sumMs: 5 },
      use: { count: 1, sumMs: 20 },
      connect: { count: 1, sumMs: 5 },
    });
    expect(servers['a:1'].use.p99Ms).toBeCloseTo(20, 1);
    expect(totals).toEqual(servers['a:1']);
  });

  test('counts for its own server, and the totals add the servers up', () => {
    const fake = busyPoolOfOne();
    fake.emit('PoolReady', {}, 'b:2');
    fake.emit('Ready', { connectionId: 1, durationMS: 40 }, 'b:2');
    fake.emit('CheckedOut', { connectionId: 1, durationMS: 0 }, 'b:2');
    fake.emit('CheckedIn', { connectionId: 1 }, 'b:2');

    const { servers, totals } = fake.monitor.snapshot();
    expect(servers['a:1']).toMatchObject({ active: 1, idle: 0 });
    expect(servers['b:2']).toMatchObject({ active: 0, idle: 1 });
    expect(totals).toMatchObject({ max: 2, total: 2, active: 1, idle: 1, created: 2 });
    expect(totals.connect).toMatchObject({ count: 2, sumMs: 45 });
  });

  test('is identified even if its checkOutStarted arrived almost a millisecond late', () => {
    const fake = busyPoolOfOne();
    // The driver read 1005 at 1005.9 and 1010 at 1010.2; a delay of one millisecond may not show in an event's time.
    fake.pass(1.7);
    fake.startCheckOut();
    fake.pass(3.5);
    fake.checkIn(1);
    fake.checkOut(1, 5);
    expect(fake.gauges()).toMatchObject({ active: 1, waiting: 0 });
    expect(fake.monitor.snapshot().totals.wait.count).toBe(2);
  });

  test('is identified even if the driver paused between reading its clock and emitting', () => {
    const fake = busyPoolOfOne();
    for (let caller = 0; caller < 2; caller += 1) {
      fake.pass(20);
      fake.startCheckOut();
    }
    // It read 1010 and 1030, and emitted at 1025 and 1045.
    fake.failCheckOut('timeout', 35);
    expect(fake.gauges()).toMatchObject({ active: 1, waiting: 1 });
    fake.checkIn(1);
    fake.checkOut(1, 15);
    expect(fake.gauges()).toMatchObject({ active: 1, waiting: 0 });
    expect(fake.monitor.snapshot().totals.wait.count).toBe(2);
  });

  test('is identified even if the process learned of its end late', () => {
    const fake = busyPoolOfOne();
    const { heard } = listen(fake, ({ type, durationMs }) => `${type} ${durationMs}`);
    fake.queue(2, 20);
    // The first one was served 5 ms after the second had started; the event comes 20 ms after that.
    fake.pass(5);
    const clock = jest.spyOn(Date, 'now').mockReturnValue(1000);
    fake.emit('CheckedOut', { connectionId: 1, durationMS: 25, time: new Date(980) });
    clock.mockRestore();
    expect(heard).toEqual(['checkOutStarted NaN', 'checkOutStarted NaN', 'checkedOut 45']);
    expect(fake.gauges().waiting).toBe(1);
  });

  test('comes in its turn with a driver that does not say how long it waited', () => {
    const fake = busyPoolOfOne();
    fake.queue(3, 20);
    fake.checkIn(1);
    fake.emit('CheckedOut', { connectionId: 1 });
    expect(fake.gauges()).toMatchObject({ active: 1, waiting: 2 });
    expect(fake.monitor.snapshot().totals.wait.sumMs).toBe(5 + 60);
    fake.emit('CheckOutFailed', { reason: 'timeout' });
    expect(fake.gauges().waiting).toBe(1);
  });
});

describe('a failed checkout', () => {
  test('by timeout leaves the callers before and after it waiting', () => {
    const fake = busyPoolOfOne();
    fake.queue(3, 10);
    const { heard } = listen(fake, ({ durationMs }) => durationMs);
    fake.failCheckOut('timeout', 20);
    expect(heard).toEqual([20]);
    expect(fake.gauges().waiting).toBe(2);
    expect(fake.monitor.snapshot().totals.checkOutFailed).toEqual({ timeout: 1 });
    fake.checkIn(1);
    fake.checkOut(1, 30);
    expect(fake.gauges().waiting).toBe(1);
  });
});

describe('a checkout aborted by its caller, without an event', () => {
  test('is dropped at the next event after the one that would have served or refused it', () => {
    const fake = createFakeClient({ max: 3 });
    fake.queue(2, 10);
    fake.create(1);
    const { heard } = listen(fake, ({ type }) => type);
    fake.closeConnection(1, 'error');
    fake.create(2);
    expect(heard).toEqual(['connectionClosed', 'checkOutAborted']);
    expect(fake.gauges()).toMatchObject({ connecting: 1, waiting: 1 });
  });

  test('does not cost later callers their place while connections are opened for them', () => {
    const fake = createFakeClient({ max: 3, maxConnecting: 2 });
    fake.queue(4, 10);
    // The first was aborted, so the driver opens these for the second and the third.
    fake.create(1);
    fake.open(2, 10);
    fake.checkOut(2, 30);
    expect(fake.gauges()).toMatchObject({ active: 1, connecting: 1, waiting: 1 });
    fake.create(3);
    expect(fake.gauges()).toMatchObject({ active: 1, connecting: 2, waiting: 2 });
    fake.pass(10);
    fake.ready(1);
    fake.checkOut(1, 50);
    fake.ready(3);
    fake.checkOut(3, 30);
    expect(fake.gauges()).toEqual({ total: 3, idle: 0, active: 3, connecting: 0, waiting: 0 });
  });

  test('leaves the connections to the callers they are opened for', () => {
    const fake = createFakeClient({ max: 3, maxConnecting: 2 });
    fake.queue(4, 10);
    fake.create(1);
    fake.create(2);
    fake.pass(10);
    fake.ready(1);
    fake.checkOut(1, 40);
    expect(fake.gauges()).toMatchObject({ active: 1, connecting: 1, waiting: 1 });
    fake.create(3);
    expect(fake.gauges()).toMatchObject({ active: 1, connecting: 2, waiting: 2 });
  });
});

describe('a connection dropped after a clear, without an event', () => {
  /** @param {number} [maxConnecting] */
  function clearedWhileConnecting(maxConnecting) {
    const fake = createFakeClient({ max: 5, maxConnecting });
    fake.startCheckOut();
    fake.create(1);
    fake.pass(5);
    fake.emit('PoolCleared');
    return fake;
  }

  test.each([
    ['timed out', true],
    ['was aborted, also without an event,', false],
  ])('whose waiter %s is dropped after two connect timeouts', (_, isTimeout) => {
    const fake = clearedWhileConnecting();
    if (isTimeout) fake.failCheckOut('timeout', 5);
    fake.pass(1995);
    expect(fake.gauges()).toMatchObject({ connecting: 1, waiting: isTimeout ? 0 : 1 });
    fake.pass(1);
    expect(fake.gauges()).toEqual({ total: 0, idle: 0, active: 0, connecting: 0, waiting: 0 });
  });

  test('whose waiter timed out is dropped when the driver opens one beyond its limit', () => {
    const fake = clearedWhileConnecting(1);
    fake.failCheckOut('timeout', 5);
    fake.emit('PoolReady');
    fake.startCheckOut();
    fake.create(2);
    expect(fake.gauges()).toMatchObject({ total: 1, connecting: 1, waiting: 1 });
  });

  test('nor if it was thought to be dropped, because another one was opened', () => {
    const fake = clearedWhileConnecting(1);
    fake.emit('PoolReady');
    fake.failCheckOut('timeout', 5);
    fake.create(2);
    fake.ready(1);
    expect(fake.gauges()).toEqual({ total: 1, idle: 0, active: 0, connecting: 1, waiting: 0 });
    fake.ready(2);
    expect(fake.gauges()).toMatchObject({ total: 1, idle: 1 });
  });
});

describe('of several connections that a clear may have dropped', () => {
  /** Opens connections for callers that all start in one millisecond. @param {number} callers */
  function openAtOnce(callers) {
    const fake = createFakeClient({ max: 5, maxConnecting: callers });
    fake.queue(callers, 0);
    for (let id = 1; id <= callers; id += 1) fake.create(id);
    fake.pass(5);
    fake.emit('PoolCleared');
    return fake;
  }

  test.each([
    [2, 1],
    [2, 2],
    [3, 1],
    [3, 2],
    [3, 3],
  ])('of %i, all but number %i are gone once that one is ready', (callers, alive) => {
    const fake = openAtOnce(callers);
    for (let refused = 1; refused < callers; refused += 1) fake.failCheckOut('connectionError', 5);
    expect(fake.gauges()).toMatchObject({ total: 1, connecting: 1, waiting: 1 });
    fake.emit('PoolReady');
    fake.ready(alive);
    fake.checkOut(alive, 5);
    expect(fake.gauges()).toEqual({ total: 1, idle: 0, active: 1, connecting: 0, waiting: 0 });
    const { created, closed } = fake.monitor.snapshot().totals;
    expect([created, closed]).toEqual([callers, { abandoned: callers - 1 }]);
  });

  test('those whose opening failed were not', () => {
    const fake = openAtOnce(3);
    fake.failCheckOut('connectionError', 5);
    for (const id of [1, 2]) {
      fake.closeConnection(id, 'error');
      fake.failCheckOut('connectionError', 5);
    }
    expect(fake.gauges()).toEqual({ total: 0, idle: 0, active: 0, connecting: 0, waiting: 0 });
    expect(fake.monitor.snapshot().totals.closed).toEqual({ abandoned: 1, error: 2 });
  });

  test('two are ready, in whichever order', () => {
    const fake = openAtOnce(3);
    fake.failCheckOut('connectionError', 5);
    fake.emit('PoolReady');
    for (const id of [1, 2]) {
      fake.ready(id);
      fake.checkOut(id, 5);
    }
    expect(fake.gauges()).toEqual({ total: 2, idle: 0, active: 2, connecting: 0, waiting: 0 });
  });

  test('it is one whose caller started when the refused one did', () => {
    const fake = createFakeClient({ max: 5, maxConnecting: 3 });
    fake.queue(1, 10);
    fake.queue(2, 0);
    for (const id of [1, 2, 3]) fake.create(id);
    fake.emit('PoolCleared');
    const { heard } = listen(fake, ({ type, connection }) => `${type} ${connection?.id}`);
    fake.failCheckOut('connectionError', 0);
    fake.emit('PoolReady');
    fake.ready(2);
    expect(heard).toEqual([
      'connectionClosed 2',
      'checkOutFailed undefined',
      'connectionClosed 3',
      'connectionReady 2',
    ]);
  });

  test.each([
    ['the one that nobody waits for', 1, [2]],
    ['the older one that nobody waits for', 2, [1]],
  ])('it is %s, if the driver opens another one', (_, spare, closed) => {
    const fake = createFakeClient({ max: 5, maxConnecting: 2 });
    fake.queue(2, 10);
    fake.create(1);
    fake.create(2);
    fake.emit('PoolCleared');
    for (let timeouts = 1; timeouts <= spare; timeouts += 1) fake.failCheckOut('timeout', timeouts * 10);
    fake.emit('PoolReady');
    const { heard } = listen(fake, ({ type, connection }) => (type === 'connectionClosed' ? connection?.id : type));
    fake.startCheckOut();
    fake.create(3);
    expect(heard).toEqual(['checkOutStarted', ...closed]);
    expect(fake.gauges()).toMatchObject({ total: 2, connecting: 2 });
    fake.ready(1);
    expect(fake.gauges()).toMatchObject({ connecting: 1 });
  });

  test('they are all that exceed minPoolSize, if the driver opens one though nobody waits', () => {
    const fake = createFakeClient({ max: 9, min: 2, maxConnecting: 9 });
    fake.queue(3, 10);
    for (const id of [1, 2, 3]) fake.create(id);
    fake.emit('PoolCleared');
    for (const waitMs of [30, 20, 10]) fake.failCheckOut('timeout', waitMs);
    fake.emit('PoolReady');
    fake.create(4);
    expect(fake.gauges()).toMatchObject({ total: 2, connecting: 2 });
  });

  test('there is none behind a load balancer, where a pool is not paused', () => {
    const fake = createFakeClient({ max: 5, min: 1 });
    fake.create(1);
    fake.emit('PoolCleared', { serviceId: 'of one server' });
    fake.pass(5000);
    expect(fake.gauges()).toMatchObject({ total: 1, connecting: 1 });
  });
});

describe('a connection that nobody waits for, dropped after a clear', () => {
  /** @param {Parameters<typeof createFakeClient>[0]} options */
  function clearedWhileConnecting(options) {
    const fake = createFakeClient({ connectTimeoutMs: 30_000, ...options });
    fake.open(1, 7);
    fake.closeConnection(1, 'idle');
    fake.create(2);
    fake.pass(2);
    fake.emit('PoolCleared');
    expect(fake.gauges()).toMatchObject({ total: 1, connecting: 1 });
    return fake;
  }

  test('counts until the pool is ready again and it would have been the slowest to open', () => {
    const fake = clearedWhileConnecting({ max: 5, min: 2 });
    fake.pass(4);
    fake.emit('PoolReady');
    fake.pass(1);
    expect(fake.gauges()).toMatchObject({ total: 1, connecting: 1 });
    fake.pass(1);
    expect(fake.gauges()).toMatchObject({ total: 0, connecting: 0 });
  });

  test('counts while the server is lost, because its opening may take that long', () => {
    const fake = clearedWhileConnecting({ max: 5, min: 2 });
    fake.pass(1000);
    expect(fake.gauges().connecting).toBe(1);
    fake.emit('PoolReady');
    expect(fake.gauges().connecting).toBe(0);
  });

  test('counts until the pool is ready again if no opening was seen', () => {
    const fake = createFakeClient({ max: 5, min: 1 });
    fake.create(1);
    fake.emit('PoolCleared');
    fake.pass(1);
    expect(fake.gauges().connecting).toBe(1);
    fake.emit('PoolReady');
    expect(fake.gauges().connecting).toBe(0);
  });

  test('counts while somebody waits and the driver opens no other one', () => {
    const fake = clearedWhileConnecting({ max: 5, maxConnecting: 1 });
    fake.emit('PoolReady');
    fake.pass(1000);
    fake.startCheckOut();
    expect(fake.gauges()).toMatchObject({ connecting: 1, waiting: 1 });
    fake.create(3);
    expect(fake.gauges()).toMatchObject({ total: 1, connecting: 1, waiting: 1 });
    fake.ready(3);
    expect(fake.gauges()).toMatchObject({ total: 1, connecting: 0 });
  });

  test.each([
    ['minPoolSize', { max: 5, min: 1 }, 0],
    ['a caller, up to maxPoolSize', { max: 1 }, 1],
  ])('is gone when the driver opens another one for %s', (_, limits, callers) => {
    const fake = clearedWhileConnecting({ ...limits, maxConnecting: 5 });
    fake.emit('PoolReady');
    fake.queue(callers, 0);
    fake.create(3);
    expect(fake.gauges()).toMatchObject({ total: 1, connecting: 1, waiting: callers });
  });
});

describe('an operation that fails', () => {
  /** @param {ReturnType<typeof createFakeClient>} fake */
  const countFailed = ({ monitor }) => monitor.snapshot().totals.operationsFailed;

  test('breaks its connection, which the driver closes in the turn of its checkedIn', () => {
    const fake = busyPoolOfOne();
    const { heard } = listen(fake, ({ type, checkout }) => `${type} ${checkout?.hasFailed}`);
    fake.checkIn(1);
    fake.closeConnection(1, 'error');
    expect(heard).toEqual(['checkedIn false', 'operationFailed true', 'connectionClosed undefined']);
    expect(countFailed(fake)).toBe(1);
  });

  test('or is reported by the driver with monitorCommands, before checkedIn', () => {
    const fake = busyPoolOfOne();
    const { heard } = listen(fake, ({ type, checkout }) => `${type} ${checkout?.hasFailed}`);
    for (let command = 0; command < 2; command += 1) {
      fake.client.emit('commandFailed', /** @type {any} */ ({ address: 'a:1', connectionId: 1 }));
    }
    fake.checkIn(1);
    expect(heard).toEqual(['operationFailed true', 'checkedIn true']);
    expect(countFailed(fake)).toBe(1);
  });

  test('is not assumed if an idle connection is closed for its age, or breaks', () => {
    const fake = busyPoolOfOne();
    fake.checkIn(1);
    fake.closeConnection(1, 'stale');
    fake.checkOut(2, 0);
    fake.checkIn(2);
    // The driver looks at all that are idle.
    fake.pass(5);
    fake.closeConnection(2, 'error');
    fake.checkOut(3, 0);
    fake.checkIn(3);
    // The next one notices.
    fake.startCheckOut();
    fake.closeConnection(3, 'error');
    expect(countFailed(fake)).toBe(0);
  });

  test('is marked in the record that the monitor writes', async () => {
    const written = /** @type {unknown[]} */ ([]);
    const record = {
      definePool: () => {},
      writeEvent: () => {},
      write: (/** @type {any} */ { outcome }) => void written.push(outcome),
    };
    const fake = createFakeClient({ record });
    for (const reason of ['error', 'stale']) {
      fake.use(1);
      fake.closeConnection(1, reason);
    }
    await Promise.resolve();
    expect(written).toEqual(['operationFailed', 'checkedIn']);
  });
});

describe('after a failover', () => {
  /** Both members have had the work, the first one before. */
  function failOver() {
    const fake = createFakeClient({ max: 20, isReady: false });
    for (const address of ['a:1', 'b:2', 'c:3']) {
      fake.emit('PoolCreated', {}, address);
      fake.emit('PoolReady', {}, address);
    }
    work('a:1');
    fake.becomes('a:1', 'RSSecondary');
    fake.becomes('b:2', 'RSPrimary');
    fake.pass(1000);
    work('b:2');
    return fake;

    /** @param {string} address */
    function work(address) {
      for (let id = 1; id <= 19; id += 1) {
        fake.emit('CheckOutStarted', {}, address);
        fake.emit('CheckedOut', { connectionId: id, durationMS: 0 }, address);
      }
      for (let id = 1; id <= 19; id += 1) fake.emit('CheckedIn', { connectionId: id }, address);
    }
  }

  test('idle connections to the old primary do not count for new queries', () => {
    const { totals, servers } = failOver().monitor.snapshot();
    expect(totals).toMatchObject({ max: 20, total: 19, idle: 19, retiring: 0 });
    expect(servers['a:1']).toMatchObject({ max: 20, total: 19, idle: 19 });
  });

  test('work that continues there counts as retiring', () => {
    const fake = failOver();
    fake.emit('CheckedOut', { connectionId: 1, durationMS: 0 }, 'a:1');
    fake.becomes('a:1', 'Unknown', 'RSSecondary');
    expect(fake.monitor.snapshot().totals).toMatchObject({ max: 20, total: 20, idle: 19, active: 1, retiring: 1 });
  });

  test('a caller that was waiting there before does not make its connections count', () => {
    const fake = failOver();
    fake.emit('CheckOutStarted', {}, 'b:2');
    fake.becomes('b:2', 'RSSecondary', 'RSPrimary');
    fake.becomes('a:1', 'RSPrimary', 'RSSecondary');
    fake.pass(10);
    fake.emit('CheckedOut', { connectionId: 1, durationMS: 10 }, 'b:2');
    fake.emit('CheckedIn', { connectionId: 1 }, 'b:2');
    expect(fake.monitor.snapshot().totals).toMatchObject({ max: 20, total: 19, idle: 19 });
  });

  test('a secondary that is read from counts until it is removed from the set', () => {
    const fake = failOver();
    fake.emit('CheckOutStarted', {}, 'a:1');
    expect(fake.monitor.snapshot().totals).toMatchObject({ max: 40, total: 38 });
    fake.emit('PoolClosed', {}, 'a:1');
    expect(fake.monitor.snapshot().totals).toMatchObject({ max: 20, total: 19 });
  });

  test('the pool size is known while there is no primary', () => {
    const fake = failOver();
    fake.becomes('b:2', 'Unknown', 'RSPrimary');
    fake.emit('PoolCleared', {}, 'b:2');
    expect(fake.monitor.snapshot().totals).toMatchObject({ max: 20, total: 0, idle: 0 });
  });
});

describe('the end of a pool', () => {
  test('leaves nothing checked out, waiting or connecting', () => {
    const fake = createFakeClient({ max: 2 });
    fake.startCheckOut();
    fake.open(1);
    fake.checkOut(1, 0);
    fake.pass(10);
    fake.startCheckOut();
    fake.create(2);
    fake.startCheckOut();
    fake.emit('PoolClosed');
    expect(fake.gauges()).toEqual({ total: 0, idle: 0, active: 0, connecting: 0, waiting: 0 });
    const { created, closed, use, operationsFailed } = fake.monitor.snapshot().totals;
    // The driver does not report how its operation ends.
    expect({ created, closed, operationsFailed }).toEqual({
      created: 2,
      closed: { poolClosed: 2 },
      operationsFailed: 1,
    });
    expect(use).toMatchObject({ count: 1, sumMs: 10 });
  });
});

describe('a monitor', () => {
  test('attached late adds a connection at its first event', () => {
    const fake = createFakeClient({ max: 2, isReady: false });
    fake.checkIn(7);
    fake.startCheckOut();
    fake.checkOut(7, 0);
    fake.checkOut(8, 30);
    fake.closeConnection(9, 'idle');
    expect(fake.gauges()).toEqual({ total: 2, idle: 0, active: 2, connecting: 0, waiting: 0 });
    expect(fake.monitor.snapshot().totals.wait).toMatchObject({ count: 2, sumMs: 30 });
  });

  test('notifies its subscribers of each event until they unsubscribe', () => {
    const fake = createFakeClient();
    const { heard, leave } = listen(fake, ({ type, durationMs }) => `${type} ${durationMs}`);
    fake.startCheckOut();
    fake.open(1, 4);
    fake.checkOut(1, 4);
    fake.pass(3);
    fake.checkIn(1);
    leave();
    fake.closeConnection(1, 'idle');
    expect(heard).toEqual(['checkOutStarted NaN', 'connectionReady 4', 'checkedOut 4', 'checkedIn 3']);
  });

  test('ignores events once it is closed', () => {
    const fake = busyPoolOfOne();
    fake.monitor.close();
    fake.checkIn(1);
    expect(fake.gauges().active).toBe(1);
    expect(fake.client.listenerCount('connectionCheckedIn')).toBe(0);
  });

  test('without samples has no percentiles', () => {
    const { count, sumMs, ...percentiles } = createFakeClient().monitor.snapshot().totals.wait;
    expect([count, sumMs, ...Object.values(percentiles)]).toEqual([0, 0, null, null, null, null]);
  });
});

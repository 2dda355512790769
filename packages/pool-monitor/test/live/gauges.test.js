import { expect, test } from '@jest/globals';
import { createMetrics } from '../../src/live/pool-metrics.js';
import { readClient } from '../../src/live/read-clients.js';
import { createFakeClient } from '../fake-client.js';

/**
 * The gauges as each of their readers reports them.
 * @param {ReturnType<typeof createFakeClient>} fake
 * @param {ReturnType<typeof createFakeClient>} [retired] the client it replaced
 */
function readAll(fake, retired) {
  const monitors = [...(retired ? [retired] : []), fake].map(({ monitor }) => monitor);
  const settings = { poolSize: 1, minPoolSize: 0, maxConnecting: 2, waitQueueTimeoutMs: 0 };
  const { max, total, idle, active, connecting, waiting, retiring } = readClient({ name: null, monitors, settings });
  const text = createMetrics(() => [fake.monitor]).render();
  /** @param {string} name @param {string} [state] */
  const metric = (name, state = '') => Number(
    text.match(new RegExp(`^db_client_connection_${name}{[^}]*${state}[^}]*} (\\d+)$`, 'm'))?.[1]);
  const { totals } = fake.monitor.snapshot();
  return {
    feed: { max, total, idle, active, connecting, waiting, retiring },
    snapshot: {
      max: totals.max, total: totals.total, idle: totals.idle, active: totals.active, connecting: totals.connecting,
      waiting: totals.waiting, retiring: totals.retiring,
    },
    metrics: { max: metric('max'), idle: metric('count', '"idle"'), active: metric('count', '"used"'), waiting: metric('pending_requests') },
  };
}

/** A caller waits for a connection that the driver dropped long ago, without an event. */
function leaveOrphan() {
  const fake = createFakeClient({ max: 3, connectTimeoutMs: 1000 });
  fake.start();
  fake.startCheckOut();
  fake.create(1);
  fake.emit('PoolCleared');
  fake.pass(2001);
  return fake;
}

test('no reader of the gauges counts a connection that was dropped at a clear', () => {
  const nothing = { max: 3, idle: 0, active: 0, waiting: 0 };
  // Each reader is first once, because it must not depend on another's cleanup.
  expect(readAll(leaveOrphan()).feed).toMatchObject({ ...nothing, total: 0, connecting: 0 });
  expect(leaveOrphan().monitor.snapshot().totals).toMatchObject({ ...nothing, total: 0, connecting: 0 });
  const { monitor } = leaveOrphan();
  expect(createMetrics(() => [monitor]).render()).toMatch(/^db_client_connection_pending_requests{.*} 0$/m);
});

test('all readers agree when a clear makes idle connections stale', () => {
  const fake = createFakeClient({ max: 3 });
  fake.start();
  for (const id of [1, 2, 3]) fake.checkOut(id, 0);
  fake.checkIn(1);
  fake.checkIn(2);
  const before = { max: 3, idle: 2, active: 1, waiting: 0 };
  const more = { connecting: 0, retiring: 0 };
  expect(readAll(fake)).toEqual(
    { feed: { ...before, ...more, total: 3 }, snapshot: { ...before, ...more, total: 3 }, metrics: before });
  fake.emit('PoolCleared');
  const after = { ...before, idle: 0 };
  expect(readAll(fake)).toEqual(
    { feed: { ...after, ...more, total: 1 }, snapshot: { ...after, ...more, total: 1 }, metrics: after });
});

test('the work of a replaced client counts, as retiring', () => {
  const retired = createFakeClient({ max: 5 });
  retired.start();
  for (const id of [1, 2, 3]) retired.checkOut(id, 0);
  retired.checkIn(1);
  const fake = createFakeClient({ max: 1 });
  fake.start();
  fake.checkOut(1, 0);
  const { feed } = readAll(fake, retired);
  expect(feed).toEqual({ max: 1, total: 3, idle: 0, active: 3, connecting: 0, waiting: 0, retiring: 2 });
});

test('a closed pool has no gauges', () => {
  const fake = createFakeClient({ max: 3 });
  fake.start();
  fake.emit('PoolClosed');
  expect(createMetrics(() => [fake.monitor]).render()).not.toContain('db_client_connection_max{');
});

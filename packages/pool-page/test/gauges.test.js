import { expect, test } from '@jest/globals';
import { PoolMetrics } from '../src/pool-metrics.js';
import { readClient } from '../src/read-clients.js';
import { createFakeClient } from 'test-support/fake-client.js';

/** @param {import('mongodb-pool-monitor').Gauges} gauges */
function pickGauges({ max, total, idle, active, connecting, waiting, retiring }) {
  return { max, total, idle, active, connecting, waiting, retiring };
}

/**
 * The gauges as each of their readers reports them.
 * @param {ReturnType<typeof createFakeClient>} fake
 * @param {ReturnType<typeof createFakeClient>} [retired] the client it replaced
 */
function readAll(fake, retired) {
  const monitors = [...(retired ? [retired] : []), fake].map(({ monitor }) => monitor);
  const settings = { poolSize: 1, minPoolSize: 0, maxConnecting: 2, waitQueueTimeoutMs: 0 };
  const text = new PoolMetrics(() => [fake.monitor]).render();
  /** @param {string} name @param {string} [state] */
  const metric = (name, state = '') =>
    Number(text.match(new RegExp(`^db_client_connection_${name}{[^}]*${state}[^}]*} (\\d+)$`, 'm'))?.[1]);
  return {
    feed: pickGauges(readClient({ name: null, monitors, settings })),
    snapshot: pickGauges(fake.monitor.snapshot().totals),
    metrics: {
      max: metric('max'),
      idle: metric('count', '"idle"'),
      active: metric('count', '"used"'),
      waiting: metric('pending_requests'),
    },
  };
}

/** A caller waits for a connection that the driver dropped long ago, without an event. */
function leaveOrphan() {
  const fake = createFakeClient({ max: 3, connectTimeoutMs: 1000 });
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
  expect(new PoolMetrics(() => [monitor]).render()).toMatch(/^db_client_connection_pending_requests{.*} 0$/m);
});

test('all readers agree when a clear makes idle connections stale', () => {
  const fake = createFakeClient({ max: 3 });
  for (const id of [1, 2, 3]) fake.checkOut(id, 0);
  fake.checkIn(1);
  fake.checkIn(2);
  const expectAll = (/** @type {number} */ idle) => {
    const metrics = { max: 3, idle, active: 1, waiting: 0 };
    const gauges = { ...metrics, total: 1 + idle, connecting: 0, retiring: 0 };
    expect(readAll(fake)).toEqual({ feed: gauges, snapshot: gauges, metrics });
  };
  expectAll(2);
  fake.emit('PoolCleared');
  expectAll(0);
});

test('the work of a replaced client counts, as retiring', () => {
  const retired = createFakeClient({ max: 5 });
  for (const id of [1, 2, 3]) retired.checkOut(id, 0);
  retired.checkIn(1);
  retired.create(4);
  const fake = createFakeClient({ max: 1 });
  fake.checkOut(1, 0);
  const { feed } = readAll(fake, retired);
  expect(feed).toEqual({ max: 1, total: 4, idle: 0, active: 3, connecting: 1, waiting: 0, retiring: 3 });
});

test('a closed pool has no gauges', () => {
  const fake = createFakeClient({ max: 3 });
  fake.emit('PoolClosed');
  expect(new PoolMetrics(() => [fake.monitor]).render()).not.toContain('db_client_connection_max{');
});

import { EventEmitter } from 'node:events';
import { monitorPool } from 'mongodb-pool-monitor';

/**
 * A client that emits what the test wants, when it wants, and a monitor attached to it.
 * @param {{ max?: number, min?: number, maxConnecting?: number, connectTimeoutMs?: number,
 *   record?: NonNullable<Parameters<typeof monitorPool>[1]>['record'],
 *   batch?: import('mongodb-pool-monitor').EventBatch, isReady?: boolean, now?: () => number }} [options] isReady:
 *   whether it has a pool; now: the monitor's clock, by default one that `pass` moves
 */
export function createFakeClient({
  max = 1,
  min = 0,
  maxConnecting = 2,
  connectTimeoutMs = 1000,
  record,
  batch,
  isReady = true,
  now,
} = {}) {
  const options = { maxPoolSize: max, minPoolSize: min, maxConnecting, connectTimeoutMS: connectTimeoutMs };
  const emitter = Object.assign(new EventEmitter(), { options });
  const client = /** @type {import('mongodb').MongoClient} */ (/** @type {unknown} */ (emitter));
  const clock = { nowMs: 1000 };
  now ??= () => clock.nowMs;
  const monitor = monitorPool(client, { now, record, batch });
  // Ahead of the real clock, so that no event looks late.
  const time = new Date(Date.now() + 3_600_000);

  /**
   * @param {string} name without `connection`
   * @param {object} [fields]
   * @param {string} [address]
   */
  const emit = (name, fields = {}, address = 'a:1') => {
    emitter.emit(`connection${name}`, { address, time, ...fields });
  };
  const fake = {
    client,
    monitor,
    now,
    emit,
    /** @param {number} ms */
    pass: (ms) => {
      clock.nowMs += ms;
    },
    gauges: () => {
      const { total, idle, active, connecting, waiting } = monitor.snapshot().totals;
      return { total, idle, active, connecting, waiting };
    },
    /** @param {string} address @param {string} type @param {string} [before] */
    becomes: (address, type, before = 'Unknown') => {
      const newDescription = { type, isWritable: type === 'RSPrimary' };
      emitter.emit('serverDescriptionChanged', { address, previousDescription: { type: before }, newDescription });
    },
    startCheckOut: () => emit('CheckOutStarted'),
    /** @param {number} id */
    create: (id) => emit('Created', { connectionId: id }),
    /** @param {number} id @param {number} durationMS */
    checkOut: (id, durationMS) => emit('CheckedOut', { connectionId: id, durationMS }),
    /** @param {number} id */
    ready: (id) => emit('Ready', { connectionId: id, durationMS: 5 }),
    /** @param {number} id */
    checkIn: (id) => emit('CheckedIn', { connectionId: id }),
    /** @param {string} reason @param {number} durationMS */
    failCheckOut: (reason, durationMS) => emit('CheckOutFailed', { reason, durationMS }),
    /** @param {number} id @param {string} reason */
    closeConnection: (id, reason) => emit('Closed', { connectionId: id, reason }),
    /** Starts checkouts one after the other. @param {number} callers @param {number} everyMs */
    queue: (callers, everyMs) => {
      for (let caller = 0; caller < callers; caller += 1) {
        fake.startCheckOut();
        fake.pass(everyMs);
      }
    },
    /** @param {number} id @param {number} [tookMs] */
    open: (id, tookMs = 0) => {
      fake.create(id);
      fake.pass(tookMs);
      fake.ready(id);
    },
    /** Uses a connection once, without a wait. @param {number} id */
    use: (id) => {
      fake.startCheckOut();
      fake.checkOut(id, 0);
      fake.checkIn(id);
    },
  };
  if (isReady) {
    emit('PoolCreated');
    emit('PoolReady');
  }
  return fake;
}

import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { ObjectId } from 'mongodb';
import { sharedMongoUrl } from 'test-support/mongod.js';
import { LeaseError } from '../src/base/errors.js';
import { overlap } from '../src/base/namespaces.js';
import { HOST, PLACE } from '../src/base/running-process.js';
import { createCheckpoint } from '../src/target/checkpoint.js';
import { acquireLease } from '../src/target/lease.js';
import { createLeaseStore } from '../src/target/lease-store.js';
import { Target } from '../src/target/target.js';
import { openDeployment } from './connections.js';

/** @import { StoredLease } from '../src/target/lease.js' */

/** After this long without a heartbeat, another process may take over. */
const LEASE_MS = 15_000;
/** No process has it. */
const NO_PID = 2 ** 30;

/** @param {Partial<StoredLease>} [changes] @returns {StoredLease} a process on another host */
function another(changes) {
  const at = new Date();
  return { id: 'other', name: 'one', filter: {}, host: 'far', pid: 7, place: 'far', since: at, beatAt: at, ...changes };
}

/** A target whose clock is the virtual one. @param {StoredLease[]} holders */
function createStore(...holders) {
  let version = 1;
  return {
    holders,
    name: 'the target',
    read: async () => ({ version, holders: structuredClone(holders), now: new Date() }),
    /** @type {import('../src/target/lease-store.js').LeaseStore['replace']} */
    async replace(expected, { remove, add }) {
      if (expected !== version) return false;
      version++;
      const others = holders.filter(({ id }) => !remove.includes(id));
      holders.splice(0, Infinity, ...others, { ...add, since: new Date(), beatAt: new Date() });
      return true;
    },
    async beat(/** @type {string} */ id) {
      const found = holders.find((holder) => holder.id === id);
      if (found) found.beatAt = new Date();
      return found !== undefined;
    },
    async remove(/** @type {string} */ id) {
      holders.splice(0, Infinity, ...holders.filter((holder) => holder.id !== id));
    },
    idsOf: () => holders.map(({ id }) => id),
  };
}

describe('a lease', () => {
  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  const ONE = { name: 'one' };

  test('belongs to one replicator of a source, a target and their namespaces', async () => {
    const store = createStore();
    const lease = await acquireLease(store, ONE);
    await expect(acquireLease(store, ONE)).rejects.toThrow(LeaseError);
    await expect(acquireLease(store, { name: 'two' })).rejects.toThrow(
      'another replicator is already replicating this source to the target: ' +
        `process ${process.pid} on ${HOST}, since ${new Date().toISOString()}, last heard of 0 s ago. Stop it first`,
    );
    await lease.release();
    const shop = await acquireLease(store, { name: 'shop', filter: { include: ['shop'] } });
    const rest = await acquireLease(store, { name: 'rest', filter: { exclude: ['shop'] } });
    expect(store.idsOf()).toEqual([shop.id, rest.id]);
    await Promise.all([shop, rest].map((each) => each.release()));
    expect(store.idsOf()).toEqual([]);
  });

  test('is taken at once from a process of this machine that has ended', async () => {
    const store = createStore(another({ host: HOST, place: PLACE, pid: NO_PID }));
    const lease = await acquireLease(store, ONE);
    expect(store.idsOf()).toEqual([lease.id]);
    await lease.release();
  });

  test('is taken from a process elsewhere once nothing was heard of it for long enough', async () => {
    const store = createStore(another());
    const onWait = jest.fn();
    const acquiring = acquireLease(store, ONE, { onWait });
    await jest.advanceTimersByTimeAsync(LEASE_MS - 1000);
    expect(onWait.mock.calls).toEqual([[expect.stringMatching(/^process 7 on far, since .*, last heard of 0 s ago$/)]]);
    expect(store.idsOf()).toEqual(['other']);
    await jest.advanceTimersByTimeAsync(1000);
    const lease = await acquiring;
    expect(store.idsOf()).toEqual([lease.id]);
    await lease.release();
  });

  test('is refused as soon as a process elsewhere is heard of again', async () => {
    const store = createStore(another());
    const refused = expect(acquireLease(store, ONE)).rejects.toThrow(LeaseError);
    await jest.advanceTimersByTimeAsync(1000);
    await store.beat('other');
    await jest.advanceTimersByTimeAsync(1000);
    await refused;
  });

  test('is kept by heartbeats, also when one of them gets lost', async () => {
    const store = createStore();
    const lease = await acquireLease(store, ONE);
    const { beat } = store;
    store.beat = () => Promise.reject(new Error('the target can not be reached'));
    await jest.advanceTimersByTimeAsync(LEASE_MS);
    await expect(lease.confirm()).rejects.toThrow('can not be reached');
    store.beat = beat;
    await lease.confirm();
    expect(store.holders[0].beatAt).toEqual(new Date());
    await jest.advanceTimersByTimeAsync(10 * LEASE_MS);
    await expect(acquireLease(store, ONE)).rejects.toThrow(LeaseError);
    await lease.release();
  });

  test('that was taken over while the process was frozen is noticed before it writes', async () => {
    const store = createStore();
    const lease = await acquireLease(store, ONE);
    // No timer fires meanwhile.
    jest.setSystemTime(jest.now() + LEASE_MS);
    store.holders.splice(0, 1, another());
    await expect(lease.confirm()).rejects.toThrow(/^another replicator has taken over: process 7 on far/);
    expect(lease.lost.reason).toBeInstanceOf(LeaseError);
    await lease.release();
    expect(store.idsOf()).toEqual(['other']);
  });

  test('that was taken over is noticed without a write, too', async () => {
    const store = createStore();
    const lease = await acquireLease(store, ONE);
    store.holders.splice(0, 1, another());
    await jest.advanceTimersByTimeAsync(LEASE_MS);
    expect(lease.lost.aborted).toBe(true);
    await lease.release();
  });
});

test.each([
  [{}, {}, true],
  [{ include: ['a'] }, {}, true],
  [{ include: ['a'] }, { include: ['b'] }, false],
  [{ include: ['a.x'] }, { include: ['a'] }, true],
  [{ include: ['a.x'] }, { include: ['a.y', 'a.x.z'] }, false],
  [{ include: ['a', 'b.x'] }, { exclude: ['a', 'b'] }, false],
  [{ include: ['a'] }, { exclude: ['a.x'] }, true],
  [{ exclude: ['a'] }, { exclude: ['b'] }, true],
])('whether %j and %j overlap: %s', (one, other, expected) => {
  expect([overlap(one, other), overlap(other, one)]).toEqual([expected, expected]);
});

test('the target stores leases, and checkpoints of their holders only', async () => {
  const deployment = openDeployment(sharedMongoUrl());
  const setId = new ObjectId();
  const store = createLeaseStore(deployment, setId);
  const names = ['one', 'two'];
  const leases = await Promise.all(
    names.map((name) => acquireLease(store, { name, filter: { include: [`$${name}`] } })),
  );
  const { holders, now } = await store.read();
  expect(holders.map(({ name }) => name).toSorted()).toEqual(names);
  for (const { beatAt } of holders) expect(now.getTime() - beatAt.getTime()).toBeLessThan(LEASE_MS);
  expect(await Promise.all([leases[0].id, 'other'].map(store.beat))).toEqual([true, false]);

  const targets = leases.map((lease) => new Target(deployment, { replication: 'leases', lease }));
  const [one, two] = targets.map((target) => createCheckpoint(target, { name: 'both', setId }));
  const at = (/** @type {number} */ seconds) => ({ applied: { seconds, increment: 0, term: 1 }, since: null });
  await one.write(at(1));
  await two.claim();
  await two.write(at(2));
  await expect(one.write(at(3))).rejects.toThrow(LeaseError);
  await expect(targets[0].confirm()).rejects.toThrow(LeaseError);
  expect(await one.read()).toMatchObject(at(2));

  await Promise.all(leases.map((lease) => lease.release()));
  expect(await store.read()).toMatchObject({ version: null, holders: [] });
});

import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { Checkouts } from '../../src/core/checkouts.js';
import { EventBatch } from '../../src/core/event-batch.js';
import { createFakeClient } from 'test-support/fake-client.js';
import { createRandom } from 'test-support/random.js';

/** @import { RequestContext } from '../../src/core/request-context.js' */

const CONNECTIONS = 3;
const REQUESTS = 40;

/**
 * Replays the same requests each time: one query or several, one after the other or at once, with timeouts, failures,
 * and callers that leave.
 * @param {number} seed
 * @param {EventBatch} batch
 */
async function replay(seed, batch) {
  const random = createRandom(seed);
  const chance = (/** @type {number} */ share) => random.uniform() < share;
  const fake = createFakeClient({ max: CONNECTIONS, batch });
  const checkouts = new Checkouts({
    outside: 'background',
    describe: () => ({ operation: 'find a' }),
    batch,
    now: fake.now,
  });
  checkouts.watch(fake.monitor);
  let lastId = 0;
  /** @type {number[]} */
  const free = [];
  /** @type {{ startedAtMs: number, take: (id: number | null) => void, signal?: AbortSignal }[]} */
  const queue = [];
  const open = () => {
    lastId += 1;
    fake.open(lastId);
    free.push(lastId);
  };
  for (let count = 0; count < CONNECTIONS; count += 1) open();
  const durationOf = (/** @type {number} */ startedAtMs) => Math.floor(fake.now()) - Math.floor(startedAtMs);
  const serve = () => {
    while (free.length > 0 && queue.length > 0) {
      const next = /** @type {typeof queue[0]} */ (queue.shift());
      if (next.signal?.aborted) continue;
      const id = /** @type {number} */ (free.shift());
      fake.checkOut(id, durationOf(next.startedAtMs));
      next.take(id);
    }
  };
  const pause = async () => {
    for (let turns = random.uniform() * 4; turns > 0; turns -= 1) await (chance(0.5) ? nextTurn() : undefined);
    fake.pass(random.uniform() * 3);
  };

  /** @param {AbortSignal} [signal] */
  const query = async (signal) => {
    const startedAtMs = fake.now();
    fake.startCheckOut();
    const timesOut = chance(0.05);
    /** @type {Promise<number | null>} */
    const connection = new Promise((take) => {
      queue.push({ startedAtMs, take, signal });
    });
    if (timesOut && free.length === 0) {
      queue.pop();
      await pause();
      fake.failCheckOut('timeout', durationOf(startedAtMs));
      return;
    }
    serve();
    signal?.addEventListener('abort', serve);
    const id = /** @type {number} */ (await connection);
    await pause();
    fake.checkIn(id);
    if (chance(0.05)) {
      fake.closeConnection(id, 'error');
      open();
    } else {
      free.push(id);
    }
    serve();
    if (chance(0.1)) {
      // It breaks while nobody uses it.
      await nextTurn();
      const place = free.indexOf(id);
      if (place < 0) return;
      fake.closeConnection(id, 'error');
      free.splice(place, 1);
      open();
    }
  };

  /** @type {Promise<void>[]} */
  const working = [];
  /** @type {RequestContext[]} */
  const contexts = [];
  for (let number = 0; number < REQUESTS; number += 1) {
    const leaver = chance(0.1) ? new AbortController() : undefined;
    const { signal } = leaver ?? {};
    const work = async () => {
      await pause();
      if (chance(0.3)) await Promise.all([query(), query()]);
      else await query(signal);
      await pause();
      if (chance(0.5)) await query();
      if (chance(0.2)) await Promise.all([query(), pause().then(() => query())]);
    };
    const ended = chance(0.15)
      ? work()
      : checkouts.run({ route: `/${number}`, signal }, (context) => {
          contexts.push(context);
          return work();
        });
    if (!leaver) working.push(ended);
    await pause();
    leaver?.abort();
  }
  await Promise.all(working);
  return {
    records: checkouts.list(),
    lifetimes: fake.monitor.snapshot(),
    requests: contexts.map(({ waitMs, useMs, behind }) => ({ waitMs, useMs, behind })),
  };
}

test('events that are handled later, many at once, leave the same records as events that are handled at once', async () => {
  for (let seed = 1; seed <= 25; seed += 1) {
    const later = new EventBatch({ size: 2 + seed * 5 });
    const [expected, batched] = [await replay(seed, new EventBatch()), await replay(seed, later)];
    expect(expected.records.length).toBeGreaterThan(REQUESTS);
    expect({ seed, ...batched }).toEqual({ seed, ...expected });
    later.close();
  }
});

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
  await wait(200);
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

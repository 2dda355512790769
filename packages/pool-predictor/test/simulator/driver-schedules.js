// Random schedules for the driver's pool and for its model, and what the model makes of them.
import { createRandom } from '../../src/simulator/random.js';
import { createPool } from '../../src/simulator/create-pool.js';
import { VirtualTime } from 'test-support/driver-pool.js';

/** @import { Followed, Schedule } from 'test-support/driver-pool.js' */
/** @import { Query } from '../../src/simulator/query.js' */

/**
 * What a kind of schedule has beside checkouts.
 * @type {Record<string, { hasMinimum?: boolean, hasIdleTime?: boolean, hasTimeouts?: boolean, hasAborts?: boolean }>}
 */
export const KINDS = {
  plain: {},
  'time-out': { hasTimeouts: true },
  abort: { hasAborts: true },
  minimum: { hasMinimum: true },
  'minimum and abort': { hasMinimum: true, hasAborts: true },
  'idle time': { hasIdleTime: true },
  'idle time and abort': { hasIdleTime: true, hasAborts: true },
  'idle time and minimum': { hasIdleTime: true, hasMinimum: true },
  everything: { hasMinimum: true, hasIdleTime: true, hasTimeouts: true, hasAborts: true },
};
const TRAITS = /** @type {const} */ (['hasMinimum', 'hasIdleTime', 'hasTimeouts', 'hasAborts']);
/** All durations are multiples of it, so that their sums are exact. */
const STEP_MS = 1 / 16;
/**
 * Each checkout starts by another of these later, so that nothing happens at the same instant by chance: there the order
 * of timers decides, of which the model has fewer.
 */
const OFFSET_MS = 1 / 1024;

/** @param {number} seed @param {string} kind @returns {Schedule} */
export function createSchedule(seed, kind) {
  const random = createRandom(seed, kind);
  const isMixed = kind === 'everything';
  const [hasMinimum, hasIdleTime, hasTimeouts, hasAborts] = TRAITS.map(
    (trait) => KINDS[kind][trait] && (!isMixed || random.uniform() < 0.7),
  );
  const upTo = (/** @type {number} */ most) => Math.floor(random.uniform() * (most + 1));
  const ms = (/** @type {number} */ most) => Math.round((random.uniform() * most) / STEP_MS) * STEP_MS;
  const maxPoolSize = 1 + upTo(7);
  const options = {
    maxPoolSize,
    minPoolSize: hasMinimum ? upTo(maxPoolSize) : 0,
    maxConnecting: 1 + upTo(2),
    maxIdleTimeMS: hasIdleTime ? 1 + upTo(300) : 0,
    waitQueueTimeoutMS: hasTimeouts ? 1 + upTo(60) : 0,
  };
  const lengthMs = [50, 300, 1500][upTo(2)];
  const longestMs = [5, 60, 400][upTo(2)];
  const checkouts = Array.from({ length: 2 + upTo(38) }, (_, index) => {
    const atMs = ms(lengthMs) + (index + 1) * OFFSET_MS;
    const abortAtMs = hasAborts && random.uniform() < 0.3 ? atMs + STEP_MS + ms(longestMs) : Infinity;
    return { atMs, useMs: STEP_MS + ms(longestMs), abortAtMs };
  }).sort((a, b) => a.atMs - b.atMs);
  const connectMs = Array.from({ length: 1 + upTo(3) }, () => STEP_MS + ms([2, 40, 150][upTo(2)]));
  return { seed, options, connectMs, checkouts, untilMs: lengthMs + ms(2000) };
}

/** Runs a schedule on the model of the driver's pool. @param {Schedule} schedule @returns {Followed} */
export function followModel({ options, connectMs, checkouts, untilMs }) {
  const time = new VirtualTime();
  /** @type {Followed['waits']} */
  const waits = checkouts.map(() => null);
  /** Numbers of connections, as the driver counts them. @type {number[]} */
  const ids = [];
  let created = 0;
  let pending = 0;
  const queries = checkouts.map((checkout, index) => ({ index, ticket: 0, state: 'ended', connection: -1, checkout }));
  const pool = createPool(
    { ...options, connectMs, warm: false },
    {
      nowMs: () => time.nowMs,
      serve(query, connection) {
        const { index, checkout } = /** @type {any} */ (query);
        query.state = 'served';
        query.connection = connection;
        waits[index] = { outcome: 'checkedOut', atMs: time.nowMs, connection: ids[connection] };
        time.at(time.nowMs + checkout.useMs, () => {
          if (query.state !== 'served') return;
          query.state = 'ended';
          query.ticket++;
          pool.checkIn(connection);
        });
      },
      connectAfter(delayMs, connection) {
        ids[connection] = ++created;
        pending++;
        time.at(time.nowMs + delayMs, () => {
          pending--;
          pool.connected(connection);
        });
      },
      refuse() {},
    },
  );
  /** @param {any} query @param {'timeout' | 'aborted'} outcome */
  const giveUp = (query, outcome) => {
    const { state } = query;
    if (state === 'ended') return;
    query.ticket++;
    query.state = 'ended';
    if (state === 'served') pool.abandon?.(query.connection);
    else {
      waits[query.index] = { outcome, atMs: time.nowMs, connection: 0 };
      pool.abortCheckOut?.(query);
    }
  };
  for (const query of queries) {
    const { atMs, abortAtMs } = query.checkout;
    time.at(atMs, () => {
      if (abortAtMs < Infinity) time.at(abortAtMs, () => giveUp(query, 'aborted'));
      query.state = 'waiting';
      if (options.waitQueueTimeoutMS > 0)
        time.at(atMs + options.waitQueueTimeoutMS, () => query.state === 'waiting' && giveUp(query, 'timeout'));
      pool.checkOut(/** @type {Query} */ (/** @type {unknown} */ (query)));
    });
  }
  pool.start();
  while (Math.min(pool.nextCheckMs(), time.nextMs) <= untilMs) {
    const checkMs = pool.nextCheckMs();
    if (checkMs > time.nextMs) time.next();
    else {
      time.nowMs = checkMs;
      pool.check();
    }
  }
  time.nowMs = untilMs;
  const total = pool.total();
  const active = queries.filter(({ state }) => state === 'served').length;
  return { waits, end: { total, idle: total - active - pending, pending } };
}

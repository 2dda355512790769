// Random schedules for the driver's pool and for its model, and what the model makes of them.
import { createRandom } from '../../src/simulator/random.js';
import { createPool } from '../../src/simulator/create-pool.js';
import { VirtualTime } from 'test-support/driver-pool.js';

/** @import { Followed, PoolVerb, Schedule, WaitOutcome } from 'test-support/driver-pool.js' */
/** @import { DriverPool } from '../../src/simulator/driver-pool.js' */
/** @import { Query } from '../../src/simulator/query.js' */

/**
 * What a kind of schedule has beside checkouts.
 * @type {Record<string, { [trait in typeof TRAITS[number]]?: boolean }>}
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
  failure: { hasFailures: true },
  clear: { hasClears: true },
  'clear and minimum': { hasClears: true, hasMinimum: true },
  everything: {
    hasMinimum: true,
    hasIdleTime: true,
    hasTimeouts: true,
    hasAborts: true,
    hasFailures: true,
    hasClears: true,
  },
};
const TRAITS = /** @type {const} */ ([
  'hasMinimum',
  'hasIdleTime',
  'hasTimeouts',
  'hasAborts',
  'hasFailures',
  'hasClears',
]);
/** What follows another, more often than not. @type {PoolVerb[]} */
const VERBS = ['clear', 'clear', 'interrupt', 'ready', 'ready', 'ready', 'ready', 'close'];
const MOST_CHECKOUTS = 40;
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
  const [hasMinimum, hasIdleTime, hasTimeouts, hasAborts, hasFailures, hasClears] = TRAITS.map(
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
  const checkouts = Array.from({ length: 2 + upTo(MOST_CHECKOUTS - 2) }, (_, index) => {
    const atMs = ms(lengthMs) + (index + 1) * OFFSET_MS;
    const abortAtMs = hasAborts && random.uniform() < 0.3 ? atMs + STEP_MS + ms(longestMs) : Infinity;
    return { atMs, useMs: STEP_MS + ms(longestMs), abortAtMs };
  }).sort((a, b) => a.atMs - b.atMs);
  const openings = Array.from({ length: 1 + upTo(3) }, () => ({
    ms: STEP_MS + ms([2, 40, 150][upTo(2)]),
    fails: hasFailures === true && random.uniform() < 0.3,
  }));
  const verbs = Array.from({ length: hasClears ? 1 + upTo(7) : 0 }, (_, index) => ({
    atMs: ms(lengthMs) + (MOST_CHECKOUTS + 1 + index) * OFFSET_MS,
    verb: VERBS[upTo(VERBS.length - 1)],
  })).sort((a, b) => a.atMs - b.atMs);
  const failureClears = hasFailures === true && random.uniform() < 0.5;
  return { seed, options, openings, failureClears, checkouts, verbs, untilMs: lengthMs + ms(2000) };
}

/** Runs a schedule on the model of the driver's pool. @param {Schedule} schedule @returns {Followed} */
export function followModel({ options, openings, failureClears, checkouts, verbs, untilMs }) {
  const time = new VirtualTime();
  /** @type {Followed['waits']} */
  const waits = checkouts.map(() => null);
  /** @type {Followed['closed']} */
  const closed = [];
  /** Numbers of connections, as the driver counts them. @type {number[]} */
  const ids = [];
  let created = 0;
  const pending = new Set();
  /** By connection. @type {Map<number, any>} */
  const inUse = new Map();
  const queries = checkouts.map((checkout, index) => ({ index, ticket: 0, state: 'ended', connection: -1, checkout }));
  /** @param {any} query @param {WaitOutcome} outcome */
  const endWait = (query, outcome) => {
    query.ticket++;
    query.state = 'ended';
    waits[query.index] = { outcome, atMs: time.nowMs, connection: 0 };
  };
  /** @param {any} query @returns {boolean} whether it still had its connection */
  const endUse = (query) => {
    if (query.state !== 'served') return false;
    query.ticket++;
    query.state = 'ended';
    return inUse.delete(query.connection);
  };
  const pool = /** @type {DriverPool} */ (
    createPool(
      { ...options, connectMs: openings.map(({ ms }) => ms), warm: false },
      {
        nowMs: () => time.nowMs,
        serve(started, connection) {
          const query = /** @type {any} */ (started);
          query.state = 'served';
          query.connection = connection;
          inUse.set(connection, query);
          waits[query.index] = { outcome: 'checkedOut', atMs: time.nowMs, connection: ids[connection] };
          time.at(time.nowMs + query.checkout.useMs, () => endUse(query) && pool.checkIn(connection));
        },
        connectAfter(delayMs, connection) {
          const { fails } = openings[created % openings.length];
          const id = ++created;
          ids[connection] = id;
          pending.add(id);
          time.at(time.nowMs + delayMs, () => {
            pending.delete(id);
            if (fails && failureClears) pool.clear();
            if (fails) pool.failOpening(connection);
            else pool.connected(connection);
          });
        },
        refuse: (query, reason) => endWait(query, /** @type {WaitOutcome} */ (reason)),
        closed(connection, reason, atMs) {
          pending.delete(ids[connection]);
          closed.push({ atMs, connection: ids[connection], reason });
        },
      },
    )
  );
  /** @param {any} query @param {'timeout' | 'aborted'} outcome */
  const giveUp = (query, outcome) => {
    if (endUse(query)) pool.abandon(query.connection);
    else if (query.state === 'waiting') endWait(query, outcome);
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
  for (const { atMs, verb } of verbs)
    time.at(atMs, () => {
      if (verb !== 'interrupt') pool[verb]();
      else {
        pool.clear();
        for (const [connection, query] of [...inUse])
          if (pool.isStale(connection) && endUse(query)) pool.abandon(connection);
      }
    });
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
  closed.sort((a, b) => a.connection - b.connection);
  return { waits, closed, end: { total, idle: total - inUse.size - pending.size, pending: pending.size } };
}

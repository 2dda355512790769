// Random schedules for the driver's pool and for its model, and what the model makes of them.
import { createRandom } from '../../src/simulator/random.js';
import { VirtualTime } from 'test-support/driver-pool.js';
import { ModelPool } from './model-pool.js';

/** @import { Followed, PoolVerb, Schedule } from 'test-support/driver-pool.js' */
/** @import { ModelConnection } from './model-pool.js' */

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
  /** @type {Followed['events']} */
  const events = [];
  let opened = 0;
  const pool = new ModelPool(options, {
    time,
    planOpening: () => openings[opened++ % openings.length],
    failureClears,
    emit: (event) => events.push(event),
  });
  checkouts.forEach(({ atMs, useMs, abortAtMs }, index) => {
    time.at(atMs, () => {
      /** @type {ModelConnection | undefined} */
      let used;
      const checkIn = () => {
        if (used) pool.checkIn(used);
        used = undefined;
      };
      if (abortAtMs < Infinity) time.at(abortAtMs, () => (used ? pool.break(used) : giveUp()));
      const giveUp = pool.checkOut({
        served(connection) {
          used = connection;
          used.onBreak = checkIn;
          waits[index] = { outcome: 'checkedOut', atMs: time.nowMs, connection: connection.id };
          time.at(time.nowMs + useMs, checkIn);
        },
        failed: (outcome) => (waits[index] = { outcome, atMs: time.nowMs, connection: 0 }),
      });
    });
  });
  for (const { atMs, verb } of verbs)
    time.at(atMs, () => {
      if (verb === 'interrupt') pool.clear({ interruptInUseConnections: true });
      else pool[verb]();
    });
  pool.ready();
  while (pool.nextMs() <= untilMs) pool.next();
  time.nowMs = untilMs;
  const end = pool.counts();
  return { waits, events, end };
}

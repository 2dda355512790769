// Random schedules for the driver's pool and for models of it.
import { createRandom } from './random.js';

/** @import { PoolVerb, Schedule } from './driver-pool.js' */

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
 * Each checkout starts by another of these later, so that nothing happens at the same instant by chance: there the
 * order of timers decides, of which a model has fewer.
 */
const OFFSET_MS = 1 / 1024;

/**
 * @param {number} seed
 * @param {string} kind one of KINDS
 * @param {{ uniform: () => number }} [random] another stream of that seed
 * @returns {Schedule}
 */
export function createSchedule(seed, kind, random = createRandom(seed)) {
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

/**
 * Leaves out what a property does not need.
 * @template {Schedule} S
 * @param {S} schedule that has it
 * @param {(schedule: S) => Promise<boolean>} hasIt
 * @returns {Promise<S>} the smallest that has it
 */
export async function shrinkSchedule(schedule, hasIt) {
  for (const part of /** @type {const} */ (['verbs', 'checkouts'])) {
    for (let index = schedule[part].length - 1; index >= 0; index--) {
      const smaller = { ...schedule, [part]: schedule[part].toSpliced(index, 1) };
      if (await hasIt(smaller)) return shrinkSchedule(smaller, hasIt);
    }
  }
  return schedule;
}

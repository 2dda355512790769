/** @import { SessionSettings } from './plan-sessions.js' */

/**
 * Seconds from section 4 of https://lnquy.com/blog/understanding-mgo-session/: Go's mgo, MongoDB 4.2 in Docker, three
 * members. They include the start of the workers, one every 50 ms. Runs with more connections come first.
 */
export const RUNS = [
  { workers: 1, queries: 30_000, pool: 4096, primed: false, fixed: 38.0556785, clone: 38.1186962, copy: 38.4387756 },
  { workers: 1, queries: 30_000, pool: 10, primed: false, fixed: 38.0221392, clone: 38.0048538, copy: 37.7249939 },
  { workers: 1, queries: 30_000, pool: 10, primed: true, fixed: 37.7461335, clone: 37.8782305, copy: 37.8921536 },
  { workers: 10, queries: 10_000, pool: 4096, primed: false, fixed: 32.9913647, clone: 24.7644142, copy: 23.4504081 },
  { workers: 50, queries: 10_000, pool: 4096, primed: false, fixed: 140.0998102, clone: 41.4692296, copy: 41.3556608 },
  { workers: 50, queries: 10_000, pool: 4096, primed: true, fixed: 138.8847601, clone: 138.5260889, copy: 39.4656006 },
  { workers: 100, queries: 5000, pool: 4096, primed: false, fixed: 142.8903533, clone: 36.3394795, copy: 36.4537562 },
  { workers: 100, queries: 5000, pool: 50, primed: false, fixed: 147.6266815, clone: 40.4432206, copy: 40.3759254 },
  { workers: 100, queries: 5000, pool: 10, primed: false, fixed: 140.9347923, clone: 101.8508538, copy: 102.6902571 },
];

/**
 * @typedef {object} LoggedRun
 * @property {string} way
 * @property {number} workers
 * @property {number} queries
 * @property {number} pool
 * @property {number} [timesWaited]
 * @property {number} [totalWaitMs]
 * @property {{ seconds: number, totalWaitMs: number }} [steady]
 */

/**
 * Section 3 prints mgo's statistics of its runs each second: how often queries waited for a socket, and for how long.
 * `steady` is from second 6, when all workers had started, to second 16.
 * @type {LoggedRun[]}
 */
const LOGGED_RUNS = [
  { way: 'fixed', workers: 1, queries: 10_000, pool: 10 },
  { way: 'fixed', workers: 10, queries: 5000, pool: 4096 },
  { way: 'copy', workers: 10, queries: 5000, pool: 4096 },
  {
    ...{ way: 'copy', workers: 100, queries: 3000, pool: 50 },
    ...{ timesWaited: 101_547, totalWaitMs: 807_819.4479 },
    steady: { seconds: 10, totalWaitMs: 601_755.6688 - 106_572.2161 },
  },
  { way: 'clone', workers: 10, queries: 5000, pool: 4096 },
];

/** One worker starts every 50 ms, and the time counts from before the first. */
const START_MS = 50;

/** What a query of one worker took. */
const QUERY_MS = Math.round((RUNS[0].fixed / RUNS[0].queries) * 1e5) / 100;

/** The published values of the options. The runs had 30,000, 10,000, 10,000 and 5000 queries of each worker. */
export const PUBLISHED = {
  workers: [1, 10, 50, 100],
  strategies: ['fixed', 'copy', 'clone'],
  queryMs: QUERY_MS,
  poolSizes: [10, 50, 4096],
};

/**
 * @typedef {object} PublishedOnly
 * @property {number} [cloneTookMs] of the clone that works the same way
 * @property {number} [startsMs] until the last worker started; part of the time
 * @property {PublishedWaits} [waits]
 *
 * @typedef {{ share: number, timesWaited: number, totalWaitMs: number, waitingAtOnce?: number }} PublishedWaits `share`
 *   of the queries that waited; `waitingAtOnce`: how many did, on average
 *
 * @typedef {{ count: number, tookMs: number, ratePerSec: number } & PublishedOnly} PublishedFigures
 */

/** @param {Omit<SessionSettings, 'queries'>} variant @returns {PublishedFigures | null} */
export function findPublished({ strategy, workers, poolSize }) {
  if (strategy === 'client-per-query') return null;
  // With a fixed session the size of the pool does not matter.
  const runs = RUNS.filter((run) => run.workers === workers && (strategy === 'fixed' || run.pool === poolSize));
  const run = runs.find(({ primed }) => !primed);
  if (!run) return null;
  const like = strategy === 'copy' ? run : runs.find(({ primed }) => primed);
  const [count, tookMs] = [run.workers * run.queries, run[strategy] * 1000];
  return {
    count,
    tookMs,
    ratePerSec: (count / tookMs) * 1000,
    cloneTookMs: like && like.clone * 1000,
    startsMs: workers * START_MS,
    waits: findWaits({ strategy, workers, poolSize }),
  };
}

/** @param {Omit<SessionSettings, 'queries'>} variant */
function findWaits({ strategy, workers, poolSize }) {
  const run = LOGGED_RUNS.find((each) => each.way === strategy && each.workers === workers && each.pool === poolSize);
  if (!run) return undefined;
  const { timesWaited = 0, totalWaitMs = 0, steady } = run;
  return {
    timesWaited,
    totalWaitMs,
    share: timesWaited / (workers * run.queries),
    ...(steady && { waitingAtOnce: steady.totalWaitMs / 1000 / steady.seconds }),
  };
}

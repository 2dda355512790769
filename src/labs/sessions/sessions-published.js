/**
 * Seconds from section 4 of https://lnquy.com/blog/understanding-mgo-session/: Go's mgo, MongoDB 4.2 in Docker, three
 * members. They include the start of the workers, one every 50 ms. Runs with more connections come first.
 */
const RUNS = [
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

/** The published values of the options: queries are of each worker. */
export const PUBLISHED = {
  workers: [1, 10, 50, 100], queries: [30_000, 10_000, 10_000, 5000], poolSizes: [10, 50, 4096],
};

/**
 * @param {import('./plan.js').SessionSettings} variant
 * @param {boolean} isShared all queries share one connection, so a run at any pool size will do
 * @returns {{ count: number, tookMs: number, ratePerSec: number } | null}
 */
export function findPublished({ strategy, workers, poolSize, primed }, isShared) {
  if (strategy === 'client-per-query') return null;
  const runs = RUNS.filter((run) => run.workers === workers
    && (isShared || run.pool === poolSize) && (strategy !== 'clone' || run.primed === primed));
  const run = runs.find((each) => each.primed === primed) ?? runs[0];
  if (!run) return null;
  const [count, tookMs] = [run.workers * run.queries, run[strategy] * 1000];
  return { count, tookMs, ratePerSec: count / tookMs * 1000 };
}

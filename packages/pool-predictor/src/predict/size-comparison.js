import { COMMON } from '../assumptions/common-assumptions.js';
import { PREDICTION } from '../assumptions/prediction-assumptions.js';

/** @import { Service } from '../simulator/service-time.js' */
/** @import { RouteResult } from '../simulator/route-stats.js' */
/** @import { RunFigures } from '../runs/run-figures.js' */

/** Percentiles of fewer requests are chance. */
export const MIN_FOR_PERCENTILES = COMMON.minRequests;

/**
 * Whether a time is more than twice as long as another one, and nobody can overlook it.
 * @param {number} ms
 * @param {number} otherMs
 */
export function isMuchLonger(ms, otherMs) {
  return ms > Math.max(otherMs * PREDICTION.bandFactor, otherMs + PREDICTION.noticedMs);
}

/**
 * A larger pool that makes a route slower, because its queries share the server's cores.
 *
 * @typedef {object} Slowdown
 * @property {string} route whose p99 grows most
 * @property {number} poolSize the largest with a p99 about as good as the best
 * @property {number} p99Ms with it
 * @property {number} largerSize the largest size that was simulated
 * @property {number} largerMs p99 with that
 */

/**
 * Finds the smallest size from which on all sizes are as good as no limit: no more requests fail, and p95 and p99 of
 * each route are equal. A size below the floor is never as good, whatever its percentiles: its last requests are late.
 *
 * @param {{ poolSize: number, figures: RunFigures }[]} sizes ascending
 * @param {RunFigures} unlimited
 * @param {number} floor
 * @returns {number | null} the size
 */
export function findKnee(sizes, unlimited, floor) {
  const last = sizes.findLastIndex(
    ({ poolSize, figures: { failures, routes } }) =>
      poolSize < floor ||
      failures > unlimited.failures ||
      Object.entries(unlimited.routes).some(
        ([route, { all: best }]) =>
          isWorse(routes[route]?.all.p95Ms, best.p95Ms) || isWorse(routes[route]?.all.p99Ms, best.p99Ms),
      ),
  );
  return sizes[last + 1]?.poolSize ?? null;
}

/**
 * @typedef {object} BestGuess
 * @property {number | null} size the smallest from which on more connections do not help; null: the largest that was
 *   tried still helps
 * @property {boolean} isServerLimit with more, the server would be the bottleneck
 *
 * @param {{ knee: number | null, floor: number, slowdown: Slowdown | null }} load
 * @returns {BestGuess}
 */
export function guessBest({ knee, floor, slowdown }) {
  if (knee === null) return { size: null, isServerLimit: false };
  const limit = slowdown ? Math.max(slowdown.poolSize, floor) : Infinity;
  return { size: Math.min(knee, limit), isServerLimit: limit < knee };
}

/** @param {number | undefined} ms undefined where no request reached the route @param {number} bestMs */
export function isWorse(ms, bestMs) {
  return bestMs >= 0 && !(Number(ms) <= bestMs * (1 + COMMON.smallShare) + PREDICTION.equalMs);
}

/**
 * @param {{ poolSize: number, routes: Record<string, Pick<RouteResult, 'p99Ms'>> }[]} sizes ascending
 * @param {Record<string, Service>} services
 * @returns {Slowdown | null} null when the largest is about as good as any
 */
export function findSlowdown(sizes, services) {
  const found = Object.keys(services)
    .filter((route) => Number(services[route].workShare) > 0)
    .flatMap((route) => {
      const known = sizes
        .filter(({ routes }) => routes[route]?.p99Ms >= 0)
        .map(({ poolSize, routes }) => ({ poolSize, p99Ms: routes[route].p99Ms }));
      const bestMs = Math.min(...known.map(({ p99Ms }) => p99Ms));
      const last = known.findLastIndex(({ p99Ms }) => p99Ms <= bestMs * PREDICTION.slowerRatio + PREDICTION.equalMs);
      if (last === known.length - 1) return [];
      const larger = known[known.length - 1];
      return [{ route, ...known[last], largerSize: larger.poolSize, largerMs: larger.p99Ms }];
    });
  return found.toSorted((a, b) => b.largerMs / b.p99Ms - a.largerMs / a.p99Ms)[0] ?? null;
}

import { sum } from '../base/sample-statistics.js';
import { fitLagKernel, listEdges, SAME_MS } from './lag-kernel.js';

/** @import { ArrivalEvidence, RequestStarts } from './arrivals-evidence.js' */

/** The lags are fitted to the first requests, at most this many. */
const MAX_FITTED = 5000;
/** The share of the followers with a lag that was not fitted. */
export const STRAY_SHARE = 0.01;
/** Floor of the return rate of an overdue caller. */
const MIN_LEFT = 0.002;
/** Chains are treated alike from one of these lengths to the next. */
export const CHAIN_LENGTHS = [1, 2, 4, 10];

/**
 * @typedef {object} FollowModel
 * @property {number[]} edges of the bins of the lags
 * @property {number[]} openPerMs by group: the rate of starts that follow nothing; Infinity if none follows anything
 * @property {number[][][]} shapes by group, set of the request before it, and bin: the share of that set's followers
 * @property {number[][]} returnShares by set and length of the chain so far: the share of requests with a follower
 */

/** @param {RequestStarts} requests @param {ArrivalEvidence[]} evidence @returns {FollowModel} */
export function fitFollowModel({ startsMs, endsMs, groupOf }, evidence) {
  const count = Math.min(startsMs.length, MAX_FITTED);
  const durationMs = startsMs[count - 1];
  const edges = listEdges(durationMs);
  const members = evidence.map((_, group) =>
    Array.from({ length: count }, (__, index) => index).filter((index) => groupOf[index] === group),
  );
  const eventSets = members.map((indices) => Float64Array.from(indices, (index) => endsMs[index]).sort());
  const kernels = evidence.map((each, group) =>
    each === 'arrive'
      ? null
      : fitLagKernel(
          {
            startsMs: members[group].map((index) => startsMs[index]),
            ownMs: members[group].map((index) => endsMs[index]),
            ownSet: group,
            eventSets,
            durationMs,
          },
          edges,
        ),
  );
  const masses = evidence.map((_, set) =>
    kernels.reduce((all, kernel) => (kernel ? kernel.followers[set].reduce((sum, share) => sum + share, all) : all), 0),
  );
  const following = members.map(({ length }, group) => (kernels[group] ? length : 0));
  const allFollowing = sum(following);
  return {
    edges,
    openPerMs: kernels.map((kernel) => (kernel ? kernel.openPerMs : Infinity)),
    shapes: kernels.map((kernel, group) =>
      evidence.map((_, set) =>
        Array.from(
          { length: edges.length - 1 },
          (__, bin) =>
            (STRAY_SHARE / (edges.length - 1)) * (following[group] / allFollowing) +
            (kernel && masses[set] > 0 ? (1 - STRAY_SHARE) * (kernel.followers[set][bin] / masses[set]) : 0),
        ),
      ),
    ),
    returnShares: masses.map((mass) => CHAIN_LENGTHS.map(() => Math.min(mass, 1))),
  };
}

/**
 * Lists the rates at which a request is followed, given that it was not followed earlier.
 *
 * @param {FollowModel} model
 * @returns {number[][][][]} per ms, by group, set of the request before it, length of its chain, and bin of the lag
 */
export function listHazards({ edges, shapes, returnShares }) {
  return shapes.map((ofGroup) =>
    ofGroup.map((shape, set) =>
      returnShares[set].map((returnShare) => {
        let left = 1;
        return shape.map((share, bin) => {
          const followed = returnShare * shapes.reduce((sum, other) => sum + other[set][bin], 0);
          const hazard =
            (returnShare * share) / Math.max(left - followed / 2, MIN_LEFT) / (edges[bin + 1] - edges[bin]);
          left -= followed;
          return hazard;
        });
      }),
    ),
  );
}

/** @param {number} lagMs below the last edge @param {number[]} edges @returns {number} */
export function binOf(lagMs, edges) {
  let [low, high] = [0, edges.length - 2];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (edges[middle] <= lagMs + SAME_MS) low = middle;
    else high = middle - 1;
  }
  return low;
}

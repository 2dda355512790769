import { sum } from '../base/sample-statistics.js';
import { CHAIN_LENGTHS, STRAY_SHARE, binOf, fitFollowModel, listHazards } from './follow-model.js';
import { MIN_RATE, SAME_MS } from './lag-kernel.js';

/** @import { FollowModel } from './follow-model.js' */
/** @import { ArrivalEvidence, RequestStarts } from './arrivals-evidence.js' */

const PASSES = 4;
/** Share of the matches. If more have unlikely lags, some starts follow nothing. */
const MAX_STRAY_SHARE = 0.12;
/** Share of the requests. If more belong to long chains, callers may stay after all. */
const MAX_LONG_SHARE = 0.5;
/** Share of the trace in which callers enter. */
const ENTRY_SHARE = 0.1;
/** A check-in is plausible if its rate is at least this share of the highest one. */
const MIN_PLAUSIBLE_SHARE = 0.1;
/**
 * Finds the request that each start follows, if any. Each check-in is followed by at most one start.
 *
 * A start follows something if that is more likely than not, given the rates at which the idle check-ins are followed
 * and the rate of starts that follow nothing. This is declustering, as seismologists do it: J. Zhuang, Y. Ogata and D.
 * Vere-Jones (2002), https://doi.org/10.1198/016214502760046925. A start follows the oldest of the plausible check-ins.
 * That choice does not change the mean think time, and no caller is lost. A caller who came back often is likely to
 * come back again; how likely is estimated in several passes.
 *
 * An example: request A ended at 5 ms and B at 9 ms. The fitted lags say that callers mostly come back after 10 ms, and
 * that 0.01 starts per ms follow nothing. C starts at 15 ms. After a lag of 10 ms A is followed at a rate of 0.3 per
 * ms, after 6 ms B at 0.002. Together that is more than 0.01, so C follows one of them. B's rate is below a tenth of
 * A's, so it is A. D starts at 16 ms. Only B is still idle, with a rate of 0.003 after 7 ms, so D follows nothing.
 *
 * There are two results. The first takes every start as the return of a caller. It is kept unless too many lags are
 * unlikely and the number of callers is not known to be fixed. The second begins with the fitted rate of starts that
 * follow nothing.
 *
 * @param {RequestStarts} requests
 * @param {ArrivalEvidence[]} evidence by group
 * @returns {{ previous: Int32Array, otherwise: Int32Array | null }} by request: the one it follows, or -1. `otherwise`:
 *   where callers may stay or come and go, the matches if they stay
 */
export function matchStarts(requests, evidence) {
  const { startsMs } = requests;
  if (evidence.every((each) => each === 'arrive'))
    return { previous: new Int32Array(startsMs.length).fill(-1), otherwise: null };
  const model = fitFollowModel(requests, evidence);
  const closed = refineMatches(requests, {
    ...model,
    openPerMs: model.openPerMs.map((rate) => Math.min(rate, MIN_RATE)),
  });
  if (closed.strayShare < MAX_STRAY_SHARE || evidence.includes('population'))
    return { previous: closed.previous, otherwise: null };
  const { previous, longShare } = refineMatches(requests, model);
  return { previous, otherwise: longShare > MAX_LONG_SHARE ? closed.previous : null };
}

/**
 * Repeats the matching. Each pass takes the rate of starts that follow nothing, and the share of check-ins that are
 * followed, from the matches of the one before it.
 *
 * @param {RequestStarts} requests
 * @param {FollowModel} model
 */
function refineMatches(requests, model) {
  let found = findMatches(requests, model);
  for (let pass = 1; pass < PASSES; pass++) {
    const { previous, returned, ended } = found;
    found = findMatches(requests, {
      ...model,
      openPerMs: model.openPerMs.map((rate, group) =>
        rate === Infinity
          ? rate
          : Math.max(
              MIN_RATE,
              countOpen(previous, requests.groupOf, group) /
                (requests.startsMs[previous.length - 1] * (1 - ENTRY_SHARE)),
            ),
      ),
      returnShares: ended.map((counts, set) =>
        counts.map((count, length) => returned[set][length] / Math.max(1, count)),
      ),
    });
  }
  return found;
}

/**
 * Counts the starts that follow nothing, except at the beginning, when each caller comes for the first time.
 *
 * @param {Int32Array} previous
 * @param {Uint32Array} groupOf
 * @param {number} group
 */
function countOpen(previous, groupOf, group) {
  let count = 0;
  for (let index = Math.floor(previous.length * ENTRY_SHARE); index < previous.length; index++) {
    if (previous[index] < 0 && groupOf[index] === group) count++;
  }
  return count;
}

/** @param {RequestStarts} requests @param {FollowModel} model */
function findMatches({ startsMs, endsMs, groupOf }, model) {
  const { edges, openPerMs } = model;
  const hazards = listHazards(model);
  const previous = new Int32Array(startsMs.length).fill(-1);
  /** By request: its place in CHAIN_LENGTHS. */
  const lengthOf = new Uint8Array(startsMs.length);
  const chainLengths = new Uint32Array(startsMs.length).fill(1);
  const returned = model.returnShares.map((shares) => shares.map(() => 0));
  const all = model.returnShares.map((shares) => shares.map(() => 0));
  const byEnd = Uint32Array.from(endsMs.keys()).sort((a, b) => endsMs[a] - endsMs[b]);
  const longestMs = edges[edges.length - 1];
  /** Requests that ended and have no follower yet, the oldest first. @type {number[]} */
  let idle = [];
  let ended = 0;
  let stray = 0;
  let matched = 0;
  for (let index = 0; index < startsMs.length; index++) {
    const nowMs = startsMs[index];
    for (; ended < byEnd.length && endsMs[byEnd[ended]] <= nowMs + SAME_MS; ended++) {
      const other = byEnd[ended];
      idle.push(other);
      all[groupOf[other]][lengthOf[other]]++;
    }
    if (idle.length > 0 && nowMs - endsMs[idle[0]] > longestMs)
      idle = idle.filter((other) => nowMs - endsMs[other] <= longestMs);
    if (openPerMs[groupOf[index]] === Infinity) continue;
    const weights = idle.map((other) =>
      // One that starts at the same time may seem to be over, if its times are rounded.
      other >= index
        ? 0
        : hazards[groupOf[index]][groupOf[other]][lengthOf[other]][binOf(nowMs - endsMs[other], edges)],
    );
    if (sum(weights) <= openPerMs[groupOf[index]]) continue;
    const least = MIN_PLAUSIBLE_SHARE * weights.reduce((max, weight) => Math.max(max, weight), 0);
    const [before] = idle.splice(
      weights.findIndex((weight) => weight >= least),
      1,
    );
    previous[index] = before;
    matched++;
    if (model.shapes[groupOf[index]][groupOf[before]][binOf(nowMs - endsMs[before], edges)] < STRAY_SHARE) stray++;
    chainLengths[index] = chainLengths[before] + 1;
    lengthOf[index] = CHAIN_LENGTHS.findLastIndex((length) => length <= chainLengths[index]);
    returned[groupOf[before]][lengthOf[before]]++;
  }
  const long = lengthOf.reduce((sum, length) => sum + (length === CHAIN_LENGTHS.length - 1 ? 1 : 0), 0);
  return {
    previous,
    returned,
    ended: all,
    longShare: long / startsMs.length,
    strayShare: matched > 0 ? stray / matched : 1,
  };
}

import { LEAST_RATE, fitLagKernel, listEdges, SAME_MS } from './lag-kernel.js';

/** @import { Evidence, Requests } from './arrivals-evidence.js' */

/** The lags are fitted to this many requests, the first. */
const MAX_FITTED = 5000;
const PASSES = 4;
/** Of the matches. If more come at strange times, some starts follow nothing. */
const MAX_STRAY_SHARE = 0.12;
/** Of the requests. If more belong to long chains, callers may stay after all. */
const MAX_LONG_SHARE = 0.5;
/** Of the trace: callers enter in this time. */
const ENTRY_SHARE = 0.1;
/** The share of the followers that come at any other time. */
const STRAY_SHARE = 0.01;
/** A check-in is plausible if its rate is at least this share of the highest one. */
const PLAUSIBLE_SHARE = 0.1;
/** Whoever is overdue is still expected at a finite rate. */
const LEAST_LEFT = 0.002;
/** Chains of at least this many requests, and of fewer than the next, are alike. */
const CHAIN_LENGTHS = [1, 2, 4, 10];

/**
 * Finds the request that each start follows, or that it follows none. Each check-in is followed by one start at most.
 *
 * A start follows something if that is more likely than not, given the rates at which the idle check-ins are followed and
 * the rate of starts that follow nothing. This is declustering, as seismologists do it: J. Zhuang, Y. Ogata and D. Vere-Jones
 * (2002), https://doi.org/10.1198/016214502760046925. Of the plausible check-ins it follows the oldest. Which of them it
 * is does not change the mean think time, and callers are not lost. Whoever came back often is likely to come back
 * again. How likely is found in several passes.
 *
 * The passes can end in two ways. The first takes every start as the return of a caller, and stands unless too many come at
 * strange times and the number of callers is not known to be fixed. The second begins with the fitted rate of starts that follow nothing.
 *
 * @param {Requests} requests
 * @param {Evidence[]} evidence by group
 * @returns {{ previous: Int32Array, otherwise: Int32Array | null }} by request: the one it follows, or -1. `otherwise`: if
 *   it is not certain whether callers come and go or stay, the matches if they stay
 */
export function matchStarts(requests, evidence) {
  const { startsMs } = requests;
  if (evidence.every((each) => each === 'arrive')) return { previous: new Int32Array(startsMs.length).fill(-1), otherwise: null };
  const model = fitModel(requests, evidence);
  const closed = settle(requests, { ...model, openPerMs: model.openPerMs.map((rate) => Math.min(rate, LEAST_RATE)) });
  if (closed.strayShare < MAX_STRAY_SHARE || evidence.includes('population')) return { previous: closed.previous, otherwise: null };
  const { previous, longShare } = settle(requests, model);
  return { previous, otherwise: longShare > MAX_LONG_SHARE ? closed.previous : null };
}

/**
 * Finds matches, and from them the rate of starts that follow nothing and the share of check-ins that are followed, several
 * times.
 *
 * @param {Requests} requests
 * @param {Model} model
 */
function settle(requests, model) {
  let found = findMatches(requests, model);
  for (let pass = 1; pass < PASSES; pass++) {
    const { previous, returned, ended } = found;
    found = findMatches(requests, {
      ...model,
      openPerMs: model.openPerMs.map((rate, group) => (rate === Infinity ? rate : Math.max(LEAST_RATE, countOpen(previous, requests.groupOf, group)
        / (requests.startsMs[previous.length - 1] * (1 - ENTRY_SHARE))))),
      returnShares: ended.map((counts, set) => counts.map((count, length) => returned[set][length] / Math.max(1, count))),
    });
  }
  return found;
}

/**
 * @typedef {object} Model
 * @property {number[]} edges of the bins of the lags
 * @property {number[]} openPerMs by group: the rate of starts that follow nothing; Infinity if none follows anything
 * @property {number[][][]} shapes by group, set of the request before it, and bin: the share of that set's followers
 * @property {number[][]} returnShares by set and length of the chain so far: how many are followed at all
 */

/** @param {Requests} requests @param {Evidence[]} evidence @returns {Model} */
function fitModel({ startsMs, endsMs, groupOf }, evidence) {
  const count = Math.min(startsMs.length, MAX_FITTED);
  const durationMs = startsMs[count - 1];
  const edges = listEdges(durationMs);
  const members = evidence.map((_, group) => Array.from({ length: count }, (__, index) => index).filter((index) => groupOf[index] === group));
  const eventSets = members.map((indices) => Float64Array.from(indices, (index) => endsMs[index]).sort());
  const kernels = evidence.map((each, group) => (each === 'arrive' ? null : fitLagKernel({
    startsMs: members[group].map((index) => startsMs[index]), ownMs: members[group].map((index) => endsMs[index]),
    ownSet: group, eventSets, durationMs,
  }, edges)));
  const masses = evidence.map((_, set) => kernels.reduce((all, kernel) => (
    kernel ? kernel.followers[set].reduce((sum, share) => sum + share, all) : all), 0));
  const following = members.map(({ length }, group) => (kernels[group] ? length : 0));
  const allFollowing = following.reduce((sum, each) => sum + each, 0);
  return {
    edges,
    openPerMs: kernels.map((kernel) => (kernel ? kernel.openPerMs : Infinity)),
    shapes: kernels.map((kernel, group) => evidence.map((_, set) => Array.from({ length: edges.length - 1 }, (__, bin) => (
      (STRAY_SHARE / (edges.length - 1)) * (following[group] / allFollowing)
        + (kernel && masses[set] > 0 ? (1 - STRAY_SHARE) * (kernel.followers[set][bin] / masses[set]) : 0))))),
    returnShares: masses.map((mass) => CHAIN_LENGTHS.map(() => Math.min(mass, 1))),
  };
}

/**
 * Starts that follow nothing, but for those at the beginning, when each caller comes for the first time.
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

/** @param {Requests} requests @param {Model} model */
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
    if (idle.length > 0 && nowMs - endsMs[idle[0]] > longestMs) idle = idle.filter((other) => nowMs - endsMs[other] <= longestMs);
    if (openPerMs[groupOf[index]] === Infinity) continue;
    const weights = idle.map((other) => (other === index ? 0
      : hazards[groupOf[index]][groupOf[other]][lengthOf[other]][binOf(nowMs - endsMs[other], edges)]));
    if (weights.reduce((sum, weight) => sum + weight, 0) <= openPerMs[groupOf[index]]) continue;
    const least = PLAUSIBLE_SHARE * weights.reduce((max, weight) => Math.max(max, weight), 0);
    const [before] = idle.splice(weights.findIndex((weight) => weight >= least), 1);
    previous[index] = before;
    matched++;
    if (model.shapes[groupOf[index]][groupOf[before]][binOf(nowMs - endsMs[before], edges)] < STRAY_SHARE) stray++;
    chainLengths[index] = chainLengths[before] + 1;
    lengthOf[index] = CHAIN_LENGTHS.findLastIndex((length) => length <= chainLengths[index]);
    returned[groupOf[before]][lengthOf[before]]++;
  }
  const long = lengthOf.reduce((sum, length) => sum + (length === CHAIN_LENGTHS.length - 1 ? 1 : 0), 0);
  return { previous, returned, ended: all, longShare: long / startsMs.length, strayShare: matched > 0 ? stray / matched : 1 };
}

/**
 * The rate at which a request is followed, given that it was not followed earlier.
 *
 * @param {Model} model
 * @returns {number[][][][]} per ms, by group, set of the request before it, length of its chain, and bin of the lag
 */
function listHazards({ edges, shapes, returnShares }) {
  return shapes.map((ofGroup) => ofGroup.map((shape, set) => returnShares[set].map((returnShare) => {
    let left = 1;
    return shape.map((share, bin) => {
      const followed = returnShare * shapes.reduce((sum, other) => sum + other[set][bin], 0);
      const hazard = (returnShare * share) / Math.max(left - followed / 2, LEAST_LEFT) / (edges[bin + 1] - edges[bin]);
      left -= followed;
      return hazard;
    });
  })));
}

/** @param {number} lagMs below the last edge @param {number[]} edges @returns {number} */
function binOf(lagMs, edges) {
  let [low, high] = [0, edges.length - 2];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (edges[middle] <= lagMs + SAME_MS) low = middle;
    else high = middle - 1;
  }
  return low;
}

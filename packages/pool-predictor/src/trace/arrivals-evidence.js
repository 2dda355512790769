import { createRandom } from '../simulator/random.js';
import { serviceMoments } from '../simulator/service-time.js';
import { simulate } from '../simulator/simulate.js';
import { fitLagKernel, listEdges } from './lag-kernel.js';
import { fitPopulation } from './population-gain.js';

/** @import { Random } from '../simulator/random.js' */

/** How many requests are tested: more would only take longer. */
const MAX_TESTED = 2000;
/** Fewer can't tell anything. */
const MIN_TESTED = 100;
const SURROGATES = 20;
/** In a surrogate, all queries take up to this many times as long as recorded, or as short. */
const WIDEST_FACTOR = 1.25;
/** Below this squared coefficient of variation, all queries take equally long. */
const EQUAL_SCV = 1e-6;
/** How far the recorded gain must be ahead of all surrogates, in nats by statistic, and as a share. */
const MIN_LEAD = [30, 15];
const MIN_LEAD_SHARE = 0.15;
/** In nats for each start. */
const MIN_GAIN_UNCLEAR = 0.25;

/**
 * @typedef {object} Requests of a trace, in order of their starts
 * @property {Float64Array} startsMs
 * @property {Float64Array} endsMs check-in of the last query
 * @property {Float64Array} useMs of all queries together
 * @property {Uint32Array} groupOf index of the route, or 3 for all routes but the three most frequent ones
 * @property {number} poolSize
 *
 * @typedef {'follow' | 'population' | 'arrive' | 'unclear'} Evidence the starts follow check-ins; or, what says more, come from a
 *   fixed number of callers, whatever the lags; or arrive on their own; or the trace can't tell
 */

/**
 * Do the starts of one group of requests follow check-ins?
 *
 * If requests arrive on their own, they don't depend on how long earlier queries took. So the service times are exchanged
 * among the requests of a route, or all made somewhat longer or shorter as well, and the recorded starts meet the recorded
 * pool again. If the recorded check-ins explain the starts far better than the check-ins of all such surrogates, the
 * starts follow them. This is a permutation test (https://en.wikipedia.org/wiki/Permutation_test); its statistic is the
 * `gain` of a LagKernel.
 *
 * Service times that hardly vary leave a surrogate as it was. If the check-ins then explain the starts better than earlier
 * starts do, the trace can't tell.
 *
 * @param {Requests} requests
 * @param {number} groups
 * @returns {Evidence[]} by group
 */
export function weighEvidence(requests, groups) {
  const tested = takeFirst(requests, MAX_TESTED);
  const durationMs = tested.startsMs[tested.startsMs.length - 1];
  const members = Array.from({ length: groups }, (_, group) => (
    Array.from(tested.groupOf.keys()).filter((index) => tested.groupOf[index] === group)));
  const isTested = members.map(({ length }) => length >= MIN_TESTED);
  const edges = listEdges(durationMs);
  /** @param {Float64Array} eventsMs of all requests @param {number[]} indices */
  const gainOf = (eventsMs, indices) => fitLagKernel({
    startsMs: indices.map((index) => tested.startsMs[index]), ownMs: indices.map((index) => eventsMs[index]),
    eventSets: [eventsMs.toSorted()], durationMs,
  }, edges).gain;
  /** @param {Float64Array} eventsMs @param {number[]} indices */
  const populationGainOf = (eventsMs, indices) => fitPopulation({
    startsMs: tested.startsMs, endsMs: eventsMs.toSorted(), members: indices, poolSize: tested.poolSize, durationMs });
  const statistics = [gainOf, populationGainOf];
  const recorded = members.map((indices) => statistics.map((statistic) => statistic(tested.endsMs, indices)));
  const isFollowing = members.map((_, group) => statistics.map((__, index) => (
    isTested[group] && recorded[group][index] > MIN_LEAD[index])));
  for (let number = 0; number < SURROGATES && isFollowing.flat().includes(true); number++) {
    const endsMs = simulateSurrogate(tested, number);
    isFollowing.forEach((isAhead, group) => statistics.forEach((statistic, index) => {
      isAhead[index] &&= recorded[group][index] > MIN_LEAD[index] + (1 + MIN_LEAD_SHARE) * statistic(endsMs, members[group]);
    }));
  }
  return members.map((indices, group) => {
    const [gain] = recorded[group];
    if (isFollowing[group][1]) return 'population';
    if (isFollowing[group][0]) return 'follow';
    return isTested[group] && gain > MIN_GAIN_UNCLEAR * indices.length && gain > gainOf(tested.startsMs, indices) - MIN_LEAD[0] ? 'unclear' : 'arrive';
  });
}

/** @param {Requests} requests @param {number} count @returns {Requests} */
function takeFirst({ startsMs, endsMs, useMs, groupOf, poolSize }, count) {
  return {
    startsMs: startsMs.subarray(0, count), endsMs: endsMs.subarray(0, count), useMs: useMs.subarray(0, count),
    groupOf: groupOf.subarray(0, count), poolSize,
  };
}

/**
 * @param {Requests} tested
 * @param {number} index
 * @returns {Float64Array} the check-ins, had the same requests taken other service times
 */
function simulateSurrogate({ startsMs, useMs, groupOf, poolSize }, index) {
  // In every second one, the service times are only exchanged, if that makes a difference.
  const isStretched = index % 2 === 1 || serviceMoments({ kind: 'sample', valuesMs: useMs }).scv < EQUAL_SCV;
  const factor = isStretched ? WIDEST_FACTOR ** (((index + 0.5) / SURROGATES) * 2 - 1) : 1;
  const exchanged = exchange(useMs, groupOf, createRandom(index + 1, 'surrogate'));
  const arrivals = Array.from(startsMs, (atMs, i) => ({ atMs, route: 'any', serviceMs: exchanged[i] * factor }));
  const { records = [] } = simulate({ arrivals, pool: { maxPoolSize: poolSize }, keepRequests: true });
  const endsMs = new Float64Array(startsMs.length);
  for (const { user, finishedAtMs } of records) endsMs[user] = finishedAtMs;
  return endsMs;
}

/**
 * @param {Float64Array} useMs
 * @param {Uint32Array} groupOf
 * @param {Random} random
 */
function exchange(useMs, groupOf, random) {
  const exchanged = useMs.slice();
  /** @type {Map<number, number[]>} The indices of each group so far: the shuffle of Fisher and Yates, from front to back. */
  const seen = new Map();
  groupOf.forEach((group, index) => {
    const indices = seen.get(group) ?? [];
    seen.set(group, indices);
    indices.push(index);
    const other = indices[Math.floor(random.uniform() * indices.length)];
    [exchanged[index], exchanged[other]] = [exchanged[other], exchanged[index]];
  });
  return exchanged;
}

import { mean, varianceOf } from '../base/sample-statistics.js';
import { createRandom } from '../simulator/random.js';
import { simulate } from '../simulator/simulate.js';
import { SAME_MS, fitLagKernel, listEdges } from './lag-kernel.js';

/** @import { Random } from '../simulator/random.js' */

/** Testing more requests than this would only take longer. */
const MAX_TESTED = 2000;
/** Fewer requests show nothing. */
const MIN_TESTED = 100;
const SURROGATES = 20;
/** In a surrogate, all queries take up to this many times as long as recorded, or 1 / this. */
const MAX_STRETCH = 1.25;
/** Below this squared coefficient of variation, all queries take equally long. */
const MIN_SCV = 1e-6;
/** The recorded gain must exceed that of all surrogates by this much: in nats, by statistic, and as a share. */
const MIN_LEAD = [30, 15];
const MIN_LEAD_SHARE = 0.15;
/** A larger gain than this, in nats for each start, needs an explanation. */
const MIN_GAIN_UNCLEAR = 0.25;

/** Numbers of callers to try, as multiples of the most requests in the system at once. */
const CALLERS_PER_PEAK = [1, 1.02, 1.05, 1.1, 1.2, 1.5, 2, 4];
/** Share of the requests that must wait. */
const MIN_WAITING_SHARE = 0.25;

/**
 * @typedef {object} RequestStarts of a trace, in order of their starts
 * @property {Float64Array} startsMs
 * @property {Float64Array} endsMs check-in of the last query
 * @property {Float64Array} useMs of all queries together
 * @property {Uint32Array} groupOf index of the route, or 3 for all routes but the three most frequent ones
 * @property {number} poolSize
 *
 * @typedef {'follow' | 'population' | 'arrive' | 'unclear'} ArrivalEvidence the starts follow check-ins; or, which is
 *   stronger, come from a fixed number of callers, with any lags; or follow nothing; or the trace does not show it
 */

/**
 * Finds out whether the starts of each group of requests follow check-ins.
 *
 * Starts that follow nothing do not depend on the service times of earlier queries. So the service times are exchanged
 * among the requests of a route, or also made somewhat longer or shorter, and the recorded starts are simulated with
 * the recorded pool again. If the recorded check-ins explain the starts far better than the check-ins of all such
 * surrogates, the starts follow them. This is a permutation test (https://en.wikipedia.org/wiki/Permutation_test); its
 * statistic is the `gain` of a LagKernel.
 *
 * Where service times hardly vary, a surrogate equals the recording. If the check-ins then explain the starts better
 * than earlier starts do, the evidence is unclear.
 *
 * @param {RequestStarts} requests
 * @param {number} groups
 * @returns {ArrivalEvidence[]} by group
 */
export function weighEvidence(requests, groups) {
  const tested = takeFirst(requests, MAX_TESTED);
  const durationMs = tested.startsMs[tested.startsMs.length - 1];
  const members = Array.from({ length: groups }, (_, group) =>
    Array.from(tested.groupOf.keys()).filter((index) => tested.groupOf[index] === group),
  );
  const isTested = members.map(({ length }) => length >= MIN_TESTED);
  const edges = listEdges(durationMs);
  /** @param {Float64Array} eventsMs of all requests @param {number[]} indices */
  const gainOf = (eventsMs, indices) =>
    fitLagKernel(
      {
        startsMs: indices.map((index) => tested.startsMs[index]),
        ownMs: indices.map((index) => eventsMs[index]),
        eventSets: [eventsMs.toSorted()],
        durationMs,
      },
      edges,
    ).gain;
  /** @param {Float64Array} eventsMs @param {number[]} indices */
  const populationGainOf = (eventsMs, indices) =>
    fitPopulation({
      startsMs: tested.startsMs,
      endsMs: eventsMs.toSorted(),
      members: indices,
      poolSize: tested.poolSize,
      durationMs,
    });
  const statistics = [gainOf, populationGainOf];
  const recorded = members.map((indices) => statistics.map((statistic) => statistic(tested.endsMs, indices)));
  const isFollowing = members.map((_, group) =>
    statistics.map((__, index) => isTested[group] && recorded[group][index] > MIN_LEAD[index]),
  );
  for (let number = 0; number < SURROGATES && isFollowing.flat().includes(true); number++) {
    const endsMs = simulateSurrogate(tested, number);
    isFollowing.forEach((isAhead, group) =>
      statistics.forEach((statistic, index) => {
        isAhead[index] &&=
          recorded[group][index] > MIN_LEAD[index] + (1 + MIN_LEAD_SHARE) * statistic(endsMs, members[group]);
      }),
    );
  }
  return members.map((indices, group) => {
    const [gain] = recorded[group];
    if (isFollowing[group][1]) return 'population';
    if (isFollowing[group][0]) return 'follow';
    return isTested[group] &&
      gain > MIN_GAIN_UNCLEAR * indices.length &&
      gain > gainOf(tested.startsMs, indices) - MIN_LEAD[0]
      ? 'unclear'
      : 'arrive';
  });
}

/** @param {RequestStarts} requests @param {number} count @returns {RequestStarts} */
function takeFirst({ startsMs, endsMs, useMs, groupOf, poolSize }, count) {
  return {
    startsMs: startsMs.subarray(0, count),
    endsMs: endsMs.subarray(0, count),
    useMs: useMs.subarray(0, count),
    groupOf: groupOf.subarray(0, count),
    poolSize,
  };
}

/**
 * @param {RequestStarts} tested
 * @param {number} index
 * @returns {Float64Array} the check-ins, had the same requests taken other service times
 */
function simulateSurrogate({ startsMs, useMs, groupOf, poolSize }, index) {
  // In every second one, the service times are only exchanged, if that makes a difference.
  const isStretched = index % 2 === 1 || squaredVariation(useMs) < MIN_SCV;
  const factor = isStretched ? MAX_STRETCH ** (((index + 0.5) / SURROGATES) * 2 - 1) : 1;
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
  /**
   * @type {Map<number, number[]>} The indices of each group so far: the shuffle of Fisher and Yates, from front to
   *   back.
   */
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

/** The squared coefficient of variation: variance / mean^2. @param {Float64Array} values */
function squaredVariation(values) {
  const centre = mean(values);
  return centre === 0 ? 0 : varianceOf(values) / centre ** 2;
}

/**
 * Measures how much better a finite number of callers explains the starts than a constant rate does. Of N callers who
 * wait for their answers, the n in the system can't start: the rate is in proportion to N - n, as in the machine repair
 * model, https://en.wikipedia.org/wiki/Machine_repair_problem. N is fitted by maximum likelihood. It counts only where
 * a queue forms, because evenly spaced arrivals look the same without one.
 *
 * @param {object} events
 * @param {ArrayLike<number>} events.startsMs of all requests, ascending
 * @param {ArrayLike<number>} events.endsMs of all requests, ascending
 * @param {number[]} events.members indices of the starts to explain
 * @param {number} events.poolSize
 * @param {number} events.durationMs
 * @returns {number} log-likelihood in nats; 0 if few requests have to wait
 */
function fitPopulation({ startsMs, endsMs, members, poolSize, durationMs }) {
  const inSystem = new Float64Array(startsMs.length);
  let ended = 0;
  let occupiedMs = 0;
  for (let start = 0; start < startsMs.length; start++) {
    while (ended < start && endsMs[ended] <= startsMs[start] + SAME_MS) ended++;
    inSystem[start] = start - ended;
    occupiedMs += durationMs - startsMs[start] - Math.max(0, durationMs - endsMs[start]);
  }
  if (members.filter((start) => inSystem[start] >= poolSize).length < MIN_WAITING_SHARE * members.length) return 0;
  const mean = occupiedMs / durationMs;
  const peak = inSystem.reduce((max, count) => Math.max(max, count), 0) + 1;
  return Math.max(
    0,
    ...CALLERS_PER_PEAK.map((times) =>
      members.reduce((gain, start) => gain + Math.log((times * peak - inSystem[start]) / (times * peak - mean)), 0),
    ),
  );
}

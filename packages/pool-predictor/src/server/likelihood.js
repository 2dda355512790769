import { quantile } from '../quantile.js';
import { SLICE_MS } from '../simulator/shared-cores.js';
import { createTimeline } from './timeline.js';

/** @import { Timeline } from './timeline.js' */
/** @import { Trace } from '../formats/trace.js' */

/** Shorter times are those of a clock. */
const MIN_MS = 0.05;
/** A query this far down among the shortest of its route found a core at once. */
const FASTEST = 0.002;
/** A route with a mean use below this share of the main route's waits for a turn rather than for its work to be done. */
const SHORT_SHARE = 0.3;
/** Uses with a smaller standard deviation, as a share of their mean, are steady. */
const STEADY = 0.03;
/** How much the speed of a machine changes from one trace to the next, as a standard deviation of its logarithm. */
const SPEED_DEVIATION = 0.07;
/** Queries that overlap see the same, and turns are not shared quite evenly: more checkouts than this say no more. */
const MOST_INDEPENDENT = 200;
/** A route whose times hardly vary must not decide alone. */
const MIN_DEVIATION = 0.01;

/**
 * The uses of a route in one trace, and what is known of it from all traces.
 *
 * @typedef {{ trace: Trace, timeline: Timeline, routeOf: number[] }} Part routeOf: index into the routes of all parts
 *
 * @typedef {object} RouteUses
 * @property {string} name
 * @property {number} count
 * @property {number} useShare of all uses
 * @property {number} fastestMs
 * @property {boolean} isSteady its uses hardly vary, so perhaps it only waits
 * @property {boolean} isShort it needs less than one turn on a core, unlike the route that uses connections most
 */

/** How many times as long as alone a query takes. @param {number} speed @param {number} workShare */
export function stretchOf(speed, workShare) {
  return 1 - workShare + workShare / speed;
}

/**
 * How well numbers of cores explain the uses of traces: the likelihood of the times alone, if those of each route are lognormal
 * and each trace has a machine that is a little faster or slower. Routes count by the share of the time that they use.
 *
 * @param {Trace[]} traces of the same server
 */
export function createLikelihood(traces) {
  const names = [...new Set(traces.flatMap((trace) => trace.routes))];
  /** @type {Part[]} */
  const parts = traces.map((trace) => ({
    trace, timeline: createTimeline(trace), routeOf: trace.routes.map((route) => names.indexOf(route)),
  }));
  const routes = describeRoutes(names, parts);
  const checkouts = Math.min(MOST_INDEPENDENT, routes.reduce((sum, { count }) => sum + count, 0));

  /** A short query is at work for a part of its turn only. @param {number[]} shares of work, by route @param {Part} part */
  const weightsOf = (shares, { routeOf }) => routeOf.map((route) => (
    shares[route] * (routes[route].isShort ? Math.min(1, routes[route].fastestMs / SLICE_MS) : 1)));

  /** @param {number} cores @param {number[]} shares @param {Part} part @returns {Float64Array} by checkout */
  function stretches(cores, shares, part) {
    const speeds = part.timeline.speeds(cores, weightsOf(shares, part));
    return speeds.map((speed, i) => stretchOf(speed, shares[part.routeOf[part.trace.routeOf[i]]]));
  }

  /** @param {number} cores @param {number[]} shares */
  function momentsOf(cores, shares) {
    return parts.map((part) => {
      const sums = routes.map(() => ({ count: 0, log: 0, square: 0 }));
      for (const [i, stretch] of stretches(cores, shares, part).entries()) {
        const log = Math.log(Math.max(part.trace.useMs[i], MIN_MS) / stretch);
        const sum = sums[part.routeOf[part.trace.routeOf[i]]];
        sum.count++;
        sum.log += log;
        sum.square += log * log;
      }
      return sums;
    });
  }

  return {
    routes,
    parts,
    stretches,

    /** How many queries are at work at once. @param {number[]} shares of work, by route @param {Part} part */
    atWork: (shares, part) => part.timeline.inUse(weightsOf(shares, part)),

    /** The share of all uses that is due to others. @param {number} cores @param {number[]} shares of work, by route */
    slowedShare(cores, shares) {
      let [useMs, aloneMs] = [0, 0];
      for (const part of parts) {
        for (const [i, stretch] of stretches(cores, shares, part).entries()) {
          useMs += part.trace.useMs[i];
          aloneMs += part.trace.useMs[i] / stretch;
        }
      }
      return 1 - aloneMs / useMs;
    },

    /** Twice the logarithm of the likelihood. @param {number} cores @param {number[]} shares of work, by route */
    of(cores, shares) {
      const moments = momentsOf(cores, shares);
      return routes.reduce((sum, { useShare, isShort }, route) => {
        if (isShort) return sum;
        const known = moments.map((sums) => sums[route]).filter(({ count }) => count > 0);
        const means = known.map(({ count, log }) => log / count);
        const variance = known.reduce((total, { square, log, count }) => total + square - log ** 2 / count, 0)
          / known.reduce((total, { count }) => total + count, 0);
        const mean = means.reduce((total, value) => total + value, 0) / means.length;
        const drift = means.reduce((total, value) => total + ((value - mean) / SPEED_DEVIATION) ** 2, 0);
        return sum - useShare * (drift + checkouts * Math.log(Math.max(variance, MIN_DEVIATION ** 2)));
      }, 0);
    },
  };
}

/** @typedef {ReturnType<typeof createLikelihood>} Likelihood */

/** @param {string[]} names @param {Part[]} parts @returns {RouteUses[]} */
function describeRoutes(names, parts) {
  const usesMs = names.map((_, route) => parts.flatMap(({ trace, routeOf }) => (
    Array.from(trace.useMs).filter((__, i) => routeOf[trace.routeOf[i]] === route))));
  const sums = usesMs.map((uses) => uses.reduce((sum, ms) => sum + ms, 0));
  const totalMs = sums.reduce((sum, ms) => sum + ms, 0);
  const main = sums.indexOf(Math.max(...sums));
  const meanOf = (/** @type {number} */ route) => sums[route] / usesMs[route].length;
  return names.map((name, route) => {
    const fastestMs = quantile(usesMs[route], FASTEST);
    const square = usesMs[route].reduce((sum, ms) => sum + (ms - meanOf(route)) ** 2, 0) / usesMs[route].length;
    return {
      name, fastestMs, isSteady: Math.sqrt(square) < STEADY * meanOf(route), count: usesMs[route].length, useShare: sums[route] / totalMs,
      isShort: fastestMs < SLICE_MS && meanOf(route) < SHORT_SHARE * meanOf(main),
    };
  });
}

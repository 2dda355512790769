import { SERVER } from '../assumptions/server-assumptions.js';
import { mean, quantile, sum, varianceOf } from '../base/sample-statistics.js';

/** @import { Trace } from '../trace/trace.js' */

/**
 * @typedef {{ trace: Trace, timeline: Timeline, routeOf: number[] }} TracePart one trace; routeOf: index into the
 *   routes of all traces
 *
 * @typedef {object} RouteUses of a route in all traces
 * @property {string} name
 * @property {number} count
 * @property {number} useShare of all uses
 * @property {number} fastestMs
 * @property {boolean} isSteady its uses hardly vary, so perhaps it only waits
 * @property {boolean} isShort it needs less than one turn on a core, unlike the route that uses connections most
 */

/** Tells how many times as long as alone a query takes. @param {number} speed @param {number} workShare */
function stretchOf(speed, workShare) {
  return 1 - workShare + workShare / speed;
}

/**
 * Rates numbers of cores by how well they explain the uses of traces. This is the likelihood of the times alone, if
 * those of each route are lognormal and the machine is a little faster or slower in each trace. Routes are weighted by
 * their share of the time in use.
 *
 * @param {Trace[]} traces of the same server
 */
export function createLikelihood(traces) {
  const names = [...new Set(traces.flatMap((trace) => trace.routes))];
  /** @type {TracePart[]} */
  const parts = traces.map((trace) => ({
    trace,
    timeline: createTimeline(trace),
    routeOf: trace.routes.map((route) => names.indexOf(route)),
  }));
  const routes = describeRoutes(names, parts);
  const checkouts = Math.min(SERVER.independent, sum(routes.map(({ count }) => count)));

  /**
   * A short query works for only a part of its turn.
   * @param {number[]} shares of work, by route
   * @param {TracePart} part
   */
  const weightsOf = (shares, { routeOf }) =>
    routeOf.map(
      (route) => shares[route] * (routes[route].isShort ? Math.min(1, routes[route].fastestMs / SERVER.sliceMs) : 1),
    );

  /** @param {number} cores @param {number[]} shares @param {TracePart} part @returns {Float64Array} by checkout */
  function stretches(cores, shares, part) {
    const speeds = part.timeline.speeds(cores, weightsOf(shares, part));
    return speeds.map((speed, i) => stretchOf(speed, shares[part.routeOf[part.trace.routeOf[i]]]));
  }

  /** @param {number} cores @param {number[]} shares */
  function momentsOf(cores, shares) {
    return parts.map((part) => {
      const sums = routes.map(() => ({ count: 0, log: 0, square: 0 }));
      for (const [i, stretch] of stretches(cores, shares, part).entries()) {
        const log = Math.log(Math.max(part.trace.useMs[i], SERVER.clockMs) / stretch);
        const moments = sums[part.routeOf[part.trace.routeOf[i]]];
        moments.count++;
        moments.log += log;
        moments.square += log * log;
      }
      return sums;
    });
  }

  return {
    routes,
    parts,
    stretches,

    /** How many queries are at work at once. @param {number[]} shares of work, by route @param {TracePart} part */
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
      return routes.reduce((total, { useShare, isShort }, route) => {
        if (isShort) return total;
        const known = moments.map((sums) => sums[route]).filter(({ count }) => count > 0);
        const means = known.map(({ count, log }) => log / count);
        const variance =
          known.reduce((rest, { square, log, count }) => rest + square - log ** 2 / count, 0) /
          sum(known.map(({ count }) => count));
        const centre = mean(means);
        const drift = sum(means.map((value) => ((value - centre) / SERVER.speedDeviation) ** 2));
        return total - useShare * (drift + checkouts * Math.log(Math.max(variance, SERVER.minDeviation ** 2)));
      }, 0);
    },
  };
}

/** @typedef {ReturnType<typeof createLikelihood>} Likelihood */

/** @param {string[]} names @param {TracePart[]} parts @returns {RouteUses[]} */
function describeRoutes(names, parts) {
  const usesMs = names.map((_, route) =>
    parts.flatMap(({ trace, routeOf }) =>
      Array.from(trace.useMs).filter((__, i) => routeOf[trace.routeOf[i]] === route),
    ),
  );
  const sums = usesMs.map(sum);
  const totalMs = sum(sums);
  const main = sums.indexOf(Math.max(...sums));
  const meanOf = (/** @type {number} */ route) => sums[route] / usesMs[route].length;
  return names.map((name, route) => {
    const fastestMs = quantile(usesMs[route], SERVER.fastestShare);
    return {
      name,
      fastestMs,
      isSteady: Math.sqrt(varianceOf(usesMs[route])) < SERVER.steadyVariation * meanOf(route),
      count: usesMs[route].length,
      useShare: sums[route] / totalMs,
      isShort: fastestMs < SERVER.sliceMs && meanOf(route) < SERVER.shortShare * meanOf(main),
    };
  });
}

/**
 * Sorts the uses of a trace by time, once, so that speeds for many numbers of cores are cheap to compute.
 *
 * @param {Pick<Trace, 'checkOutStartedMs' | 'waitMs' | 'useMs' | 'routeOf'>} trace
 */
function createTimeline({ checkOutStartedMs, waitMs, useMs, routeOf }) {
  const count = useMs.length;
  const atMs = new Float64Array(2 * count);
  for (let i = 0; i < count; i++) {
    atMs[i] = checkOutStartedMs[i] + waitMs[i];
    atMs[count + i] = atMs[i] + useMs[i];
  }
  const order = Uint32Array.from(atMs.keys()).sort((a, b) => atMs[a] - atMs[b]);

  /**
   * @param {number[]} weights of a query in use, by route
   * @param {(weight: number, fromMs: number, toMs: number, event: number) => void} onSpan gets the sum of the weights
   *   between two events, and the event that ends it
   */
  function walk(weights, onSpan) {
    let weight = 0;
    let fromMs = atMs[order[0]];
    for (const event of order) {
      onSpan(weight, fromMs, atMs[event], event);
      fromMs = atMs[event];
      weight += event < count ? weights[routeOf[event]] : -weights[routeOf[event - count]];
      // Rounding leaves a rest.
      if (weight < 1e-9) weight = 0;
    }
  }

  return {
    /**
     * Finds the speed of each query, as a share of its speed alone, if those at work share `cores` evenly.
     *
     * @param {number} cores
     * @param {number[]} workShares by route
     */
    speeds(cores, workShares) {
      const doneMs = new Float64Array(2 * count);
      let done = 0;
      walk(workShares, (working, fromMs, toMs, event) => {
        done += (toMs - fromMs) * Math.min(1, cores / working);
        doneMs[event] = done;
      });
      return Float64Array.from({ length: count }, (_, i) =>
        useMs[i] > 0 ? Math.min(1, (doneMs[count + i] - doneMs[i]) / useMs[i]) : 1,
      );
    },

    /**
     * Counts the queries in use at once.
     *
     * @param {number[]} weights of a query, by route
     * @returns {{ meanOf: (figure: (inUse: number) => number) => number, most: number }} meanOf: the mean of a figure
     *   over time; most: reached for a hundredth of the time
     */
    inUse(weights) {
      /** @type {Map<number, number>} */
      const levels = new Map();
      walk(weights, (weight, fromMs, toMs) => {
        if (toMs > fromMs) levels.set(weight, (levels.get(weight) ?? 0) + toMs - fromMs);
      });
      const totalMs = sum([...levels.values()]);
      let leftMs = 0.01 * totalMs;
      const most = [...levels].sort(([a], [b]) => b - a).find(([, ms]) => (leftMs -= ms) <= 0)?.[0] ?? 0;
      return {
        most,
        meanOf: (figure) => sum([...levels].map(([level, ms]) => figure(level) * ms)) / totalMs,
      };
    },
  };
}

/** @typedef {ReturnType<typeof createTimeline>} Timeline */

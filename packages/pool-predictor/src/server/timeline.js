import { sum } from '../base/sample-statistics.js';

/** @import { Trace } from '../trace/trace.js' */

/**
 * Sorts the uses of a trace by time, once, so that speeds for many numbers of cores are cheap to compute.
 *
 * @param {Pick<Trace, 'checkOutStartedMs' | 'waitMs' | 'useMs' | 'routeOf'>} trace
 */
export function createTimeline({ checkOutStartedMs, waitMs, useMs, routeOf }) {
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

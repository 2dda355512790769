import { median, sum } from '../base/sample-statistics.js';
import { upperLimit } from './confidence.js';

/** @import { SimulationResult } from '../simulator/simulate.js' */
/** @import { Slo } from './slo.js' */

/**
 * @typedef {object} Judgement of one pool under one load
 * @property {{ slo: Slo, medianMs: number, upperMs: number, isMet: boolean }[]} goals upperMs: 95 of 100 runs do not
 *   exceed it, with the margin; Infinity where requests fail
 * @property {boolean} isMet all goals are
 * @property {number} failureShare of the requests of all runs
 * @property {number} utilisation median over the runs
 * @property {number} peakWaiting 95 of 100 runs do not exceed it
 * @property {SimulationResult[]} runs
 */

/**
 * @param {SimulationResult[]} runs
 * @param {Slo[]} slos
 * @param {{ marginIn?: (run: SimulationResult) => number, isQuick?: boolean }} [options] marginIn: by which share a
 *   time of a run may be longer; isQuick: the runs are too few for a limit, and the largest value stands for it
 * @returns {Judgement}
 */
export function judgeRuns(runs, slos, { marginIn = () => 0, isQuick = false } = {}) {
  const limitOf = isQuick ? (/** @type {number[]} */ values) => Math.max(...values) : upperLimit;
  const goals = slos.map((slo) => {
    const values = runs.map((run) => timeOf(run, slo));
    const upperMs = limitOf(values.map((ms, index) => ms * (1 + marginIn(runs[index]))));
    return { slo, medianMs: median(values), upperMs, isMet: upperMs < slo.limitMs };
  });
  return {
    goals,
    isMet: goals.every(({ isMet }) => isMet),
    failureShare: sum(runs.map(({ failures }) => failures)) / sum(runs.map(({ requests }) => requests)),
    utilisation: median(runs.map(({ utilisation }) => utilisation)),
    peakWaiting: limitOf(runs.map(({ peakWaiting }) => peakWaiting)),
    runs,
  };
}

/**
 * Finds the figure of a goal. If no request reached the route, because earlier ones failed, the goal is missed.
 *
 * @param {SimulationResult} run
 * @param {Slo} slo
 */
export function timeOf({ routes }, { route: name, figure }) {
  const route = routes[name];
  return route?.count > 0 ? route.all[figure] : Infinity;
}

/**
 * @param {SimulationResult[]} runs
 * @param {string} name of a route
 * @param {'p95Ms' | 'p99Ms'} figure
 * @returns {number} the median over the runs with such a request; NaN without one
 */
export function medianOver(runs, name, figure) {
  const values = runs.map(({ routes }) => routes[name]?.[figure]).filter((ms) => ms >= 0);
  return values.length > 0 ? median(values) : NaN;
}

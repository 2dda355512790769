import { connectionsFor } from '../load-facts.js';
import { quantile } from '../quantile.js';
import { serviceMoments } from '../simulator/service-time.js';
import { SHARE } from './confidence.js';
import { findSmallest } from './find-smallest.js';

/** @import { Judgement, LoadStudy } from './advise.js' */
/** @import { Service } from '../simulator/service-time.js' */
/** @import { Slo } from './slo.js' */

/** A route is slow beside another when it takes so many times as long. */
const SLOW_RATIO = 10;

/**
 * What else would do. For split and capped: `connections` in all, of which `apart` for the slow routes, or that
 * they may hold at most; null where no size would. For timeout: with `connections`, one fewer than advised.
 *
 * @typedef {object} Remedy
 * @property {'split' | 'capped' | 'timeout'} kind
 * @property {number | null} connections
 * @property {number | null} apart
 * @property {string[]} slowRoutes
 * @property {number} timeoutMs 0: none
 * @property {{ route: string, p95Ms: number }[]} slow what it costs them, medians over the runs
 * @property {{ route: string, answeredMs: number }[]} goals p99 of the requests that were answered, or the maximum
 *   where that is the goal, in 95 of 100 runs
 * @property {number} failureShare
 */

/**
 * @param {object} options
 * @param {LoadStudy} options.study of the load that is to be borne
 * @param {Record<string, Service>} options.services
 * @param {Slo[]} options.slos
 * @param {number} options.poolSize advised
 * @returns {Remedy[]} none where a single connection is enough
 */
export function weighRemedies({ study, services, slos, poolSize }) {
  if (poolSize === 1) return [];
  const slowRoutes = findSlowRoutes(study, services, slos);
  return [
    ...(slowRoutes.length > 0
      ? [keepApart('split', study, slos, slowRoutes), keepApart('capped', study, slos, slowRoutes)]
      : []),
    timeOut(study, slos, slowRoutes, poolSize - 1),
  ];
}

/**
 * @param {LoadStudy} study
 * @param {Record<string, Service>} services
 * @param {Slo[]} slos
 */
function findSlowRoutes({ facts }, services, slos) {
  const meanOf = (/** @type {string} */ route) => serviceMoments(services[route]).meanMs;
  const quickestMs = Math.min(...slos.map(({ route }) => meanOf(route)));
  return Object.keys(facts.routes).filter((route) => meanOf(route) >= SLOW_RATIO * quickestMs);
}

/**
 * The fewest connections for the slow routes that meet their own goals and get their work done while the load lasts,
 * then the fewest in all.
 *
 * @param {'split' | 'capped'} kind
 * @param {LoadStudy} study
 * @param {Slo[]} slos
 * @param {string[]} slowRoutes
 * @returns {Remedy}
 */
function keepApart(kind, { facts, judge }, slos, slowRoutes) {
  const { peakActive, routes, lastsMs } = facts;
  const busy = slowRoutes.reduce((sum, route) => sum + (routes[route].count * routes[route].meanMs) / lastsMs, 0);
  const floor = connectionsFor(busy, peakActive);
  const poolOf = (/** @type {number} */ common, /** @type {number} */ apart) => (
    { kind, maxPoolSize: common + apart, apartRoutes: slowRoutes, apartSize: apart });
  const isSlow = slos.map(({ route }) => slowRoutes.includes(route));
  const apart = findSmallest(floor, peakActive, (size) => (
    judge(poolOf(peakActive, size)).goals.every(({ isMet }, index) => isMet || !isSlow[index])));
  const common = apart && findSmallest(1, peakActive, (size) => judge(poolOf(size, apart)).isMet);
  if (!apart || !common) {
    return { kind, connections: null, apart, slowRoutes, timeoutMs: 0, slow: [], goals: [], failureShare: 0 };
  }
  return { kind, connections: common + apart, apart, slowRoutes, timeoutMs: 0,
    ...describeCost(judge(poolOf(common, apart)), slos, slowRoutes) };
}

/**
 * @param {LoadStudy} study
 * @param {Slo[]} slos
 * @param {string[]} slowRoutes
 * @param {number} poolSize
 * @returns {Remedy}
 */
function timeOut({ judge }, slos, slowRoutes, poolSize) {
  const timeoutMs = Math.min(...slos.map(({ limitMs }) => limitMs));
  const judgement = judge({ maxPoolSize: poolSize, waitQueueTimeoutMS: timeoutMs });
  return { kind: 'timeout', connections: poolSize, apart: null, slowRoutes, timeoutMs,
    ...describeCost(judgement, slos, slowRoutes) };
}

/**
 * @param {Judgement} judgement
 * @param {Slo[]} slos
 * @param {string[]} slowRoutes
 */
function describeCost({ runs, failureShare }, slos, slowRoutes) {
  /** @param {string} route @param {'p95Ms' | 'p99Ms' | 'maxMs'} figure @param {number} share of the runs */
  const tell = (route, figure, share) => {
    const values = runs.map(({ routes }) => routes[route]?.[figure]).filter((ms) => ms >= 0);
    return values.length > 0 ? quantile(values, share) : NaN;
  };
  return {
    slow: slowRoutes.map((route) => ({ route, p95Ms: tell(route, 'p95Ms', 0.5) })),
    goals: slos.map(({ route, share }) => ({ route, answeredMs: tell(route, share === 1 ? 'maxMs' : 'p99Ms', SHARE) })),
    failureShare,
  };
}

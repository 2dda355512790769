import { connectionsFor } from '../load/load-facts.js';
import { quantile } from '../base/sample-statistics.js';
import { meanServiceMs, queriesOf } from '../simulator/service-time.js';
import { SHARE } from './confidence.js';
import { compareFleet } from './fleet.js';

/** @import { Fleet } from './fleet.js' */
/** @import { Judgement } from './judgement.js' */
/** @import { LoadStudy } from './study.js' */
/** @import { Service } from '../simulator/service-time.js' */
/** @import { Slo } from './slo.js' */

/** A slow route has at least this many times the service time of the fastest route with a goal. */
const MIN_SLOW_RATIO = 10;

/**
 * An alternative to the advised pool size:
 * - split: a separate pool for slow routes, with `slowSize` of the `connections`;
 * - limited: a concurrency limit of `slowSize` for slow routes, in a pool of `connections`;
 * - timeout: a wait-queue timeout, with one connection fewer than advised, or as many as the servers have room for.
 *
 * @typedef {object} Remedy
 * @property {'split' | 'limited' | 'timeout'} kind
 * @property {number | null} connections null when no size meets the goals
 * @property {number | null} slowSize
 * @property {string[]} slowRoutes
 * @property {number} timeoutMs 0: none
 * @property {{ route: string, p95Ms: number }[]} slow response times of slow routes, medians over the runs
 * @property {{ route: string, figure: 'p99' | 'max', answeredMs: number }[]} goals of the successful requests, in 95 of
 *   100 runs
 * @property {number} failureShare
 */

/**
 * @param {object} options
 * @param {LoadStudy} options.study of the load that the goals must hold at
 * @param {Record<string, Service>} options.services
 * @param {Slo[]} options.slos
 * @param {number} options.poolSize advised
 * @param {Fleet} [options.fleet]
 * @returns {Promise<Remedy[]>} those that the servers have room for; none where a single connection is enough
 */
export async function compareRemedies({ study, services, slos, poolSize, fleet }) {
  if (poolSize === 1) return [];
  const slowRoutes = findSlowRoutes(study, services, slos);
  const largestPool = fleet && compareFleet(fleet, poolSize).largestPool;
  const fewer = Math.min(poolSize - 1, largestPool ?? Infinity);
  const remedies = [
    ...(slowRoutes.length > 0
      ? [await divide('split', study, slos, slowRoutes), await divide('limited', study, slos, slowRoutes)]
      : []),
    ...(fewer > 0 ? [await addTimeout(study, slos, slowRoutes, fewer)] : []),
  ];
  if (fleet?.serverLimit === undefined) return remedies;
  return remedies.filter(
    ({ kind, connections }) => connections !== null && compareFleet(fleet, connections, kind === 'split' ? 2 : 1).fits,
  );
}

/** @param {LoadStudy} study @param {Record<string, Service>} services @param {Slo[]} slos */
function findSlowRoutes({ facts }, services, slos) {
  const meanOf = (/** @type {string} */ route) => meanServiceMs(services[route]);
  const querying = slos.filter(({ route }) => queriesOf(services[route]) > 0);
  const fastestMs = Math.min(...querying.map(({ route }) => meanOf(route)));
  return Object.keys(facts.routes).filter(
    (route) => meanOf(route) >= MIN_SLOW_RATIO * fastestMs && meanOf(route) > fastestMs,
  );
}

/**
 * Finds the smallest size for the slow routes that meets their own goals and keeps up with them, then the smallest
 * pool.
 *
 * @param {'split' | 'limited'} kind
 * @param {LoadStudy} study
 * @param {Slo[]} slos
 * @param {string[]} slowRoutes
 * @returns {Promise<Remedy>}
 */
async function divide(kind, { facts, judge, meets, search }, slos, slowRoutes) {
  const { peakActive, routes, lastsMs } = facts;
  const meanActive = slowRoutes.reduce(
    (sum, route) => sum + (routes[route].count * routes[route].queries * routes[route].meanMs) / lastsMs,
    0,
  );
  const floor = connectionsFor(meanActive, peakActive);
  const poolOf = (/** @type {number} */ common, /** @type {number} */ slowSize) => ({
    kind,
    maxPoolSize: common + slowSize,
    slowRoutes,
    slowSize,
  });
  const slow = slos.filter(({ route }) => slowRoutes.includes(route));
  const slowSize = await search(floor, peakActive, (size, isQuick) =>
    meets(poolOf(peakActive, size), { goals: slow, isQuick }),
  );
  const common =
    slowSize && (await search(1, peakActive, (size, isQuick) => meets(poolOf(size, slowSize), { isQuick })));
  if (!slowSize || !common) {
    return { kind, connections: null, slowSize, slowRoutes, timeoutMs: 0, slow: [], goals: [], failureShare: 0 };
  }
  return {
    kind,
    connections: common + slowSize,
    slowSize,
    slowRoutes,
    timeoutMs: 0,
    ...describeCost(await judge(poolOf(common, slowSize)), slos, slowRoutes),
  };
}

/**
 * @param {LoadStudy} study
 * @param {Slo[]} slos
 * @param {string[]} slowRoutes
 * @param {number} poolSize
 * @returns {Promise<Remedy>}
 */
async function addTimeout({ facts, judge }, slos, slowRoutes, poolSize) {
  const waiting = slos.filter(({ route }) => facts.routes[route]?.queries !== 0);
  const timeoutMs = Math.min(...waiting.map(({ limitMs }) => limitMs));
  const judgement = await judge({ maxPoolSize: poolSize, waitQueueTimeoutMS: timeoutMs });
  return {
    kind: 'timeout',
    connections: poolSize,
    slowSize: null,
    slowRoutes,
    timeoutMs,
    ...describeCost(judgement, slos, slowRoutes),
  };
}

/** @param {Judgement} judgement @param {Slo[]} slos @param {string[]} slowRoutes */
function describeCost({ runs, failureShare }, slos, slowRoutes) {
  /** @param {string} route @param {'p95Ms' | 'p99Ms' | 'maxMs'} figure @param {number} share of the runs */
  const quantileOver = (route, figure, share) => {
    const values = runs.map(({ routes }) => routes[route]?.[figure]).filter((ms) => ms >= 0);
    return values.length > 0 ? quantile(values, share) : NaN;
  };
  return {
    slow: slowRoutes.map((route) => ({ route, p95Ms: quantileOver(route, 'p95Ms', 0.5) })),
    goals: slos.map(({ route, share }) => ({
      route,
      figure: share === 1 ? /** @type {const} */ ('max') : /** @type {const} */ ('p99'),
      answeredMs: quantileOver(route, share === 1 ? 'maxMs' : 'p99Ms', SHARE),
    })),
    failureShare,
  };
}

import { ADVICE } from '../assumptions/advice-assumptions.js';
import { sum } from '../base/sample-statistics.js';
import { connectionsFor } from '../load/load-facts.js';
import { meanServiceMs, queriesOf } from '../simulator/service-time.js';
import { compareFleet } from './fleet.js';
import { medianOver } from './judgement.js';
import { joinStudies } from './study.js';

/** @import { Fleet } from './fleet.js' */
/** @import { LoadStudy } from './study.js' */
/** @import { Service } from '../simulator/service-time.js' */
/** @import { Slo } from './slo.js' */

/**
 * An alternative to the advised pool size: a separate pool for slow routes.
 *
 * @typedef {object} Remedy
 * @property {'split'} kind
 * @property {number | null} connections of both pools together; null when no size meets the goals
 * @property {number | null} slowSize connections of the separate pool
 * @property {string[]} slowRoutes
 * @property {{ route: string, p95Ms: number }[]} slow response times of slow routes, medians over the runs
 */

/**
 * @param {object} options
 * @param {LoadStudy[]} options.studies of all readings of the load that the goals must hold at
 * @param {Record<string, Service>} options.services
 * @param {Slo[]} options.slos
 * @param {number} options.poolSize advised
 * @param {Fleet} [options.fleet]
 * @returns {Promise<Remedy[]>} those that the servers have room for; none where a single connection is enough
 */
export async function compareRemedies({ studies, services, slos, poolSize, fleet }) {
  const slowRoutes = poolSize === 1 ? [] : findSlowRoutes(studies[0], services, slos);
  if (slowRoutes.length === 0) return [];
  const split = await splitPool(studies, slos, slowRoutes);
  if (fleet?.serverLimit === undefined) return [split];
  return split.connections !== null && compareFleet(fleet, split.connections, 2).fits ? [split] : [];
}

/** @param {LoadStudy} study @param {Record<string, Service>} services @param {Slo[]} slos */
function findSlowRoutes({ facts }, services, slos) {
  const meanOf = (/** @type {string} */ route) => meanServiceMs(services[route]);
  const querying = slos.filter(({ route }) => queriesOf(services[route]) > 0);
  const fastestMs = Math.min(...querying.map(({ route }) => meanOf(route)));
  return Object.keys(facts.routes).filter(
    (route) => meanOf(route) >= ADVICE.slowRouteRatio * fastestMs && meanOf(route) > fastestMs,
  );
}

/**
 * Finds the smallest pool for the slow routes that meets their own goals and keeps up with them, then the smallest
 * pool for the others.
 *
 * @param {LoadStudy[]} studies
 * @param {Slo[]} slos
 * @param {string[]} slowRoutes
 * @returns {Promise<Remedy>}
 */
async function splitPool(studies, slos, slowRoutes) {
  const { meets, search } = joinStudies(studies);
  const peakActive = Math.max(...studies.map(({ facts }) => facts.peakActive));
  const floor = Math.max(...studies.map(({ facts }) => floorOf(facts, slowRoutes)));
  const poolOf = (/** @type {number} */ common, /** @type {number} */ slowSize) => ({
    kind: /** @type {const} */ ('split'),
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
  if (!slowSize || !common) return { kind: 'split', connections: null, slowSize, slowRoutes, slow: [] };
  const { runs } = await studies[0].judge(poolOf(common, slowSize));
  return {
    kind: 'split',
    connections: common + slowSize,
    slowSize,
    slowRoutes,
    slow: slowRoutes.map((route) => ({ route, p95Ms: medianOver(runs, route, 'p95Ms') })),
  };
}

/** The smallest pool that keeps up with some routes. @param {LoadStudy['facts']} facts @param {string[]} slowRoutes */
function floorOf({ peakActive, routes, lastsMs }, slowRoutes) {
  const known = slowRoutes.map((route) => routes[route]).filter((each) => each !== undefined);
  const usedMs = known.map(({ count, queries, meanMs }) => count * queries * meanMs);
  return connectionsFor(sum(usedMs) / lastsMs, peakActive);
}

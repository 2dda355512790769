import { COMMON } from '../assumptions/common-assumptions.js';
import { DOCTOR } from '../assumptions/doctor-assumptions.js';
import { groupBy } from '../base/group-by.js';
import { sum } from '../base/sample-statistics.js';
import { namePool } from '../trace/pick-pool.js';

/** @import { RecordedTrace } from '../reading/recorded-trace.js' */
/** @import { Wait, WaitEvidence } from './explain-waits.js' */
/** @import { RepeatedQueries } from './repeated-queries.js' */
/** @import { RequestTimes } from './request-times.js' */

/**
 * @typedef {object} RouteMeans means of its requests, in ms
 * @property {string | null} route
 * @property {number} count of its requests
 * @property {number} share of the time of all requests
 * @property {number} durationMs
 * @property {number} useMs
 * @property {number} outsideMs
 *
 * @typedef {RouteMeans & { repeated?: RepeatedQueries }} SlowRoute repeated: what its queries are
 *
 * @typedef {object} BusiestPool the pool that came closest to its limit
 * @property {string} [client] named only if there are several pools
 * @property {number} maxPoolSize 0: no limit
 * @property {number} inUse the most connections at once
 *
 * @typedef {object} Busiest what was seen of an app whose requests do not wait for long
 * @property {BusiestPool | null} pool null for a history, which does not have all checkouts
 * @property {number} longestWaitMs of a request or, outside of any, a checkout
 * @property {RouteMeans | null} route whose requests take the most time together; null without requests
 */

/**
 * @param {string[]} routes
 * @param {RequestTimes[]} times
 * @returns {RouteMeans[]} those whose requests take the most time together first
 */
export function listRouteMeans(routes, times) {
  const totalMs = sum(times.map(({ durationMs }) => durationMs)) || 1;
  return [...groupBy(times, ({ route }) => route)]
    .map(([route, own]) => {
      const meanOf = (/** @type {'durationMs' | 'useMs' | 'outsideMs'} */ part) =>
        sum(own.map((each) => each[part])) / own.length;
      const durationMs = meanOf('durationMs');
      return {
        ...{ route: routes[route] ?? null, count: own.length, share: (durationMs * own.length) / totalMs },
        ...{ durationMs, useMs: meanOf('useMs'), outsideMs: meanOf('outsideMs') },
      };
    })
    .toSorted((a, b) => b.share - a.share);
}

/**
 * @param {RouteMeans[]} ranked
 * @param {RepeatedQueries[]} repeated
 * @returns {SlowRoute | null} the one with the most time whose requests take long without waiting
 */
export function findSlowRoute(ranked, repeated) {
  const slow = ranked.find(
    ({ count, useMs, outsideMs }) =>
      count >= COMMON.few && (outsideMs >= COMMON.slowMs || useMs >= DOCTOR.slowQueriesMs),
  );
  if (!slow) return null;
  const same = repeated.find(({ route }) => route === slow.route);
  return { ...slow, ...(same && { repeated: same }) };
}

/**
 * @param {RecordedTrace} trace
 * @param {{ evidence: Pick<WaitEvidence, 'pools'>, waits: Wait[], times: RequestTimes[] }} found
 * @returns {Busiest}
 */
export function findBusiest(trace, { evidence, waits, times }) {
  return {
    pool: trace.header.history ? null : findBusiestPool(trace, evidence),
    longestWaitMs: findLongestMs(trace, waits),
    route: listRouteMeans(trace.routes, times)[0] ?? null,
  };
}

/** @param {RecordedTrace} trace @param {Pick<WaitEvidence, 'pools'>} evidence */
function findBusiestPool(trace, { pools: histories }) {
  const { pools } = trace;
  const [{ row: busiest, ...use }] = pools
    .map((each, row) => {
      const { maxPoolSize = 0 } = each;
      // Where times are rounded, one connection can seem to be two when it is handed over.
      return { row, maxPoolSize, inUse: Math.min(histories[row].mostInUse, maxPoolSize || Infinity) };
    })
    .toSorted((a, b) => b.inUse / (b.maxPoolSize || Infinity) - a.inUse / (a.maxPoolSize || Infinity));
  return { ...(pools.length > 1 && { client: namePool(trace, busiest) }), ...use };
}

/** @param {RecordedTrace} trace @param {Wait[]} waits */
function findLongestMs({ requests }, waits) {
  const waitedMs = new Float64Array(requests.length);
  let longestMs = 0;
  for (const { request, waitedMs: ms } of waits)
    longestMs = Math.max(longestMs, request < 0 ? ms : (waitedMs[request] += ms));
  return longestMs;
}

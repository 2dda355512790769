import { sum } from '../base/sample-statistics.js';

/** @import { FoundLimit } from './find-limits.js' */
/** @import { Outage } from '../simulator/driver-pool.js' */

/**
 * Says what a replay of a pool adds to its recording, or lacks.
 *
 * @param {object} replay
 * @param {Outage[]} replay.outages since the first checkout
 * @param {{ length: number }} replay.refused checkouts that got no connection in time, and are replayed
 * @param {{ length: number }} replay.waiting those that still waited, the same
 * @param {FoundLimit[]} replay.limits
 * @param {{ length: number }} replay.queryless requests without a query
 * @param {number[]} replay.failedMs how long failed operations had connections
 * @param {number} replay.usedMs how long all had them, together
 * @param {{ why: string, count: number }[]} replay.leftOut checkouts
 * @param {string[]} replay.routes of the recording
 * @returns {string[]}
 */
export function listWarnings({ outages, refused, waiting, limits, queryless, failedMs, usedMs, leftOut, routes }) {
  return [
    ...outages.map(describeOutage),
    ...[
      { count: refused.length, what: 'Got no connection in time' },
      { count: waiting.length, what: 'Still waited when the recording ended' },
    ].flatMap(({ count, what }) =>
      count > 0 ? [`${what}: ${count}. Each is replayed with the queries of another request of its route`] : [],
    ),
    ...limits.map(
      ({ route, limit }) =>
        `The app lets in at most ${limit} requests of ${routes[route]} at once, whatever the pool size`,
    ),
    ...(queryless.length > 0
      ? [`Made no query: ${queryless.length} requests. Their answers are in the figures of their routes`]
      : []),
    ...(failedMs.length > 0 ? [describeFailed(failedMs, usedMs)] : []),
    ...leftOut.map(({ count, why }) =>
      count === 1
        ? `1 checkout ${why} and is left out: its service time is unknown`
        : `${count} checkouts ${why} and are left out: their service times are unknown`,
    ),
  ];
}

/** @param {number[]} failedMs @param {number} usedMs */
function describeFailed(failedMs, usedMs) {
  const share = Math.round((100 * sum(failedMs)) / (usedMs || 1));
  return (
    `Failed with a connection: ${failedMs.length}. ` +
    `Each is replayed for as long as it had it, together ${share} % of the time in use`
  );
}

/** @param {Outage} outage */
function describeOutage({ atMs, readyMs }) {
  const ms = readyMs - atMs;
  const lasted = ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
  return (
    `The driver had no server for ${lasted}, ${(atMs / 1000).toFixed(1)} s after the first checkout, ` +
    'and neither has any pool that is simulated. The waits include that time'
  );
}

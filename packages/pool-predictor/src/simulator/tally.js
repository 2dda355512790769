/** @import { RouteResult } from './route-stats.js' */
/** @import { Outcome, User } from './users.js' */

/**
 * @typedef {object} RequestRecord
 * @property {string} route
 * @property {number} user
 * @property {number} connection -1 when it had none
 * @property {number} arrivedAtMs
 * @property {number} startedAtMs NaN when it had no connection
 * @property {number} finishedAtMs when the user was answered or gave up
 * @property {number} waitMs for a connection
 * @property {Outcome} outcome
 */

/**
 * Keeps the books of a simulation: who waits, who is served, how it ended.
 *
 * @param {object} options
 * @param {boolean} options.keepRequests
 * @param {(ms: number) => number} options.tell how long a response took, as its client tells it
 */
export function createTally({ keepRequests, tell }) {
  /** @type {RequestRecord[]} */
  const records = [];
  const failures = { waitQueueTimeout: 0, clientTimeout: 0 };
  let requests = 0;
  let maxMs = NaN;
  let firstMs = NaN;
  let lastMs = NaN;
  let active = 0;
  let waiting = 0;
  let peakActive = 0;
  let peakWaiting = 0;
  let busyMs = 0;
  let waitedMs = 0;

  /** @param {number} nowMs */
  function startWaiting(nowMs) {
    if (requests++ === 0) firstMs = nowMs;
    waiting++;
  }

  /** Those that a free connection serves at once never count as waiting. */
  function stillWaiting() {
    if (waiting > peakWaiting) peakWaiting = waiting;
  }

  /** @param {User} user @param {number} nowMs */
  function stopWaiting(user, nowMs) {
    waiting--;
    waitedMs += nowMs - user.arrivedAtMs;
  }

  /** @param {User} user @param {number} nowMs */
  function startQuery(user, nowMs) {
    stopWaiting(user, nowMs);
    user.route.recordWait(nowMs - user.arrivedAtMs);
    if (++active > peakActive) peakActive = active;
  }

  /** The user may have given up long before. @param {User} user @param {number} nowMs */
  function endQuery(user, nowMs) {
    active--;
    busyMs += user.serviceMs;
    lastMs = nowMs;
  }

  /** @param {User} user @param {Outcome} outcome @param {number} nowMs */
  function endRequest(user, outcome, nowMs) {
    const { route, arrivedAtMs, startedAtMs } = user;
    lastMs = nowMs;
    if (outcome === 'ok') {
      const responseMs = tell(nowMs - arrivedAtMs);
      route.recordResponse(responseMs);
      if (!(responseMs <= maxMs)) maxMs = responseMs;
    } else {
      route.recordFailure();
      failures[outcome]++;
    }
    if (keepRequests) {
      records.push({
        route: route.name, user: user.number, connection: user.connection, arrivedAtMs, startedAtMs,
        finishedAtMs: nowMs, waitMs: (Number.isNaN(startedAtMs) ? nowMs : startedAtMs) - arrivedAtMs, outcome,
      });
    }
  }

  /**
   * @param {Record<string, RouteResult>} routes
   * @param {number} maxPoolSize
   */
  function result(routes, maxPoolSize) {
    const durationMs = requests === 0 ? 0 : lastMs - firstMs;
    return {
      requests,
      failures: failures.waitQueueTimeout + failures.clientTimeout,
      failuresBy: failures,
      maxMs,
      routes,
      durationMs,
      ratePerSec: (requests / durationMs) * 1000,
      peakActive,
      peakWaiting,
      meanActive: busyMs / durationMs,
      meanWaiting: waitedMs / durationMs,
      utilisation: busyMs / durationMs / maxPoolSize,
      ...(keepRequests && { records }),
    };
  }

  return { waiting: () => waiting, startWaiting, stillWaiting, stopWaiting, startQuery, endQuery, endRequest, result };
}

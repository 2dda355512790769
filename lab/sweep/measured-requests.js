import { sum } from '../base/statistics.js';
import { useMsOf, waitMsOf as waitOfCheckout } from '../harness/warm-up.js';

/** @import { Seen, SeenCheckout } from '../harness/monitor-reader.js' */

/**
 * A request as the app's process saw it.
 *
 * @typedef {object} JoinedRequest
 * @property {string} route
 * @property {number} status 0 if the client left before the answer
 * @property {number} arrivedAtMs
 * @property {number} totalMs from its arrival to the end of its answer
 * @property {SeenCheckout[]} checkouts in order of their starts
 * @property {number} restMs of totalMs: neither a wait for a connection nor a use
 */

/** @param {Seen} seen @returns {JoinedRequest[]} in the order in which they arrived */
export function joinRequests({ requests, checkouts }) {
  const keyOf = (/** @type {{ source: number, requestId: string | null }} */ { source, requestId }) =>
    `${source} ${requestId}`;
  /** @type {Map<string, SeenCheckout[]>} */
  const byRequest = new Map();
  for (const checkout of checkouts) {
    const own = byRequest.get(keyOf(checkout));
    if (own) own.push(checkout);
    else byRequest.set(keyOf(checkout), [checkout]);
  }
  return requests
    .map((request) => {
      const { route, status, endedAtMs, totalMs } = request;
      const own = byRequest.get(keyOf(request)) ?? [];
      own.sort((a, b) => a.checkOutStartedAtMs - b.checkOutStartedAtMs);
      const restMs = Math.max(0, totalMs - findCoveredMs(own));
      return { route, status, totalMs, arrivedAtMs: endedAtMs - totalMs, checkouts: own, restMs };
    })
    .sort((a, b) => a.arrivedAtMs - b.arrivedAtMs);
}

/** @param {JoinedRequest} request */
export function hasSucceeded({ status }) {
  return status >= 200 && status < 400;
}

/** The time during which a request waits for a connection or uses one. @param {SeenCheckout[]} checkouts in order */
function findCoveredMs(checkouts) {
  let coveredMs = 0;
  let untilMs = -Infinity;
  for (const { checkOutStartedAtMs, checkedInAtMs } of checkouts) {
    const endMs = checkedInAtMs ?? checkOutStartedAtMs;
    coveredMs += Math.max(0, endMs - Math.max(untilMs, checkOutStartedAtMs));
    untilMs = Math.max(untilMs, endMs);
  }
  return coveredMs;
}

/** @param {JoinedRequest} request @returns {number} for connections */
export function waitMsOf({ checkouts }) {
  return sum(checkouts.filter(isServed).map(waitOfCheckout));
}

/** @param {JoinedRequest} request @returns {number} of connections */
export function usedMsOf({ checkouts }) {
  return sum(checkouts.filter(isServed).map(useMsOf));
}

/** @param {SeenCheckout} checkout */
export function isServed({ checkedOutAtMs, checkedInAtMs }) {
  return checkedOutAtMs !== null && checkedInAtMs !== null;
}

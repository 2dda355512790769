import { SOCKET_USES } from './socket-users.js';

/** @import { RecordedTrace } from '../reading/recorded-trace.js' */
/** @import { SocketUse } from './socket-users.js' */
/** @import { QuerylessRequest } from './trace.js' */

/**
 * Lists requests that succeeded without a checkout, such as those that a cache answers. They belong to the figures of a
 * route whose other requests use the pool, and those who sent them waited for their answers, too.
 *
 * @param {RecordedTrace} trace
 * @param {object} options
 * @param {number} options.process row
 * @param {Map<number, number>} options.newRow the pool's routes, and their rows
 * @param {Map<number, SocketUse>} options.uses of sockets
 * @param {number} options.firstMs when the first checkout started
 * @param {number} options.lastMs when the last one did
 * @returns {QuerylessRequest[]} whose starts count from the first checkout
 */
export function listQueryless({ requests, checkouts }, { process, newRow, uses, firstMs, lastMs }) {
  const { startedMs, durationMs, statusOf, processOf, routeOf, socketOf } = requests;
  const hasCheckout = new Uint8Array(requests.length);
  for (const request of checkouts.requestOf) if (request >= 0) hasCheckout[request] = 1;
  /** @type {QuerylessRequest[]} */
  const listed = [];
  for (let row = 0; row < requests.length; row++) {
    const route = newRow.get(routeOf[row]);
    const isAnswered = statusOf[row] >= 200 && statusOf[row] < 400;
    if (hasCheckout[row] || processOf[row] !== process || route === undefined || !isAnswered) continue;
    if (!(startedMs[row] >= firstMs && startedMs[row] <= lastMs)) continue;
    const socketUse = SOCKET_USES.indexOf(uses.get(socketOf[row]) ?? 'unknown');
    listed.push({
      ...{ startedMs: startedMs[row] - firstMs, durationMs: durationMs[row], route, socket: socketOf[row], socketUse },
    });
  }
  return listed;
}

/** @import { RouteStats } from './route-stats.js' */
/** @import { User } from './users.js' */

/**
 * A query, from the start of its checkout to its end. Objects are reused, so a long run does not allocate. `ticket`
 * changes with every query that ends: a queue that holds one with an older ticket drops it.
 *
 * @typedef {object} Query
 * @property {User} user
 * @property {boolean} isBeside it runs beside the user's own query
 * @property {number} request of the user, see User
 * @property {RouteStats} route
 * @property {number} ticket
 * @property {'waiting' | 'selecting' | 'served' | 'ended'} state selecting: it waits for a server
 * @property {number} connection of this or the last query; -1 when there was none
 * @property {number} serviceMs how long it has its connection; while it runs on a server, without its work
 * @property {number} workMs that the server's cores do
 * @property {number} handoverMs
 * @property {boolean} breaks its connection is closed at its end
 * @property {number} checkOutStartedAtMs of its first attempt
 * @property {number} queuedAtMs of this one
 * @property {boolean} isRetry
 * @property {number} startedAtMs when it got its connection
 */

/** @typedef {'ok' | 'refused' | 'connectionError' | 'waitQueueTimeout' | 'operationTimeout'} QueryOutcome */

/** @param {User} user @param {boolean} isBeside @returns {Query} */
export function createQuery(user, isBeside) {
  return {
    user,
    isBeside,
    request: 0,
    route: /** @type {any} */ (undefined),
    ticket: 0,
    state: 'ended',
    connection: -1,
    // NaN rather than 0: V8 then keeps these fields as doubles from the start.
    serviceMs: NaN,
    workMs: NaN,
    handoverMs: NaN,
    breaks: false,
    checkOutStartedAtMs: NaN,
    queuedAtMs: NaN,
    isRetry: false,
    startedAtMs: NaN,
  };
}

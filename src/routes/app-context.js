/** @import { ConcurrencyLimit } from '../http/concurrency-limit.js' */

/**
 * @typedef {object} AppContext what the routes of the app share
 * @property {import('../mongo/database.js').Database} database
 * @property {{ slowMs: number }} load how long a query of /slow takes now
 * @property {ConcurrencyLimit} slowLimit for queries of /slow
 * @property {import('mongodb-pool-monitor').Checkouts} checkouts
 * @property {import('mongodb-pool-monitor').Requests} requests
 * @property {number} requestTimeoutMs
 * @property {ConcurrencyLimit} requestLimit for requests of /slow and /fast
 * @property {import('mongodb-pool-page').LiveView} live
 * @property {ReturnType<typeof import('./control-routes.js').createTraffic>} sendTraffic
 * @property {import('../load-tests/load-test-runner.js').LoadTests} loadTests
 * @property {{ enabled: boolean, anyHost: boolean, token?: string }} controls whether the page may change settings,
 *   under which host names, and with which token
 * @property {import('pino').Logger} log
 */

export {};

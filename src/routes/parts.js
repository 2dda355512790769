/**
 * @typedef {object} Parts what the app is made of
 * @property {import('../mongo/database.js').Database} database
 * @property {{ slowMs: number }} load how long a query of /slow takes, as of now
 * @property {ReturnType<typeof import('../http/concurrency-limit.js').createConcurrencyLimit>} slowLimit how many of them may be at work at once
 * @property {import('mongodb-pool-monitor').Checkouts} checkouts
 * @property {ReturnType<typeof import('../http/requests.js').createRequests>} requests
 * @property {number} requestTimeoutMs how long each of them may take
 * @property {ReturnType<typeof import('../http/concurrency-limit.js').createConcurrencyLimit>} requestLimit how many may be under way at once
 * @property {ReturnType<typeof import('../metrics.js').createMetrics>} metrics
 * @property {ReturnType<typeof import('../live/streams.js').createStreams>} streams
 * @property {ReturnType<typeof import('../live/traffic.js').createTraffic>} traffic
 * @property {ReturnType<typeof import('../live/load-test-runner.js').createLoadTests>} loadTests
 * @property {{ enabled: boolean, anyHost: boolean, token?: string }} controls whether the page may change things, under
 *   which names, and what it has to show
 * @property {import('pino').Logger} log
 */

export {};

/**
 * What the app tells the page. Times are in ms.
 *
 * @typedef {object} Pool four times a second
 * @property {number} atMs the app's clock
 * @property {{ reachable: boolean, reason: string | null }} database MongoDB, as the driver sees it
 * @property {number} max 0 for no limit
 * @property {number} min
 * @property {number} maxConnecting so many connections may be opened at once
 * @property {number} total
 * @property {number} idle
 * @property {number} active
 * @property {number} connecting
 * @property {number} waiting
 * @property {number} slowMs
 * @property {Lane[]} lanes checked-out connections, at most 1000
 * @property {Waiter[]} queue longest wait first, at most 50
 * @property {Finished[]} finished since the last time, at most 20
 * @property {Omit<Pool, 'atMs' | 'database' | 'slowMs' | 'finished' | 'slowPool'>} [slowPool] that of /slow, where it has its own
 *
 * @typedef {object} Holder a request that holds a connection; both are null for a query of the app's own
 * @property {string | null} requestId
 * @property {string | null} route
 *
 * @typedef {object} Lane
 * @property {number} id the connection's, among those of its client
 * @property {string | null} route
 * @property {string | null} requestId
 * @property {number} busyMs
 *
 * @typedef {object} Waiter
 * @property {string | null} requestId
 * @property {string | null} route
 * @property {number} waitMs
 * @property {Holder[]} behind at most 3, longest first
 *
 * @typedef {object} Finished
 * @property {string} requestId
 * @property {string} route
 * @property {number} status 0 when the client went away
 * @property {number} totalMs
 * @property {number} waitMs
 * @property {Holder[]} behind
 *
 * @typedef {object} Second once a second
 * @property {number} atMs
 * @property {number} max
 * @property {number} active
 * @property {number} idle
 * @property {number} waiting
 * @property {number} ratePerSec
 * @property {Record<string, RouteSecond>} routes those with requests that ended in it
 *
 * @typedef {object} RouteSecond
 * @property {number} count
 * @property {number} failures
 * @property {number} p50Ms
 * @property {number} p95Ms
 * @property {number} maxMs
 * @property {number} waitP95Ms
 *
 * @typedef {object} LoadTest
 * @property {number} id
 * @property {string} scenario
 * @property {number} poolSize
 * @property {number} slowMs
 * @property {string} startedAt
 * @property {{ poolSize: number, slowMs: number, afterMs: number }[]} changes made while it ran, oldest first
 * @property {'running' | 'done' | 'failed'} state
 * @property {number} progress 0 to 1
 * @property {number} leftMs
 * @property {LoadTestFigures} [measured]
 * @property {{ maxMs: number } | null} [exact] what the arithmetic of the queue gives
 * @property {string} [error]
 *
 * @typedef {object} LoadTestFigures
 * @property {number} requests
 * @property {number} failures
 * @property {number} maxMs
 * @property {Record<string, { count: number, p50Ms: number, p95Ms: number, maxMs: number }>} routes
 *
 * @typedef {object} Snapshot what does not change while the app runs
 * @property {string} serverVersion
 * @property {boolean} controls
 * @property {object} [slowPool] with SLOW_POOLSIZE
 * @property {object} [slowLimit] with SLOW_CONCURRENCY
 * @property {boolean} needsToken whether they take a token
 */

export {};

/**
 * What the app sends to the live page. The server's functions return these types, and the page reads them.
 * Times are in ms.
 *
 * @import { Gauges, Holder } from 'mongodb-pool-monitor'
 *
 * @typedef {object} BusyConnection a connection in use; route and request are null for a query of the app itself
 * @property {number} id unique within its client
 * @property {string | null} requestId
 * @property {string | null} route
 * @property {number} busyMs
 *
 * @typedef {object} Waiter
 * @property {string | null} requestId
 * @property {string | null} route
 * @property {number} waitMs
 * @property {Holder[]} behind at most 3, longest first
 *
 * @typedef {object} ConnectionLists
 * @property {number} maxConnecting how many connections the driver opens at once
 * @property {BusyConnection[]} lanes at most 1000
 * @property {Waiter[]} queue longest wait first, at most 50
 *
 * @typedef {Gauges & ConnectionLists} ClientReading one client's pool
 *
 * @typedef {object} AppReading
 * @property {number} atMs the app's clock
 * @property {{ reachable: boolean, reason: string | null }} database as the driver sees it
 * @property {number} slowMs
 * @property {'sleep' | 'work'} slowQuery what the query of /slow does
 * @property {ClientReading} [slowPool] the pool of /slow, with SLOW_POOLSIZE
 *
 * @typedef {ClientReading & AppReading} PoolReading
 * @typedef {object} ServerReading
 * @property {number} cores of the server
 * @property {number | null} busyCores how many of them it kept busy of late; null before the second reading
 *
 * @typedef {object} Live
 * @property {EndedRequest[]} finished at most 20 requests that ended since the last one
 * @property {ServerReading | null} server null if it does not tell
 *
 * @typedef {PoolReading & Live} LivePool
 *
 * @typedef {object} EndedRequest
 * @property {string} requestId
 * @property {string} method
 * @property {string} route
 * @property {number} status HTTP status; 0 when the client disconnected before the response
 * @property {number} totalMs from arrival to response
 * @property {number} waitMs of it, waiting for connections
 * @property {number} useMs of it, having connections
 * @property {Holder[]} behind who held the connections it waited for
 *
 * @typedef {object} RouteSecond the requests of one route that ended within a second
 * @property {number} count
 * @property {number} failures
 * @property {number} p50Ms
 * @property {number} p95Ms
 * @property {number} maxMs
 * @property {number} waitP95Ms
 * @property {number} [useP50Ms] of requests that got a connection
 * @property {number} [useP95Ms]
 *
 * @typedef {object} Second
 * @property {number} atMs its end, by the app's clock
 * @property {number} max 0 for no limit
 * @property {number} active peak
 * @property {number} idle
 * @property {number} waiting peak
 * @property {number} ratePerSec
 * @property {Record<string, RouteSecond>} routes only those with requests
 * @property {ServerReading | null} server null also while nobody watched
 * @property {number} loopBusy share of it in which the app's event loop was busy
 * @property {number | null} aloneMs how long a query of /slow takes alone, if it works; null if it sleeps
 * @property {number | null} heldMs how long the queries of /slow that run at its end have held their connections, median
 *
 * @typedef {object} PoolSettings what the page can change
 * @property {number} poolSize
 * @property {number} slowMs
 *
 * @typedef {object} LoadTestRun
 * @property {number} id
 * @property {string} scenario file name
 * @property {string} startedAt ISO 8601
 * @property {(PoolSettings & { afterMs: number })[]} changes of the settings during the test, oldest first
 * @property {'running' | 'done' | 'failed'} state
 * @property {number} progress 0 to 1, an estimate
 * @property {number} leftMs an estimate
 * @property {LoadTestFigures} [measured]
 * @property {{ maxMs?: number | null } | null} [exact] calculated; null where the formula does not apply
 * @property {string} [error]
 *
 * @typedef {PoolSettings & LoadTestRun} LoadTest a load test, with the settings that it started with
 *
 * @typedef {object} LoadTestFigures
 * @property {number} requests
 * @property {number} failures
 * @property {number | null} maxMs null if nothing was answered
 * @property {Record<string, { count: number, p50Ms: number, p95Ms: number, maxMs: number }>} routes
 *
 * @typedef {object} Snapshot the part of `GET /pool` that is constant while the app runs
 * @property {string} serverVersion
 * @property {boolean} controls
 * @property {boolean} needsToken whether the controls need a token
 * @property {object} [slowPool] with SLOW_POOLSIZE
 * @property {object} [slowLimit] with SLOW_CONCURRENCY
 * @property {{ loadTests: boolean, predictions: boolean }} [features] what is installed; all of it where this is absent
 */

export {};

/**
 * What the app sends to the live page.
 *
 * @import { EndedRequest, Gauges, Holder, Waiter as WaitingCheckout } from 'mongodb-pool-monitor'
 *
 * @typedef {Holder & { id: number, busyMs: number }} BusyConnection a connection in use; its id is unique within its
 *   client
 *
 * @typedef {WaitingCheckout & { waitMs: number, behind: Holder[] }} QueuedWaiter behind: at most 3, longest first
 *
 * @typedef {object} ClientLists
 * @property {string | null} name
 * @property {string[]} servers host:port
 * @property {number} maxConnecting how many connections the driver opens at once
 * @property {BusyConnection[]} lanes at most 1000
 * @property {QueuedWaiter[]} queue longest wait first, at most 50
 *
 * @typedef {Gauges & ClientLists} ClientReading one client's pool
 *
 * @typedef {{ id: number, requestId: string | null, route: string | null }} LeftConnection a connection that was
 *   checked in
 *
 * @typedef {object} OfOneServer where a client uses several servers, and has a tunnel for each
 * @property {string} [address] of the server
 * @property {'primary' | 'secondary' | null} [role] of it
 * @property {null} [server] its load is not known
 *
 * @typedef {ClientReading & OfOneServer & { left: LeftConnection[] }} LiveClient left: at most 20 since the last
 *   reading
 *
 * @typedef {object} KnownQuery what the app knows about the queries of one of its routes
 * @property {number} aloneMs how long they take on an idle server
 * @property {boolean} isWork whether that is CPU time of the server, so that queries slow each other down
 *
 * @typedef {object} ServerReading
 * @property {number} cores of the server
 * @property {number | null} busyCores how many of them it kept busy recently; null before the second reading
 * @property {number | null} [otherBusyCores] how many of them other programs on its machine did, if that is the app's
 * @property {number} [connectionLimit] how many connections it accepts
 *
 * @typedef {object} LiveReading sent five times a second
 * @property {number} atMs the app's clock
 * @property {DatabaseStatus} database
 * @property {Record<string, KnownQuery>} queries by route; empty where the app knows none
 * @property {LiveClient[]} clients the main one first; one that uses several servers is listed for each, the primary
 *   first
 * @property {EndedRequest[]} finished at most 20 requests that ended since the last one
 * @property {ServerReading | null} server null if it does not tell
 *
 * @typedef {object} Note requests that ended at the same time in the same way; the times are those of the longest
 * @property {number} atMs the app's clock
 * @property {string} route
 * @property {number} count
 * @property {number} status 200 for every success
 * @property {number} totalMs
 * @property {number} waitMs
 * @property {Holder[]} behind
 *
 * @typedef {{ reachable: boolean, reason: string | null }} DatabaseStatus as the driver sees it
 *
 * @typedef {object} RouteSecond the requests of one route that ended within a second
 * @property {number} count
 * @property {number} failures of them; the times are those of the others
 * @property {number} [p50Ms]
 * @property {number} [p95Ms]
 * @property {number} [maxMs]
 * @property {number} [waitP95Ms]
 * @property {number} [useP50Ms] of requests that got a connection
 * @property {number} [useP95Ms]
 *
 * @typedef {object} Second
 * @property {number} id counts up
 * @property {number} atMs its end, by the app's clock
 * @property {number} max connections of all clients; 0 for no limit
 * @property {number} active peak
 * @property {number} idle
 * @property {number} waiting peak
 * @property {number} ratePerSec
 * @property {Record<string, RouteSecond>} routes only those with requests; one of them stands for work outside of
 *   requests
 * @property {ServerReading | null} server null also while nobody watched
 * @property {number} loopBusy share of it in which the app's event loop was busy
 * @property {number} loopCpu how many cores the app's process used, with all its threads
 * @property {{ mean: number, max: number }} loopDelayMs how late the loop came to what was due
 * @property {Record<string, KnownQuery>} queries by route
 * @property {Record<string, number>} heldMs how long the queries that run at its end have held their connections, by
 *   route, median
 *
 * @typedef {object} Snapshot the part of `GET /pool` that is constant while the app runs
 * @property {string} [serverVersion]
 * @property {object} [slowLimit] with SLOW_CONCURRENCY
 * @property {string} [title] of the page
 * @property {{ pid: number, node: string, command: string }} [process] that was attached to
 * @property {{ predictions: boolean }} features what is installed
 */

export {};

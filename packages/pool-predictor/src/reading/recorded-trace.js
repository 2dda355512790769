/**
 * How a checkout can end, by the numbers in `outcomeOf`. The last two had not ended when the recording did: one still
 * waited, and one still had its connection.
 */
export const OUTCOMES = /** @type {const} */ ([
  'checkedIn',
  'operationFailed',
  'checkOutFailed',
  'checkOutAborted',
  'waiting',
  'checkedOut',
]);

/** What else happens in a pool, by the numbers in `kindOf`. */
export const EVENTS = /** @type {const} */ (['connectionReady', 'connectionClosed', 'poolCleared']);

/**
 * All that a trace has. Times are in ms since the first checkout started. A number of something unknown is -1, a time
 * NaN.
 *
 * @typedef {object} RecordedTrace
 * @property {string} file for messages
 * @property {Record<string, unknown>} header
 * @property {number} resolutionMs of its times
 * @property {number} originMs when its first checkout started, by the clock of its file
 * @property {RecordedProcess[]} processes
 * @property {RecordedPool[]} pools
 * @property {string[]} routes
 * @property {RecordedOperation[]} operations
 * @property {string[]} reasons of refused checkouts, of write conflicts, and of events
 * @property {RecordedCheckouts} checkouts
 * @property {RecordedHolders} behind
 * @property {RecordedRequests} requests
 * @property {RecordedEvents} events
 * @property {{ loop: LoopSecond[], server: ServerSecond[], clients: ClientsSecond[] }} seconds
 * @property {ReportedServer} [server]
 * @property {{ count: number, waitedMs: number }} unlisted checkouts that still waited when the recording ended, and
 *   how long they had, all together, where a recorder of before did not list them
 * @property {string[]} warnings
 *
 * @typedef {object} ReportedServer what the server reported
 * @property {number} cores
 * @property {number} busyCores how many of them it used on average
 * @property {number} [otherBusyCores] how many other programs on its machine used, where that is known
 *
 * @typedef {object} RecordedCheckouts in order of their starts
 * @property {number} length
 * @property {Float64Array} startedMs when the wait began
 * @property {Float64Array} waitMs also of one that got no connection
 * @property {Float64Array} openingMs how much of the wait was the opening of the connection that it got
 * @property {Float64Array} useMs until the end of the recording, if it had not ended; NaN: it got no connection
 * @property {Int32Array} poolOf row in `pools`
 * @property {Int32Array} connectionOf counts from 1 in each pool; 0: none, or unknown
 * @property {Uint8Array} isFresh 1: nobody had used the connection before
 * @property {Uint8Array} outcomeOf row in OUTCOMES
 * @property {Int32Array} reasonOf row in `reasons`
 * @property {Int32Array} routeOf row in `routes`
 * @property {Int32Array} operationOf row in `operations`
 * @property {Int32Array} requestOf row in `requests`
 * @property {Int32Array} transactionOf the same number for the checkouts of a transaction of its pool; 0: of none, or
 *   unknown
 * @property {Uint8Array} holds how many connections of the pool its request had checked out when the wait began
 * @property {Int32Array} behindFrom first row in `behind`
 * @property {Int32Array} behindCount how many rows
 *
 * @typedef {object} RecordedHolders for each wait, the checkouts that had the pool's connections when it began
 * @property {number} length
 * @property {Int32Array} requestOf
 * @property {Int32Array} routeOf
 * @property {Int32Array} operationOf
 *
 * @typedef {{ pid?: number, command?: string, url?: string, attached?: boolean, node?: string }} RecordedProcess
 *
 * @typedef {object} RecordedPool the connections of one client to one server
 * @property {number} process row in `processes`
 * @property {string | null} [name] of its client; may be null for the first one of the process
 * @property {string} [address] of the server
 * @property {string} [appName]
 * @property {string} [driver] version
 * @property {Record<string, RecordedOption>} [options] by the driver's names
 * @property {number} [maxPoolSize] 0: no limit
 *
 * @typedef {object} RecordedOption
 * @property {unknown} value
 * @property {'uri' | 'code' | 'default' | 'lab'} [from] lab: the lab replaced it for a measurement
 * @property {unknown} [uri] what the URI asked for, where the code won
 * @property {unknown} [own] the app's, where the lab won
 * @property {boolean} [ignored] true: the driver ignores it, though it was set
 *
 * @typedef {{ name: string, kind: 'changeStream' | 'tailableCursor' | null }} RecordedOperation
 *
 * @typedef {object} RecordedRequests a row for each request that a checkout or a line names
 * @property {number} length
 * @property {Int32Array} processOf
 * @property {Float64Array} startedMs NaN where its end was not recorded
 * @property {Float64Array} durationMs
 * @property {Int32Array} statusOf HTTP status; 0: the client left before, or unknown
 * @property {Int32Array} routeOf
 * @property {Int32Array} socketOf the same number for the requests of one kept-alive connection; -1: unknown
 *
 * @typedef {object} RecordedEvents in the order of the file
 * @property {number} length
 * @property {Uint8Array} kindOf row in EVENTS
 * @property {Float64Array} atMs
 * @property {Int32Array} poolOf
 * @property {Int32Array} connectionOf 0: none
 * @property {Int32Array} reasonOf
 * @property {Float64Array} durationMs connectionReady: of the opening; connectionClosed: since the opening began
 *
 * @typedef {{ atMs: number, process: number, meanMs: number, maxMs: number, busy?: number, cpu?: number, requests?:
 *   number, active?: number, waiting?: number, heldMs?: Record<string, number> }} LoopSecond the delay of the process's
 *   event loop; cpu: cores that all its threads used; what comes after it only in a history
 * @typedef {{ atMs: number, process: number, cores?: number, busyCores?: number, otherBusyCores?: number, ticketsOut?:
 *   number, ticketsTotal?: number, queued?: number, connectionLimit?: number }} ServerSecond what the server said that
 *   the process uses: operations in its storage engine, how many it lets in, and how many wait; otherBusyCores: of its
 *   machine's cores, those that other programs kept busy; connectionLimit: how many connections it accepts
 * @typedef {{ atMs: number, process: number, place?: string | null, hosts: string, created: number, closed: number,
 *   connections?: number }} ClientsSecond how many clients a line of the app has created and closed until then;
 *   connections: open in their pools
 */
